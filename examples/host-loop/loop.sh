#!/usr/bin/env bash
# The documents' execute loop, with `heddle state` in place of `python3 scripts/state.py` and `heddle log` in place of
# `scripts/log-activity.sh`. Kill it at any moment and start it again: it goes on where the work stands.
#
#   loop.sh PROJECT        PROJECT is what plan.sh was given
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 64
PLANNING_DIR=$PWD/project-planning
PARALLEL_LIMIT=3
ATTEMPT_LIMIT=3

state() { ${HEDDLE:-heddle} state "$@"; }
log() { ${HEDDLE:-heddle} log "$@"; }

halted() {
  state check-halt
  case $? in
    0) return 1 ;;
    1) return 0 ;;
    *) echo "The state cannot be read." && exit 74 ;;
  esac
}

# Failed tasks that may be tried again: the documents leave them to the user.
retryable() {
  node -p 'Object.values(JSON.parse(fs.readFileSync(process.argv[1])).tasks)
    .filter((t) => t.status === "failed" && t.failure.retryable && t.attempts < process.argv[2])
    .map((t) => t.id).join("\n")' "$PLANNING_DIR/state.json" "$ATTEMPT_LIMIT"
}

# RECOVERY ON START: what a killed loop left behind.
if ! state checkpoint status | grep -q '^No active checkpoint'; then
  RECOVERY=$(state checkpoint recover) || exit 1
  echo "$RECOVERY"
  for TASK_ID in $(echo "$RECOVERY" | sed -n 's/^Orphaned: //p' | tr -d , | sed 's/^none$//'); do
    state retry-task "$TASK_ID"
  done
  state checkpoint clear
fi

if state status | grep -q '^Phase: complete$'; then
  echo "All tasks complete!"
  exit 0
fi

while true; do
  # 0. CHECK FOR HALT
  if halted; then
    echo "Halt requested. Stopping gracefully."
    state confirm-halt
    exit 1
  fi

  # 1. Get ready tasks
  READY=$(state ready-tasks)
  if [ -z "$READY" ]; then
    AGAIN=$(retryable)
    for TASK_ID in $AGAIN; do state retry-task "$TASK_ID"; done
    [ -n "$AGAIN" ] && continue
    if state advance; then
      echo "All tasks complete!"
      state checkpoint clear
      exit 0
    fi
    echo "No ready tasks. Check for blockers."
    state status
    exit 1
  fi

  # 2. Select batch
  BATCH=$(echo "$READY" | head -n $PARALLEL_LIMIT | cut -d: -f1)
  echo "Batch:" $BATCH

  # 3. Bundles come with `heddle bundle`; the stand-in executor reads the task file.

  # 4. CREATE CHECKPOINT before spawning (crash recovery)
  state checkpoint create $BATCH || exit 1

  # 5. Mark all tasks as started; one that may not start just now is not worked on
  STARTED=
  for TASK_ID in $BATCH; do state start-task "$TASK_ID" && STARTED="$STARTED $TASK_ID"; done

  # 6. SPAWN EXECUTORS IN PARALLEL
  for TASK_ID in $STARTED; do
    log INFO orchestrator spawn "launching an executor for $TASK_ID"
    "$here/work.sh" "$TASK_ID" &
  done
  wait

  # 7. UPDATE CHECKPOINT from the result files
  for TASK_ID in $STARTED; do
    RESULT=$PLANNING_DIR/bundles/$TASK_ID-result.json
    if [ -f "$RESULT" ]; then
      STATUS=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).status' "$RESULT")
      state checkpoint update "$TASK_ID" "$STATUS"
      log INFO orchestrator task-result "$TASK_ID: $STATUS"
    else
      state fail-task "$TASK_ID" "the executor left no result file" --category runtime
      state checkpoint update "$TASK_ID" failed
      log WARN orchestrator task-result "$TASK_ID: no result file"
    fi
  done

  # 8. COMPLETE CHECKPOINT for this batch. The halt is looked at again where the loop begins.
  state checkpoint complete
done
