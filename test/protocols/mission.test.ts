// One test per row of the mission's table, written from the requirements.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import type { Json, Run } from "../../src/core/run.ts";
import { currentTask, mission, missionInputs, summaryOf } from "../../src/protocols/mission/protocol.ts";
import { aboutArtifact } from "../../src/protocols/subject.ts";
import { decided, look, put, stage } from "./stage.ts";

const tasks = ["01-01", "01-02", "01-03"];

function at(phase: string, content: Readonly<Record<string, Json>> = { tasks }): Run {
  const run = stage(mission, phase);
  put(run, "context");
  put(run, "research", { from: ["context"] });
  put(run, "plan", { content, from: missionInputs.plan ?? [] });
  return run;
}

function sum(run: Run, task: string, content: Readonly<Record<string, Json>>): void {
  put(run, summaryOf(task), { content, from: ["plan"] });
}

const complete = { status: "complete", verified: true };

function executed(phase: string): Run {
  const run = at(phase);
  for (const task of tasks) sum(run, task, complete);
  return run;
}

function verified(phase: string, passed: boolean): Run {
  const run = executed(phase);
  put(run, "verification", { content: { passed }, from: ["plan"] });
  return run;
}

function answer(run: Run, name: string): void {
  const artifact = run.artifacts[name];
  if (!artifact) throw new Error(`bug: no ${name}`);
  const about = aboutArtifact(artifact);
  run.questions.push({
    id: "q",
    text: "?",
    options: [],
    about,
    askedAt: "",
    answer: "go on",
    answeredBy: "me",
  });
}

const next = (run: Run) => currentTask({ run, request: null, digests: {} });

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
  it("M1 a new run begins at its first task and goes on to research", () => {
    const run = stage(mission);
    expect(decided(run)).toBe("halt not_initialized");
    put(run, "context");
    expect(decided(run)).toBe("go research");
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
  });
});

describe("M3 the plan", () => {
  it("M3 is made when it is missing or out of date", () => {
    const run = at("planning");
    expect(decided(run, { digests: { plan: null } })).toBe("job planner plan");
    expect(decided(run, { digests: { plan: "edited" } })).toBe("job planner plan");
  });
  it("M3 is tried three times, then the mission halts", () => {
    const run = at("planning");
    for (const tries of [1, 2]) {
      put(run, "plan", { valid: false, content: { tries } });
      expect(decided(run)).toBe("job planner plan");
    }
    put(run, "plan", { valid: false, content: { tries: 3 } });
    expect(decided(run)).toBe("halt plan_invalid");
  });
  it("M3 a plan without readable tasks is invalid", () => {
    expect(decided(at("planning", { tasks: [] }))).toBe("job planner plan");
    expect(decided(at("planning", { tasks: [1, 2] }))).toBe("job planner plan");
  });
  it("M3 a valid plan is executed", () => {
    expect(decided(at("planning"))).toBe("go executing");
  });
});

describe("M4 the tasks", () => {
  it("M4 are worked on strictly in order", () => {
    const run = at("executing");
    for (const [index, id] of tasks.entries()) {
      expect(next(run)).toEqual({ id, index });
      expect(decided(run)).toBe("job executor summary");
      sum(run, id, complete);
    }
    expect(next(run)).toBeNull();
    expect(decided(run)).toBe("go verifying");
  });
  it("M4 begin at current_task_idx", () => {
    const run = at("executing");
    run.vars.current_task_idx = 1;
    expect(next(run)).toEqual({ id: "01-02", index: 1 });
  });
  it("M4 a later task that is complete does not let an earlier one be passed over", () => {
    const run = at("executing");
    sum(run, "01-03", complete);
    expect(next(run)?.id).toBe("01-01");
  });
});

describe("M5 what an executor reports", () => {
  it("M5 checkpoint halts until it is answered, and the executor goes on with the answer", () => {
    const run = at("executing");
    sum(run, "01-01", { status: "checkpoint" });
    expect(decided(run)).toBe("halt checkpoint_required");
    answer(run, summaryOf("01-01"));
    expect(decided(run)).toBe("job executor summary");
    put(run, summaryOf("01-01"), { digest: "another", content: { status: "checkpoint" }, from: ["plan"] });
    expect(decided(run)).toBe("halt checkpoint_required");
  });
  it("M5 failed is retried three times, then halts: Task Failed", () => {
    const run = at("executing");
    for (const retries of [0, 1, 2]) {
      sum(run, "01-01", { status: "failed", retries });
      expect(decided(run)).toBe("job executor summary");
    }
    sum(run, "01-01", { status: "failed", retries: 3 });
    expect(decided(run)).toBe("halt task_failed");
    expect(look(run).rule?.name).toContain("Task Failed");
    answer(run, summaryOf("01-01"));
    expect(decided(run)).toBe("job executor summary");
  });
  it("M5 the retries of one task are not another's", () => {
    const run = at("executing");
    sum(run, "01-01", { ...complete, retries: 3 });
    sum(run, "01-02", { status: "failed", retries: 0 });
    expect(decided(run)).toBe("job executor summary");
  });
  it("M5 blocked halts", () => {
    const run = at("executing");
    sum(run, "01-01", { status: "blocked" });
    expect(decided(run)).toBe("halt task_blocked");
  });
  it("M5 a summary of the wrong shape costs a retry", () => {
    const run = at("executing");
    sum(run, "01-01", { status: "done" });
    expect(decided(run)).toBe("job executor summary");
    sum(run, "01-01", { status: "done", retries: 3 });
    expect(decided(run)).toBe("halt task_failed");
  });
});

