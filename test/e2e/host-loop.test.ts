// The documents' own loops as shell scripts, with `heddle state` in place of `python3 scripts/state.py` (X20).
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { cli, ended, type Project, type Ran, readyProject } from "./rig.ts";
import { expectWhole } from "./whole.ts";

function script(project: Project, text: string): Promise<Ran> {
  const whole = `heddle() { "${process.execPath}" "${cli}" "$@"; }\nPLANNING_DIR="${project.path("project-planning")}"\n${text}`;
  return ended(
    spawn("bash", ["--norc", "-c", whole], { cwd: project.root, env: { PATH: process.env.PATH } }),
  );
}

/** `spec/001`, execute loop; `WORK` stands for the subagent. */
const loop = `
while true; do
    READY=$(heddle state ready-tasks)
    if [ -z "$READY" ]; then
        heddle state advance
        if [ $? -eq 0 ]; then
            echo "All tasks complete!"
            break
        else
            echo "No ready tasks. Check for blockers."
            heddle state status
            break
        fi
    fi
    TASK_ID=$(echo "$READY" | head -1 | cut -d: -f1)
    heddle bundle generate $TASK_ID
    heddle bundle validate-integrity $TASK_ID
    if [ $? -eq 1 ]; then
        echo "Bundle validation failed for $TASK_ID - missing dependencies"
        continue
    fi
    heddle state start-task $TASK_ID
    if WORK $TASK_ID; then
        heddle state complete-task $TASK_ID
    else
        heddle state fail-task $TASK_ID "$ERROR"
    fi
done`;

/** `spec/004`, execute loop: batches of three, executors that complete themselves, checkpoints, halts. */
const batches = `
PARALLEL_LIMIT=3
while true; do
    heddle state check-halt
    if [ $? -ne 0 ]; then
        echo "Halt requested. Stopping gracefully."
        heddle state checkpoint complete
        heddle state confirm-halt
        break
    fi
    READY=$(heddle state ready-tasks)
    if [ -z "$READY" ]; then
        heddle state advance
        if [ $? -eq 0 ]; then
            echo "All tasks complete!"
            heddle state checkpoint clear
            break
        else
            echo "No ready tasks. Check for blockers."
            heddle state status
            break
        fi
    fi
    BATCH=$(echo "$READY" | head -$PARALLEL_LIMIT | cut -d: -f1)
    BATCH_ARRAY=($BATCH)
    echo "Batch: \${BATCH_ARRAY[@]}"
    for TASK_ID in \${BATCH_ARRAY[@]}; do
        heddle bundle generate $TASK_ID
        heddle bundle validate-integrity $TASK_ID
    done
    heddle state checkpoint create \${BATCH_ARRAY[@]}
    for TASK_ID in \${BATCH_ARRAY[@]}; do
        heddle state start-task $TASK_ID
    done
    for TASK_ID in \${BATCH_ARRAY[@]}; do EXECUTOR $TASK_ID & done; wait
    for TASK_ID in \${BATCH_ARRAY[@]}; do
        if [ -f "$PLANNING_DIR/bundles/\${TASK_ID}-result.json" ]; then
            STATUS=$(grep -o '"status": *"[a-z]*"' "$PLANNING_DIR/bundles/\${TASK_ID}-result.json" | cut -d'"' -f4)
            heddle state checkpoint update $TASK_ID $STATUS
            heddle log INFO orchestrator task-result "$TASK_ID: $STATUS"
        fi
    done
    heddle state checkpoint complete
    heddle state check-halt
    if [ $? -ne 0 ]; then
        echo "Halt requested after batch. Stopping gracefully."
        heddle state confirm-halt
        break
    fi
done`;

const executor = `
RESULT() { echo '{"version":"1.0","task_id":"'$1'","status":"'$2'","started_at":"2026-01-01T00:00:00Z","completed_at":"2026-01-01T00:01:00Z"}' > "$PLANNING_DIR/bundles/$1-result.json"; }
EXECUTOR() {
    mkdir -p app/src app/test && touch app/src/$1.ts app/test/$1.test.ts app/README.md
    heddle state complete-task $1 --created src/$1.ts test/$1.test.ts --modified README.md > /dev/null && RESULT $1 success && echo "$1: SUCCESS"
}`;

const diamond = (n: number) => (n === 1 ? [] : n === 6 ? [2, 3, 4, 5] : [1]);

describe("the execute loop of the documents", () => {
  it("X20 X15 runs to complete, in an order that the graph allows", async () => {
    const project = await readyProject({ tasks: 6, after: diamond });
    const { out, err, code } = await script(project, `WORK() { true; }${loop}`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("All tasks complete!");
    expect(out.match(/Task T\d+ started \(attempt 1\)/g)).toHaveLength(6);
    expect(out.match(/^Task (T\d+) started/m)?.[1]).toBe("T001");
    const { phase, tasks, unverified } = await expectWhole(project);
    expect([phase, tasks.complete, unverified]).toEqual(["complete", 6, 6]);
  });

  it("X20 X11 stops at a failure with what is blocked, and goes on after a retry", async () => {
    const project = await readyProject({ tasks: 4, after: (n) => (n === 4 ? [2] : []) });
    const work = `ERROR="tests are red"\nWORK() { [ "$1" != T002 ] || [ -e fixed ]; }`;
    const first = await script(project, `${work}${loop}`);
    expect(first.out).toContain("No ready tasks. Check for blockers.");
    expect(first.out).toContain("complete 2");
    expect((await expectWhole(project)).tasks).toMatchObject({ complete: 2, failed: 1, blocked: 1 });
    project.write("fixed", "");
    await project.must("state", "retry-task", "T002");
    expect((await script(project, `${work}${loop}`)).out).toContain("All tasks complete!");
    expect((await expectWhole(project)).phase).toBe("complete");
  });

  it("X20 X13 runs in batches of three executors that complete themselves, with checkpoints", {
    timeout: 60_000,
  }, async () => {
    const project = await readyProject({ tasks: 6, after: diamond });
    const { out, err, code } = await script(project, `${executor}${batches}`);
    expect([code, err]).toEqual([0, ""]);
    expect(out.match(/^Batch: .*/gm)).toEqual([
      "Batch: T001",
      "Batch: T002 T003 T004",
      "Batch: T005",
      "Batch: T006",
    ]);
    expect(out).toContain("All tasks complete!");
    const { phase, tasks } = await expectWhole(project);
    expect([phase, tasks.complete]).toEqual(["complete", 6]);
    expect(project.stateJson().tasks.T003).toMatchObject({
      files_created: ["src/T003.ts", "test/T003.test.ts"],
      files_modified: ["README.md"],
    });
    expect(project.has("project-planning/orchestrator-checkpoint.json")).toBe(false);
  });

  it("C10 X20 stops gracefully after the batch when a STOP file appears, and goes on after resume", {
    timeout: 60_000,
  }, async () => {
    const project = await readyProject({ tasks: 6, after: diamond });
    const stopping = executor.replace(
      'echo "$1: SUCCESS"',
      `if [ $1 = T003 ]; then touch "$PLANNING_DIR/STOP"; fi`,
    );
    const first = await script(project, `${stopping}${batches}`);
    expect(first.out).toContain("Halt requested after batch. Stopping gracefully.");
    expect(first.out).toContain("Halt confirmed. Running tasks: none");
    expect((await expectWhole(project)).tasks.complete).toBe(4);
    await project.must("state", "resume");
    expect((await script(project, `${executor}${batches}`)).out).toContain("All tasks complete!");
    expect((await expectWhole(project)).phase).toBe("complete");
  });
});
