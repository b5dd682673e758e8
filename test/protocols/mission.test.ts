// One test per row of the mission's table, written from the requirements.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import type { Fact } from "../../src/core/fact.ts";
import { mayRetry } from "../../src/core/policy.ts";
import { type Run, taskOf } from "../../src/core/run.ts";
import { currentPhase, gapCount, mission, missionInputs } from "../../src/packs/mission/protocol.ts";
import { currentTask } from "../../src/packs/mission/subjects.ts";
import { hintText } from "../../src/view/hint.ts";
import { definition } from "../core/plan.ts";
import { decided, look, put, stage } from "./stage.ts";

const ids = ["01-01", "01-02", "01-03"];

function happen(run: Run, ...facts: readonly Fact[]): void {
  for (const fact of facts) apply(run, { position: run.position + 1, at: "", by: "test", fact });
}

function at(phase: string, tasks: readonly string[] = ids): Run {
  const run = stage(mission, phase);
  put(run, "context");
  put(run, "research", { from: ["context"] });
  planned(run, { digest: "plan 1", tasks });
  return run;
}

function planned(run: Run, { digest, tasks }: { digest: string; tasks: readonly string[] }): void {
  put(run, "plan", { digest, content: { tasks }, from: missionInputs.plan ?? [] });
  for (const [index, id] of tasks.entries()) {
    const before = tasks[index - 1];
    const task = definition(id, {
      dependsOn: before === undefined ? [] : [before],
      digest: `${digest} ${id}`,
    });
    happen(run, { kind: "task-defined", task, reset: run.tasks.get(id) !== undefined });
  }
}

const started = (task: string, attempt: number): Fact => ({
  kind: "task-started",
  task,
  attempt,
  driver: "engine",
  runMs: 0,
  dueMs: null,
  base: "c0",
});
const done = (task: string, attempt = 1): Fact => ({
  kind: "task-completed",
  task,
  attempt,
  created: [],
  modified: [],
  done: "verified",
});
const why = { error: "it is red", category: "test", subcategory: null, retryable: true };

function complete(run: Run, ...tasks: readonly string[]): void {
  for (const task of tasks) happen(run, started(task, 1), done(task));
}

function asks(run: Run, task: string, what: string): void {
  const id = `${task}-1-${what}`;
  happen(
    run,
    started(task, 1),
    { kind: "question-asked", id, text: "?", options: [], about: task },
    { kind: "attempt-paused", task, attempt: 1, reason: "it asked a question", runMs: 0 },
  );
}

function executed(phase: string): Run {
  const run = at(phase);
  complete(run, ...ids);
  return run;
}

function verified(phase: string, passed: boolean): Run {
  const run = executed(phase);
  put(run, "verification", { content: { passed, tip: null }, from: ["plan"] });
  return run;
}

const next = (run: Run) => {
  const found = currentTask(run);
  return found && { id: found.task.def.id, index: found.index };
};

describe("M1 the start", () => {
  it.each(["start", "research", "planning", "executing", "verifying"])(
    "M1 without context.md, %s halts: Project not initialized",
    (phase) => {
      const run = at(phase);
      const gone = { digests: { context: null } };
      expect(decided(run, gone)).toBe("halt not_initialized");
      expect(look(run, gone).rule?.name).toContain("Project not initialized");
    },
  );
  it("M1 a new run begins with phase 1 and goes on to research", () => {
    const run = stage(mission);
    expect(decided(run)).toBe("halt not_initialized");
    put(run, "context");
    expect(decided(run)).toBe("go research");
    expect(currentPhase(run)).toBe(1);
  });
});

describe("M2 research", () => {
  it("M2 is done when it is missing, invalid or out of date", () => {
    const run = stage(mission, "research");
    put(run, "context");
    expect(decided(run)).toBe("job researcher research");
    put(run, "research", { valid: false });
    expect(decided(run)).toBe("job researcher research");
    put(run, "research", { from: ["context"] });
    put(run, "context", { digest: "context 2" });
    expect(decided(run)).toBe("job researcher research");
  });
  it("M2 is done once", () => {
    const run = stage(mission, "research");
    put(run, "context");
    run.vars.research_done = true;
    expect(decided(run)).toBe("go planning");
    run.vars.research_done = false;
    put(run, "research");
    expect(decided(run)).toBe("go planning");
    const ways = mission.rules.flatMap(({ then }) => (then.kind === "go" ? [then.to] : []));
    expect(ways.filter((to) => to === "research")).toHaveLength(1);
  });
});

