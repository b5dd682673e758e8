while true; do
    # 1. Get ready tasks
    READY=$(python3 scripts/state.py ready-tasks)

    if [ -z "$READY" ]; then
        # Try to advance (might complete)
        python3 scripts/state.py advance
        if [ $? -eq 0 ]; then
            echo "All tasks complete!"
            break
        else
            echo "No ready tasks. Check for blockers."
            python3 scripts/state.py status
            break
        fi
    fi

    # 2. Select task (first ready, or user choice)
    TASK_ID=$(echo "$READY" | head -1 | cut -d: -f1)

    # 3. Generate execution bundle (BEFORE starting task)
    python3 scripts/bundle.py generate $TASK_ID

    # 4. Validate bundle integrity (dependencies + checksums)
    python3 scripts/bundle.py validate-integrity $TASK_ID
    if [ $? -eq 1 ]; then
        echo "Bundle validation failed for $TASK_ID - missing dependencies"
        continue  # Skip to next task
    fi
    # Exit code 2 = warnings (checksum mismatch) - proceed but notify user

    # 5. Mark started
    python3 scripts/state.py start-task $TASK_ID

    # 6. Spawn isolated task-executor subagent with bundle
    # (See "Subagent Spawn" section below)

    # 7. Handle result
    if [ $SUCCESS ]; then
        python3 scripts/state.py complete-task $TASK_ID
    else
        python3 scripts/state.py fail-task $TASK_ID "$ERROR"
    fi

    # 8. Ask to continue (unless --batch mode)
    read -p "Continue? (y/n): " CONTINUE
done
