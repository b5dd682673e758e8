#!/usr/bin/env bash
# Takes the example in ../notes to phase `ready`. Its files stand for what planning agents would have written;
# every command is one that the documents' plan loop types. Stopped half-way, it goes on where the plan stands.
#
#   plan.sh PROJECT        PROJECT/app is where the code will be written
set -euo pipefail
notes=$(cd "$(dirname "$0")/../notes" && pwd)
mkdir -p "${1:?usage: plan.sh PROJECT}/app"
cd "$1"
planning=$PWD/project-planning

state() { ${HEDDLE:-heddle} state "$@"; }
phase() { state status | sed -n 's/^Phase: //p'; }

[ -f "$planning/state.json" ] || ${HEDDLE:-heddle} init app

while :; do
  case $(phase) in
    ingestion) cp "$notes/spec.md" "$planning/inputs/spec.md" ;;
    logical)
      cp "$notes/artifacts/capability-map.json" "$planning/artifacts/"
      state validate capability_map
      ;;
    physical)
      sed "s|@TARGET@|$PWD/app|" "$notes/artifacts/physical-map.json" > "$planning/artifacts/physical-map.json"
      state validate physical_map
      ;;
    definition)
      cp "$notes"/tasks/*.json "$planning/tasks/"
      state load-tasks
      ;;
    validation)
      cp "$notes/artifacts/task-validation.json" "$planning/artifacts/"
      state validate-tasks READY "every task passes"
      ;;
    sequencing) ;; # the tasks of the example have their phases already
    *) break ;;
  esac
  state advance
done
state status