describe("M3 the plan", () => {
  it("M3 is made when it is missing, invalid or out of date", () => {
    const run = at("planning");
    expect(decided(run, { digests: { plan: null } })).toBe("job mission-planner plan");
    expect(decided(run, { digests: { plan: "edited" } })).toBe("job mission-planner plan");
    put(run, "plan", { valid: false });
    expect(decided(run)).toBe("job mission-planner plan");
  });
  it("M3 a plan without readable tasks is invalid", () => {
    const run = at("planning");
    for (const tasks of [[], [1, 2]]) {
      put(run, "plan", { content: { tasks }, from: missionInputs.plan ?? [] });
      expect(decided(run)).toBe("job mission-planner plan");
    }
  });
  it("M3 a valid plan is executed", () => {
    expect(decided(at("planning"))).toBe("go executing");
  });
});

describe("M4 the tasks", () => {
  it("M4 are worked on strictly in order", () => {
    const run = at("executing");
    for (const [index, id] of ids.entries()) {
      expect(next(run)).toEqual({ id, index });
      expect(run.tasks.ready(9)).toEqual([id]);
      expect(decided(run)).toBe("tasks");
      complete(run, id);
    }
    expect(next(run)).toBeNull();
    expect(decided(run)).toBe("go verifying");
  });
  it("M4 a skipped task is passed over", () => {
    const run = at("executing");
    happen(run, { kind: "task-skipped", task: "01-01", reason: "done before" });
    expect(next(run)).toEqual({ id: "01-02", index: 1 });
  });
  it("M4 without tasks it halts", () => {
    const run = at("executing", []);
    put(run, "plan", { content: { tasks: ids }, from: missionInputs.plan ?? [] });
    expect(decided(run)).toBe("halt no_tasks");
  });
});

describe("M5 what an executor reports", () => {
  it("M5 checkpoint halts until it is answered; then the task goes on", () => {
    const run = at("executing");
    asks(run, "01-01", "decision_required");
    expect(decided(run)).toBe("halt checkpoint_required");
    happen(run, { kind: "question-answered", id: "01-01-1-decision_required", answer: "yes" });
    expect(decided(run)).toBe("tasks");
  });
  it("M5 blocked halts with its own code", () => {
    const run = at("executing");
    asks(run, "01-01", "blocked");
    expect(decided(run)).toBe("halt task_blocked");
  });
  it("M5 failed is retried three times, then halts: Task Failed", () => {
    const run = at("executing");
    const task = () => taskOf(run, "01-01");
    for (const attempt of [1, 2, 3]) {
      happen(run, started("01-01", attempt));
      expect(mayRetry(run, task(), true)).toBe(true);
      happen(run, { kind: "attempt-failed", task: "01-01", attempt, ...why, runMs: 0, notBeforeMs: 0 });
      expect(decided(run)).toBe("tasks");
    }
    happen(run, started("01-01", 4));
    expect(mayRetry(run, task(), true)).toBe(false);
    happen(run, { kind: "task-failed", task: "01-01", attempt: 4, ...why });
    expect(decided(run)).toBe("halt task_failed");
    expect(look(run).rule?.name).toContain("Task Failed");
    happen(run, { kind: "task-retried", task: "01-01" });
    expect(decided(run)).toBe("tasks");
    expect(mayRetry(run, task(), true)).toBe(true);
  });
});