describe("M6 evidence", () => {
  it("M6 complete counts only with the command's word", () => {
    const run = at("executing");
    sum(run, "01-01", { status: "complete" });
    expect(next(run)?.id).toBe("01-01");
    sum(run, "01-01", { status: "complete", verified: "yes" });
    expect(next(run)?.id).toBe("01-01");
    sum(run, "01-01", complete);
    expect(next(run)?.id).toBe("01-02");
  });
  it("M6 complete whose command fails is a failure", () => {
    const run = at("executing");
    sum(run, "01-01", { status: "complete", verified: false, retries: 3 });
    expect(decided(run)).toBe("halt task_failed");
  });
});

describe("M7 verification", () => {
  it("M7 is made when it is missing, invalid or of another plan", () => {
    const run = executed("verifying");
    expect(decided(run)).toBe("job verifier verification");
    put(run, "verification", { content: {} });
    expect(decided(run)).toBe("job verifier verification");
    const older = verified("verifying", true);
    expect(decided(older, { digests: { verification: "edited" } })).toBe("job verifier verification");
  });
  it("M7 passed completes the phase: Phase Complete", () => {
    expect(decided(verified("verifying", true))).toBe("go done");
    const run = verified("done", true);
    expect(decided(run)).toBe("halt phase_complete");
    expect(look(run).rule?.name).toContain("Phase Complete");
    expect(decided(run, { request: "drive" })).toBe("halt phase_complete");
    expect(decided(run, { request: "next_phase" })).toBe("go planning");
  });
  it("M7 the next phase gets a plan of its own, and its index starts at 0", () => {
    const run = verified("planning", true);
    expect(decided(run)).toBe("job planner plan");
    put(run, "plan", { digest: "plan 2", content: { tasks }, from: missionInputs.plan ?? [] });
    expect(decided(run)).toBe("go executing");
    expect(next(run)).toEqual({ id: "01-01", index: 0 });
  });
  it("M7 gaps lead to a gap plan, twice at most, then the mission halts", () => {
    const run = verified("verifying", false);
    for (const position of [1, 2]) {
      const then = look(run).rule?.then;
      expect(then).toEqual({ kind: "go", to: "planning", counts: "gaps" });
      const fact = {
        kind: "phase-entered" as const,
        from: "verifying",
        to: "planning",
        rule: "",
        counts: "gaps",
      };
      apply(run, { position, at: "", by: "test", fact });
      expect(decided(run)).toBe("job planner plan");
      run.phase = "verifying";
    }
    expect(decided(run)).toBe("halt gaps_remain");
    run.vars.gaps_before = 2;
    expect(decided(run)).toBe("go planning");
  });
  it("M7 a gap plan starts at its first task", () => {
    const run = verified("planning", false);
    put(run, "plan", { digest: "gap plan", content: { tasks: ["01-01"] }, from: missionInputs.plan ?? [] });
    expect(next(run)).toEqual({ id: "01-01", index: 0 });
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
  it("M4 verifying without a summary executes that task again, five times at most", () => {
    const run = executed("verifying");
    const gone = { digests: { [summaryOf("01-02")]: null } };
    expect(decided(run, gone)).toBe("go executing");
    run.counters.returns = 5;
    expect(decided(run, gone)).toBe("halt summary_lost");
  });
});

describe("M9 halts", () => {
  it("M9 each has a code, a sentence and a way on", () => {
    const halts = mission.rules.filter((each) => each.then.kind === "halt");
    expect(halts.length).toBeGreaterThan(7);
    for (const { name, then } of halts) {
      if (then.kind !== "halt") continue;
      expect(then.code).toMatch(/^[a-z_]+$/);
      expect(then.hint).toContain("heddle ");
      expect(name.length).toBeGreaterThan(10);
    }
  });
  it("M2 M3 M4 M7 the roles are the documents'", () => {
    const roles = mission.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : []));
    expect([...new Set(roles)].sort()).toEqual(["executor", "planner", "researcher", "verifier"]);
  });
});
