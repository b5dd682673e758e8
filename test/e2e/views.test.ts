// What can be seen of a run (C2, C5, C13, C15): `state.json`, status, history, replay, why, next, protocols.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { eachOf } from "./commands.ts";
import { chain } from "./plan-files.ts";
import { ended, newProject, type Project, readyProject, start, until } from "./rig.ts";
import { expectRefused, expectWhole } from "./whole.ts";

/** T001 complete, T002 failed and T003 blocked by it, T004 skipped, T005 running, T006 ready. */
async function mixed(): Promise<Project> {
  const project = await readyProject({ tasks: 6, after: (n) => (n === 2 ? [1] : n === 3 ? [2] : []) });
  for (const words of [
    ["start-task", "T001"],
    ["complete-task", "T001", "--created", "src/T001.ts", "test/T001.test.ts", "--modified", "README.md"],
    ["start-task", "T002"],
    ["fail-task", "T002", "tests", "are", "red", "--category", "test"],
    ["skip-task", "T004", "not", "needed"],
    ["start-task", "T005"],
  ])
    await project.must("state", ...words);
  return project;
}

let project: Project;
beforeAll(async () => {
  project = await mixed();
});

describe("state.json", () => {
  it("C2 has the fields of the documents", () => {
    const view = project.stateJson();
    expect(view).toMatchObject({
      version: "2.0",
      phase: {
        current: "executing",
        completed: ["ingestion", "logical", "physical", "definition", "validation", "sequencing", "ready"],
      },
      target_dir: project.path("app"),
      artifacts: { capability_map: { valid: true, error: null }, physical_map: { valid: true } },
      halt: { requested: false, reason: null },
      execution: { active_tasks: ["T005"], completed_count: 1, failed_count: 1, total_tokens: 0 },
    });
    expect(view.artifacts.capability_map.checksum).toMatch(/^[0-9a-f]{16}$/);
    expect(view.artifacts.task_validation).toMatchObject({
      verdict: "READY",
      valid: true,
      summary: "all pass",
    });
    expect([view.created_at, view.updated_at].every((at) => !Number.isNaN(Date.parse(at)))).toBe(true);
  });

  it("C2 carries position and digest", async () => {
    const { position, digest } = project.stateJson();
    expect(position).toBe((await project.history()).at(-1)?.position);
    expect(digest).toMatch(/^[0-9a-f]+$/);
  });

  it("C2 has every task up to a thousand, with the documents' field names", () => {
    const { tasks } = project.stateJson();
    expect(Object.keys(tasks)).toEqual(["T001", "T002", "T003", "T004", "T005", "T006"]);
    expect(tasks.T001).toMatchObject({
      id: "T001",
      name: "Build T001",
      status: "complete",
      phase: 1,
      depends_on: [],
      blocks: ["T002"],
      attempts: 1,
      files_created: ["src/T001.ts", "test/T001.test.ts"],
      files_modified: ["README.md"],
      verified: false,
    });
    expect(tasks.T001.file).toBe(project.path("project-planning/tasks/T001.json"));
    expect(tasks.T002).toMatchObject({
      status: "failed",
      error: "tests are red",
      failure: { category: "test", subcategory: null, retryable: true },
    });
    expect(tasks.T004).toMatchObject({ status: "skipped", skip_reason: "not needed" });
    const statuses = Object.values(tasks as Record<string, { status: string }>).map(({ status }) => status);
    expect(statuses).toEqual(["complete", "failed", "blocked", "skipped", "running", "pending"]);
  });

  it("C2 above a thousand tasks holds counts and what is neither pending nor complete; export has all", async () => {
    const large = await readyProject({ tasks: 1_001, after: (n) => (n === 3 ? [2] : []) });
    for (const words of [
      ["start-task", "T001"],
      ["complete-task", "T001"],
      ["start-task", "T002"],
    ])
      await large.must("state", ...words);
    await large.must("state", "fail-task", "T002", "red");
    await large.must("state", "start-task", "T1001");
    const { tasks } = large.stateJson();
    expect(Object.keys(tasks)).toEqual(["counts", "T002", "T003", "T1001"]);
    expect(tasks.counts).toMatchObject({
      pending: 997,
      running: 1,
      complete: 1,
      failed: 1,
      blocked: 1,
      skipped: 0,
    });
    const whole = await large.json("state", "export");
    expect(Object.keys(whole.tasks)).toHaveLength(1_001);
    expect(whole.tasks.T001.status).toBe("complete");
    const file = large.path("whole.json");
    await large.must("state", "export", file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(whole);
    await expectWhole(large);
  });

  it("C2 at a thousand tasks holds them all", async () => {
    const large = await newProject();
    large.writePlan({ tasks: 1_000 });
    await large.must("state", "load-tasks");
    expect(Object.keys(large.stateJson().tasks)).toHaveLength(1_000);
  });

  it("C2 is replaced, not written into: a reader of the old one reads it to its end", async () => {
    const before = readFileSync(project.view, "utf8");
    const fd = openSync(project.view, "r");
    await project.must("halt", "a moment");
    const buffer = Buffer.alloc(before.length);
    readSync(fd, buffer);
    closeSync(fd);
    expect(buffer.toString()).toBe(before);
    await project.must("resume");
  });

  it("C2 X20 ends with the last hundred events, as the first implementation named them", async () => {
    const { events } = project.stateJson();
    const all = (await project.json("state", "export")).events;
    const shown = (list: { timestamp: string; type: string; task_id?: string }[]) =>
      list.map(({ timestamp, type, task_id: task }) => ({ timestamp, type, task }));
    expect(shown(events)).toEqual(shown(all.slice(-100)));
    const detailsOf = (type: string) =>
      events.findLast((each: { type: string }) => each.type === type)?.details;
    expect(detailsOf("phase_advanced")).toMatchObject({ from: "ready", to: "executing" });
    expect(detailsOf("tasks_loaded")).toMatchObject({ count: 6 });
    expect(detailsOf("task_completed")).toMatchObject({
      files_created: ["src/T001.ts", "test/T001.test.ts"],
      files_modified: ["README.md"],
    });
    expect(detailsOf("task_failed")).toMatchObject({ error: "tests are red", category: "test" });
    expect(detailsOf("task_validation_complete")).toMatchObject({
      verdict: "READY",
      valid: true,
      issue_count: 0,
    });
  });

  it("C2 X20 keeps the failure of a task that is skipped, and says what a blocked one waits for", async () => {
    const other = await readyProject({ tasks: 4, after: (n) => (n === 2 ? [1] : n === 3 ? [2] : []) });
    for (const line of ["start-task T001", "fail-task T001 red", "start-task T004", "fail-task T004 gone"])
      await other.must("state", ...line.split(" "));
    const errors = () => {
      const tasks: Record<string, { error?: string }> = other.stateJson().tasks;
      return Object.values(tasks).map(({ error }) => error);
    };
    expect(errors()).toEqual(["red", "Blocked by failed task T001", "Blocked by blocked task T002", "gone"]);
    await other.must("state", "skip-task", "T004");
    expect(other.stateJson().tasks.T004).toMatchObject({ error: "gone", failure: { category: "unknown" } });
    await other.must("state", "retry-task", "T001");
    expect(errors()).toEqual([undefined, undefined, undefined, "gone"]);
    expect((await other.json("replay")).tasks).toEqual(other.stateJson().tasks);
  });

  it("X20 export has the facts as events, under the names of the documents", async () => {
    const { events } = await project.json("state", "export");
    const types = events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(
      expect.arrayContaining(["initialized", "phase_advanced", "tasks_loaded", "task_failed"]),
    );
    const completed = events.find(({ type }: { type: string }) => type === "task_completed");
    expect(completed).toMatchObject({
      task_id: "T001",
      details: { created: ["src/T001.ts", "test/T001.test.ts"] },
    });
  });
});

describe("status", () => {
  it("C15 --json has the documented shape", async () => {
    expect(await project.status()).toMatchObject({
      phase: "executing",
      tasks: { pending: 1, running: 1, complete: 1, failed: 1, blocked: 1, skipped: 1 },
      ready: ["T006"],
      halt: null,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    });
  });

  it("C15 --format json is --json", async () => {
    const [one, two] = await Promise.all([
      project.heddle("status", "--json"),
      project.heddle("status", "--format", "json"),
    ]);
    expect(two).toEqual(one);
  });

  it("X20 shows on whose word a task is complete, in every view", async () => {
    expect((await project.must("status")).out).toContain("unverified");
    expect((await project.status()).unverified).toBe(1);
    expect(project.stateJson().execution.unverified_count).toBe(1);
    expect((await project.must("why", "T001")).out).toContain("not verified");
    expect((await project.must("history", "--task", "T001")).out).toContain("unverified");
  });

  it("X20 state status and ready-tasks print plain lines for scripts", async () => {
    expect((await project.must("state", "ready-tasks")).out).toBe("T006: Build T006 (phase 1)\n");
    const { out } = await project.must("state", "status");
    for (const line of [
      "Phase: executing",
      `Target: ${project.path("app")}`,
      "Tasks: 6",
      "Ready tasks: T006",
    ])
      expect(out.split("\n")).toContain(line);
  });

  it("X3 ready-tasks prints the steel thread first, then the longest way to go, then by id", async () => {
    const other = await readyProject({ tasks: 6, after: (n) => (n === 6 ? [4] : []), steel: [5] });
    const { out } = await other.must("state", "ready-tasks");
    expect(out.match(/^T\d+/gm)).toEqual(["T005", "T004", "T001", "T002", "T003"]);
    const first = await other.json("state", "ready-tasks", "--limit", "2");
    expect(first).toEqual([
      { id: "T005", name: "Build T005", phase: 1 },
      { id: "T004", name: "Build T004", phase: 1 },
    ]);
  });

  it("X15 says which tasks are in the way, why, and what would unblock them", async () => {
    const { out } = await project.must("why", "T003");
    expect(out).toContain("T003 is blocked");
    expect(out).toContain("T002 failed: tests are red");
    expect(out).toContain("heddle state retry-task T002");
    expect(await project.json("why", "T002")).toMatchObject({ task: "T002", status: "failed" });
    expect((await project.must("why")).out).toContain("executing");
  });

  it("C15 --watch ends when the run is complete, with what it is then", { timeout: 60_000 }, async () => {
    const small = await readyProject({ tasks: 2 });
    const watching = start(["status", "--watch"], { cwd: small.root });
    const watched = ended(watching);
    let seen = "";
    watching.stdout?.on("data", (bytes) => {
      seen += bytes;
    });
    await until("the first line", () => seen.includes("ready: 2 pending"));
    await small.must("state", "start-task", "T001");
    await until("the start", () => seen.includes("1 running"));
    for (const words of [["complete-task", "T001"], ["skip-task", "T002", "r"], ["advance"]])
      await small.must("state", ...words);
    const { code, out, err } = await watched;
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("[complete]");
  });

  it("C15 --watch --json is still one document", async () => {
    const small = await readyProject({ tasks: 1 });
    for (const words of [["start-task", "T001"], ["complete-task", "T001"], ["advance"]])
      await small.must("state", ...words);
    const { out, code } = await small.heddle("status", "--watch", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ phase: "complete" });
  });

  it("C15 --watch ends by Ctrl-C with exit 130, without an error", async () => {
    const watching = start(["status", "--watch"], { cwd: project.root });
    let seen = "";
    watching.stdout?.on("data", (bytes) => {
      // A second Ctrl-C ends it at once, so only one is sent.
      if (seen === "") watching.kill("SIGINT");
      seen += bytes;
    });
    const { err, code } = await ended(watching);
    expect(seen).toContain("executing");
    expect([code, err]).toEqual([130, ""]);
  });
});

