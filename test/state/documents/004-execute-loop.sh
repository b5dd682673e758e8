PARALLEL_LIMIT=3

while true; do
    # 0. CHECK FOR HALT
    python3 scripts/state.py check-halt
    if [ $? -ne 0 ]; then
        echo "Halt requested. Stopping gracefully."
        python3 scripts/state.py checkpoint complete
        python3 scripts/state.py confirm-halt
        break
    fi

    # 1. Get ready tasks
    READY=$(python3 scripts/state.py ready-tasks)

    if [ -z "$READY" ]; then
        python3 scripts/state.py advance
        if [ $? -eq 0 ]; then
            echo "All tasks complete!"
            python3 scripts/state.py checkpoint clear
            break
        else
            echo "No ready tasks. Check for blockers."
            python3 scripts/state.py status
            break
        fi
    fi

    # 2. Select batch (up to PARALLEL_LIMIT tasks)
    BATCH=$(echo "$READY" | head -$PARALLEL_LIMIT | cut -d: -f1)
    BATCH_ARRAY=($BATCH)
    echo "Batch: ${BATCH_ARRAY[@]}"

    # 3. Generate bundles for all tasks in batch
    for TASK_ID in ${BATCH_ARRAY[@]}; do
        python3 scripts/bundle.py generate $TASK_ID
        python3 scripts/bundle.py validate-integrity $TASK_ID
    done

    # 4. CREATE CHECKPOINT before spawning (crash recovery)
    python3 scripts/state.py checkpoint create ${BATCH_ARRAY[@]}

    # 5. Mark all tasks as started
    for TASK_ID in ${BATCH_ARRAY[@]}; do
        python3 scripts/state.py start-task $TASK_ID
    done

    # 6. SPAWN EXECUTORS IN PARALLEL
    # Use Task tool with multiple invocations in single message
    # Each executor gets: PLANNING_DIR and Bundle path
    # Each executor returns: "T001: SUCCESS" or "T001: FAILED - reason"

    # 7. AS EACH EXECUTOR RETURNS, update checkpoint
    # Parse the minimal return: "T001: SUCCESS" -> task_id=T001, status=success
    for TASK_ID in ${BATCH_ARRAY[@]}; do
        # Executor returned - check result file exists
        if [ -f "$PLANNING_DIR/bundles/${TASK_ID}-result.json" ]; then
            STATUS=$(python3 -c "import json; print(json.load(open('$PLANNING_DIR/bundles/${TASK_ID}-result.json'))['status'])")
            python3 scripts/state.py checkpoint update $TASK_ID $STATUS
            ./scripts/log-activity.sh INFO orchestrator task-result "$TASK_ID: $STATUS"
        else
            ./scripts/log-activity.sh WARN orchestrator task-result "$TASK_ID: no result file"
        fi
    done

    # 8. COMPLETE CHECKPOINT for this batch
    python3 scripts/state.py checkpoint complete

    # 9. Check for halt AFTER batch
    python3 scripts/state.py check-halt
    if [ $? -ne 0 ]; then
        echo "Halt requested after batch. Stopping gracefully."
        python3 scripts/state.py confirm-halt
        break
    fi

    # 10. Continue to next batch (or ask user in interactive mode)
    # In batch mode: continue automatically
    # In interactive mode: read -p "Continue? (y/n): " CONTINUE
done