describe("M7 verification", () => {
  it("M7 is made when it is missing, invalid, of another plan or of other work", () => {
    const run = executed("verifying");
    expect(decided(run)).toBe("job verifier verification");
    put(run, "verification", { content: {} });
    expect(decided(run)).toBe("job verifier verification");
    const older = verified("verifying", true);
    expect(decided(older, { digests: { verification: "edited" } })).toBe("job verifier verification");
    older.branch = { name: "heddle/mission-1", start: "c0", tip: "c1" };
    expect(decided(older)).toBe("job verifier verification");
  });
  it("M7 passed completes the phase: Phase Complete", () => {
    const run = verified("verifying", true);
    expect(decided(run)).toBe("go done");
    expect(currentPhase(run)).toBe(1);
    happen(run, { kind: "phase-entered", from: "verifying", to: "done", rule: "", counts: null });
    expect(currentPhase(run)).toBe(2);
    expect(decided(run)).toBe("halt phase_complete");
    expect(look(run).rule?.name).toContain("Phase Complete");
    expect(decided(run, { request: "drive" })).toBe("halt phase_complete");
    expect(look(run, { request: "next_phase" }).rule?.then).toEqual({
      kind: "go",
      to: "planning",
      counts: "phases",
    });
    happen(run, { kind: "phase-entered", from: "done", to: "planning", rule: "", counts: "phases" });
    expect(currentPhase(run)).toBe(2);
  });
  it("M7 the next phase gets a plan of its own, and its index starts at 0", () => {
    const run = verified("planning", true);
    expect(decided(run)).toBe("job mission-planner plan");
    planned(run, { digest: "plan 2", tasks: ids });
    expect(decided(run)).toBe("go executing");
    expect(next(run)).toEqual({ id: "01-01", index: 0 });
  });
  it("M7 gaps lead to a gap plan, twice at most, then the mission halts", () => {
    const run = verified("verifying", false);
    for (const gaps of [1, 2]) {
      expect(look(run).rule?.then).toEqual({ kind: "go", to: "planning", counts: "gaps" });
      happen(run, { kind: "phase-entered", from: "verifying", to: "planning", rule: "", counts: "gaps" });
      expect(decided(run)).toBe("job mission-planner plan");
      expect(gapCount(run)).toBe(gaps);
      run.phase = "verifying";
    }
    expect(decided(run)).toBe("halt gaps_remain");
    run.vars.gaps_before = 2;
    expect(gapCount(run)).toBe(0);
    expect(decided(run)).toBe("go planning");
  });
});

describe("what was there and is gone", () => {
  it.each(["executing", "verifying"])("M3 %s without its plan plans again, five times at most", (phase) => {
    const run = executed(phase);
    const gone = { digests: { plan: null } };
    expect(decided(run, gone)).toBe("go planning");
    run.counters.returns = 5;
    expect(decided(run, gone)).toBe("halt plan_lost");
  });
  it("M4 verifying with a task that is open again executes it, five times at most", () => {
    const run = executed("verifying");
    happen(run, { kind: "task-undone", task: "01-02", commit: "c2", reason: "no" });
    expect(decided(run)).toBe("go executing");
    run.counters.returns = 5;
    expect(decided(run)).toBe("halt tasks_reopened");
  });
});

describe("a plan that is handed over", () => {
  it.each(["planning", "executing"])("M3 in %s goes to a decomposition, when that was asked for", (phase) => {
    const run = at(phase);
    expect(decided(run)).not.toBe("go handed_over");
    run.vars.hand_over = true;
    expect(decided(run)).toBe("go handed_over");
  });
  it("M9 waits there, and only what is given back completes the phase", () => {
    const run = at("handed_over");
    expect(decided(run)).toBe("halt handed_over");
    expect(currentPhase(run)).toBe(1);
    expect(decided(run, { request: "handed_back" })).toBe("go done");
  });
  it("M7 leaves a plan that the next phase does not take for its own", () => {
    const run = at("planning");
    put(run, "plan", { digest: "plan 1", content: { tasks: ids, generation: "1.0" } });
    expect(decided(run)).toBe("go executing");
    run.counters.phases = 1;
    expect(decided(run)).toBe("job mission-planner plan");
  });
});

describe("M9 halts", () => {
  it("M9 each has a code, a sentence and a way on", () => {
    const halts = mission.rules.filter((each) => each.then.kind === "halt");
    expect(halts.length).toBeGreaterThan(7);
    for (const { name, then } of halts) {
      if (then.kind !== "halt") continue;
      expect(then.code).toMatch(/^[a-z_]+$/);
      expect(hintText(then.hint)).toContain("heddle ");
      expect(name.length).toBeGreaterThan(10);
    }
  });
  it("M2 M3 M7 the roles are the documents'", () => {
    const roles = mission.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : []));
    expect([...new Set(roles)].sort()).toEqual(["mission-planner", "researcher", "verifier"]);
  });
});