describe("state.json, command by command", () => {
  it("C2 is to the letter what restore writes from the journal", { timeout: 60_000 }, async () => {
    const other = await readyProject({ tasks: 4, after: chain });
    for (const words of [
      ["state", "start-task", "T001"],
      ["state", "fail-task", "T001", 'red: "T002": {\n    },'],
      ["state", "retry-task", "T001"],
      ["state", "start-task", "T001"],
      ["state", "complete-task", "T001", "--created", "src/$&.ts", "--modified", 'src/"x".ts'],
      ["state", "record-verification", "T001", "--verdict", "PASS", "--recommendation", "PROCEED"],
      ["halt", "think"],
      ["resume"],
      ["state", "skip-task", "T002", "$1 by hand"],
    ]) {
      await other.must(...words);
      const view = readFileSync(other.view, "utf8");
      await other.must("state", "restore");
      expect(readFileSync(other.view, "utf8"), words.join(" ")).toBe(view);
    }
    await other.must("verify");
  });
});

describe("history", () => {
  it("C1 C13 says who, what, when and why of every fact, oldest first", async () => {
    const other = await newProject();
    await ended(start(["halt", "to think"], { cwd: other.root, env: { HEDDLE_ACTOR: "ada" } }));
    const [created, halted] = await other.history();
    expect(created).toMatchObject({ position: 1, by: "operator", fact: { kind: "run-created" } });
    expect(halted).toMatchObject({
      position: 2,
      by: "ada",
      fact: { kind: "halt-requested", reason: "to think" },
    });
    expect(Date.parse(halted?.at ?? "")).toBeGreaterThan(Date.now() - 60_000);
    const lines = (await other.must("history")).out.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/2 .*ada {2}halt: operator: to think/);
  });

  it("C13 --task shows the facts of one task alone", async () => {
    const kinds = (await project.json("history", "--task", "T002")).map(
      (each: { fact: { kind: string } }) => each.fact.kind,
    );
    expect(kinds).toEqual(["task-defined", "task-started", "task-failed"]);
  });

  it("C4 --follow shows the facts of another process as they come", { timeout: 60_000 }, async () => {
    const other = await newProject();
    const following = start(["history", "--follow"], { cwd: other.root });
    let seen = "";
    following.stdout?.on("data", (bytes) => {
      seen += bytes;
    });
    const done = ended(following);
    await until("what was there", () => seen.includes("start: decomposition"));
    await other.must("halt", "seen by the other");
    await until("the new fact", () => seen.includes("seen by the other"));
    following.kill("SIGINT");
    const { code, err } = await done;
    expect([code, err]).toEqual([130, ""]);
    expect(seen.match(/start: decomposition/g)).toHaveLength(1);
  });

  it("C11 is in the activity log, a line for each, in the documented form", async () => {
    const lines = readFileSync(project.path(".heddle/logs/activity.log"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength((await project.json("history")).length);
    for (const line of lines)
      expect(line).toMatch(/^\[[\d:.TZ-]{24}\] \[(INFO|WARN|ERROR)\] \[operator\] [a-z-]+: .+/);
    expect(lines.some((line) => line.includes("phase-transition: ready -> executing"))).toBe(true);
  });
});

describe("replay", () => {
  it("C13 --at N gives the state as it was after fact N, for every N", { timeout: 60_000 }, async () => {
    const other = await readyProject({ tasks: 3, after: chain });
    const seen = new Map<number, unknown>();
    const note = () => {
      const { digest: _, ...view } = other.stateJson();
      seen.set(view.position, view);
    };
    note();
    for (const words of [
      ["state", "start-task", "T001"],
      ["state", "fail-task", "T001", "red"],
      ["halt", "think"],
      ["resume"],
      ["state", "retry-task", "T001"],
      ["state", "skip-task", "T001", "done by hand"],
      ["state", "start-task", "T002"],
      ["state", "complete-task", "T002", "--created", "a"],
    ]) {
      await other.must(...words);
      note();
    }
    await eachOf([...seen], async ([position, view]) => {
      const { digest: _, ...replayed } = await other.json("replay", "--at", String(position));
      expect(replayed, `position ${position}`).toEqual(view);
    });
    const { digest: _, ...last } = await other.json("replay");
    expect(last).toEqual(seen.get(other.stateJson().position));
  });

  it("C13 changes nothing", async () => {
    await project.must("replay", "--at", "1");
    expect((await project.json("replay", "--at", "1")).phase.current).toBe("ingestion");
    expect((await expectWhole(project)).phase).toBe("executing");
  });
});

describe("next", () => {
  it("C5 L9 --dry-run shows the step, the same each time, and does not take it", async () => {
    const other = await newProject();
    other.writePlan({ tasks: 1 });
    await other.must("state", "advance");
    const [first, second] = [await other.json("next", "--dry-run"), await other.json("next", "--dry-run")];
    expect(first).toEqual(second);
    expect(first).toMatchObject({ currentPhase: "logical", action: "job" });
    expect((await other.status()).phase).toBe("logical");
    await other.must("state", "validate", "capability_map");
    expect(await other.json("next")).toMatchObject({
      currentPhase: "logical",
      suggestedNext: "physical",
      done: true,
    });
    expect((await other.status()).phase).toBe("physical");
  });

  it("C5 --explain prints the rule that fired and the facts it saw", async () => {
    const { out } = await project.must("next", "--dry-run", "--explain");
    expect(out).toContain("work = open");
    expect(out).toContain("-> tasks are open: fired");
    expect(out).toMatch(/every task is complete or skipped: work is open, not done/);
  });

  it("L9 exits 1 with the hint when there is nothing to go on to", async () => {
    const other = await newProject();
    const ran = await other.heddle("next");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("there is no specification");
    expect(ran.out).toContain("inputs/spec.md");
  });

  it("C9 L10 --override takes a reason to a phase that can be reached, and both are in the history", async () => {
    const other = await newProject();
    expectRefused(await other.heddle("next", "--override", " "), /reason/);
    expectRefused(await other.heddle("next", "--override", "r", "--to", "complete"), /cannot be reached/);
    await other.must("next", "--override", "the specification is in my head", "--to", "logical");
    expect((await expectWhole(other)).phase).toBe("logical");
    expect((await other.history()).at(-1)?.fact).toMatchObject({
      kind: "overridden",
      reason: "the specification is in my head",
      phase: "logical",
    });
    expect(readFileSync(other.path(".heddle/logs/activity.log"), "utf8")).toContain("in my head");
  });
});
