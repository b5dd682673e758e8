#!/usr/bin/env bash
# Stands for an executor: writes the files that a task declares, leaves a result file, tells heddle, and returns one
# line. Two tasks fail at their first attempt, half-way through their files.
#
#   work.sh TASK           in the project's directory
set -u
id=${1:?usage: work.sh TASK}
notes=$(cd "$(dirname "$0")/../notes" && pwd)
planning=$PWD/project-planning
result=$planning/bundles/$id-result.json
startedAt=$(date -u +%Y-%m-%dT%H:%M:%SZ)

state() { ${HEDDLE:-heddle} state "$@"; }

# A result file is there whole or not at all, and it is there before heddle is told: then a crash in between costs
# nothing, because `checkpoint recover` takes it over.
leave_result() {
  printf '{"version": "1.0", "task_id": "%s", "status": "%s", "started_at": "%s", "completed_at": "%s", %s}\n' \
    "$id" "$1" "$startedAt" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$2" > "$result.$$.new"
  mv "$result.$$.new" "$result"
}

# What the task writes is in ../notes/solution; a real executor would read the bundle and think. Prints what it wrote.
worked=$(node -e '
  const [notes, planning, id] = process.argv.slice(1);
  const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
  const { attempts } = read(`${planning}/state.json`).tasks[id];
  const fails = attempts === 1 && ["T004", "T008"].includes(id);
  const steps = read(`${notes}/solution/steps.json`)[id];
  for (const { path: file, action } of read(`${planning}/tasks/${id}.json`).files.slice(0, fails ? 1 : undefined)) {
    const text = steps[file] === "final" ? fs.readFileSync(`${notes}/solution/${file}`) : steps[file];
    fs.mkdirSync(path.dirname(`app/${file}`), { recursive: true });
    fs.writeFileSync(`app/${file}`, text);
    console.log(action, file);
  }
  if (fails) console.log("fails");
' "$notes" "$planning" "$id") || exit 1

wrote() { echo "$worked" | sed -n "s/^$1 //p"; }
listed() { sed '/^$/d; s/.*/"&"/' | paste -sd, -; }

if echo "$worked" | grep -q "^fails$"; then
  leave_result failed '"error": {"category": "test", "message": "its own test is red", "retryable": true}'
  state fail-task "$id" "its own test is red" --category test --retryable > /dev/null
  echo "$id: FAILED - its own test is red"
else
  created=$(wrote create) modified=$(wrote modify)
  leave_result success "\"files\": {\"created\": [$(echo "$created" | listed)], \"modified\": [$(echo "$modified" | listed)]}"
  # shellcheck disable=SC2086  # the paths of the example have no blanks
  state complete-task "$id" --created $created --modified $modified > /dev/null
  echo "$id: SUCCESS"
fi
