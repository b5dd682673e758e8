// What may happen to a task, and what follows for the tasks that wait for it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, fork, newRun } from "../../src/core/apply.ts";
import type { Input } from "../../src/core/input.ts";
import { type Run, statuses, taskOf } from "../../src/core/run.ts";
import { isReady, statusOf } from "../../src/core/task.ts";
import { whyRun, whyTask } from "../../src/core/why.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { Conversation, definition, holder, planOf } from "./plan.ts";

const start = (task: string): Input => ({ kind: "start", task });
const complete = (task: string): Input => ({ kind: "complete", task, created: [], modified: [] });
const fail = (task: string, retryable = true): Input => ({
  kind: "fail",
  task,
  error: "red",
  category: "test",
  subcategory: null,
  retryable,
});
const retry = (task: string): Input => ({ kind: "retry", task });
const skip = (task: string): Input => ({ kind: "skip", task, reason: "by hand" });

const status = (run: Run, id: string) => statusOf(taskOf(run, id));
const codes = (conversation: Conversation, input: Input) =>
  conversation.submit(input).problems.map((each) => each.code);

describe("tasks", () => {
  it("X3 offers the steel thread first, then the longest remaining path, then the id", () => {
    const { run } = Conversation.ready("T001 T002 T003 T004<-T003 T005* T006");
    expect(run.tasks.ready()).toEqual(["T005", "T003", "T001", "T002", "T006"]);
  });

  it("X1 the first start moves ready to executing", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    expect(conversation.run.phase).toBe("executing");
  });

  it("X12 refuses a start before the plan is ready, of an unknown, a running, a waiting and a finished task", () => {
    const early = new Conversation();
    early.submit({ kind: "create", targetDir: "/t", planningDir: "/p" });
    early.submit({ kind: "load-plan", tasks: planOf("T001") });
    expect(codes(early, start("T001"))).toEqual(["wrong-phase"]);

    const conversation = Conversation.ready("T001 T002<-T001");
    expect(codes(conversation, start("T999"))).toEqual(["unknown-task"]);
    expect(codes(conversation, start("T002"))).toEqual(["not-ready"]);
    conversation.submit(start("T001"));
    expect(codes(conversation, start("T001"))).toEqual(["wrong-status"]);
    conversation.submit(complete("T001"));
    expect(codes(conversation, start("T001"))).toEqual(["wrong-status"]);
  });

  it("X12 lets only running tasks complete or fail", () => {
    const conversation = Conversation.ready("T001");
    expect(codes(conversation, complete("T001"))).toEqual(["wrong-status"]);
    expect(codes(conversation, fail("T001"))).toEqual(["wrong-status"]);
    conversation.submit(start("T001"));
    conversation.submit(complete("T001"));
    expect(codes(conversation, fail("T001"))).toEqual(["wrong-status"]);
    expect(status(conversation.run, "T001")).toBe("complete");
  });

  it("X20 marks what a host completes as unverified", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    conversation.submit(complete("T001"));
    expect(taskOf(conversation.run, "T001").done).toBe("claimed");
    expect(conversation.run.unverified).toBe(1);
    expect(whyTask(conversation.run, taskOf(conversation.run, "T001")).reasons[0]).toContain("not verified");
  });

  it("X11 blocks all transitive dependents of a failed task and lets everything else go on", () => {
    const conversation = Conversation.ready("T001 T002<-T001 T003<-T002 T004");
    conversation.submit(start("T001"));
    conversation.submit(fail("T001"));
    expect(["T001", "T002", "T003", "T004"].map((id) => status(conversation.run, id))).toEqual([
      "failed",
      "blocked",
      "blocked",
      "pending",
    ]);
    expect(conversation.run.tasks.ready()).toEqual(["T004"]);
    expect(whyTask(conversation.run, taskOf(conversation.run, "T003")).reasons).toEqual(["T001 failed: red"]);
  });

  it("X12 unblocks by the graph: a task with two failed dependencies waits for both", () => {
    const conversation = Conversation.ready("T001 T002 T003<-T001,T002 T004<-T003");
    for (const id of ["T001", "T002"]) {
      conversation.submit(start(id));
      conversation.submit(fail(id));
    }
    conversation.submit(retry("T001"));
    expect(status(conversation.run, "T004")).toBe("blocked");
    conversation.submit(skip("T002"));
    expect(status(conversation.run, "T004")).toBe("pending");
    conversation.submit(start("T001"));
    conversation.submit(complete("T001"));
    expect(conversation.run.tasks.ready()).toEqual(["T003"]);
  });

  it("X12 starting a failed task counts as a retry", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    conversation.submit(fail("T001"));
    expect(conversation.submit(start("T001")).facts.map((fact) => fact.kind)).toEqual([
      "task-retried",
      "task-started",
    ]);
    expect(taskOf(conversation.run, "T001").attempts).toBe(2);
  });

  it("X12 retries a lost host's running task, and the failed causes of a blocked one", () => {
    const conversation = Conversation.ready("T001 T002<-T001 T003<-T002");
    conversation.submit(start("T001"));
    expect(codes(conversation, retry("T001"))).toEqual([]);
    expect(status(conversation.run, "T001")).toBe("pending");
    conversation.submit(start("T001"));
    conversation.submit(fail("T001"));
    expect(conversation.submit(retry("T003")).facts).toEqual([{ kind: "task-retried", task: "T001" }]);
    expect(status(conversation.run, "T003")).toBe("pending");
  });

  it("X12 keeps to a failure that was final, unless it is forced", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    conversation.submit(fail("T001", false));
    expect(codes(conversation, retry("T001"))).toEqual(["not-retryable"]);
    expect(codes(conversation, start("T001"))).toEqual(["not-retryable"]);
    expect(codes(conversation, { kind: "retry", task: "T001", force: true })).toEqual([]);
  });

  it("C10 starts nothing while halted, but takes completions and failures", () => {
    const conversation = Conversation.ready("T001 T002");
    conversation.submit(start("T001"));
    conversation.submit({ kind: "halt", reason: "lunch" });
    expect(codes(conversation, start("T002"))).toEqual(["halted"]);
    expect(codes(conversation, complete("T001"))).toEqual([]);
    expect(whyRun(conversation.run).hint).toEqual({ do: "resume" });
    conversation.submit({ kind: "resume", stopFile: false });
    expect(codes(conversation, start("T002"))).toEqual([]);
  });

  it("X12 D25 a skipped task still shows when its last attempt began, its files and its verification", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    const began = taskOf(conversation.run, "T001").startedAt;
    conversation.submit(fail("T001"));
    conversation.submit(skip("T001"));
    expect(taskOf(conversation.run, "T001")).toMatchObject({
      state: "skipped",
      startedAt: began,
      attempts: 1,
    });
    expect(began).not.toBeNull();
  });

  it("X15 is complete when every task is complete or skipped, and not while one is failed or blocked", () => {
    const conversation = Conversation.ready("T001 T002<-T001");
    conversation.submit(start("T001"));
    conversation.submit(fail("T001"));
    expect(codes(conversation, { kind: "advance", digests: {} })).toEqual(["gate"]);
    conversation.submit(skip("T001"));
    conversation.submit(start("T002"));
    conversation.submit(complete("T002"));
    conversation.submit({ kind: "advance", digests: {} });
    expect(conversation.run.phase).toBe("complete");
  });

  it("D10 keeps the progress of tasks that did not change, and resets those that did", () => {
    const conversation = Conversation.ready("T001 T002<-T001");
    conversation.submit(start("T001"));
    conversation.submit(complete("T001"));
    conversation.submit({ kind: "load-plan", tasks: [...planOf("T001 T002<-T001"), definition("T003")] });
    expect(status(conversation.run, "T001")).toBe("complete");
    conversation.submit({
      kind: "load-plan",
      tasks: [definition("T001", { digest: "other" }), ...planOf("T002<-T001")],
    });
    expect(status(conversation.run, "T001")).toBe("pending");
    expect(conversation.run.tasks.get("T003")).toBeUndefined();
    expect(conversation.run.tasks.ready()).toEqual(["T001"]);
  });

  it("D10 takes a new phase or steel mark over without resetting anything", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit(start("T001"));
    conversation.submit(complete("T001"));
    conversation.submit({ kind: "load-plan", tasks: [definition("T001", { phase: 3, steel: true })] });
    expect(status(conversation.run, "T001")).toBe("complete");
    expect(taskOf(conversation.run, "T001").def.phase).toBe(3);
  });

  it("X17 an answer of an older attempt or epoch changes nothing", () => {
    const conversation = Conversation.ready("T001");
    conversation.submit({ kind: "claim", holder, alive: false });
    conversation.submit({ kind: "drive", slots: 1, runMs: 0 });
    const late = { kind: "effect-ended", key: "run-agent:T001#1@1", outcome: { ok: true } } as const;
    conversation.submit({ kind: "claim", holder, alive: false });
    expect(codes(conversation, late)).toEqual(["late"]);
    expect(status(conversation.run, "T001")).toBe("running");
  });
});

describe("any order of events", () => {
  const ids = ["T001", "T002", "T003", "T004", "T005", "T006"];
  const plan = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 9 }).map((pairs) =>
    ids.map((id, at) =>
      definition(id, {
        dependsOn: [
          ...new Set(
            pairs
              .filter(([a, b]) => Math.max(a, b) === at && a !== b)
              .map(([a, b]) => ids[Math.min(a, b)] ?? ""),
          ),
        ],
      }),
    ),
  );
  const task = fc.constantFrom(...ids);
  const input: fc.Arbitrary<Input> = fc.oneof(
    task.map(start),
    task.map(complete),
    task.map((id) => fail(id)),
    task.map(retry),
    task.map(skip),
    task.map(
      (id): Input => ({
        kind: "record-verification",
        task: id,
        verdict: "FAIL",
        recommendation: "BLOCK",
        criteria: null,
        quality: null,
        tests: null,
      }),
    ),
    task.map(
      (id): Input => ({
        kind: "record-verification",
        task: id,
        verdict: "PASS",
        recommendation: "PROCEED",
        criteria: null,
        quality: null,
        tests: null,
      }),
    ),
    plan.map((tasks): Input => ({ kind: "load-plan", tasks })),
  );

  it("X12 counts, ready and blocked equal what the graph says, recomputed from scratch", () => {
    fc.assert(
      fc.property(plan, fc.array(input, { maxLength: 60 }), (tasks, inputs) => {
        const conversation = Conversation.ready("T001");
        conversation.submit({ kind: "load-plan", tasks });
        for (const each of inputs) {
          conversation.submit(each);
          expectConsistent(conversation.run);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("C5 the same input on the same state gives the same facts, and changes nothing by being asked", () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 25 }), (inputs) => {
        const one = Conversation.ready("T001 T002<-T001 T003");
        for (const each of inputs) {
          const copy = new Conversation();
          Object.assign(copy, { run: fork(one.run) });
          expect(copy.submit(each)).toEqual(one.submit(each));
        }
      }),
      { numRuns: 100 },
    );
  });

  function expectConsistent(run: Run): void {
    const all = [...run.tasks.all()];
    const settled = (id: string): boolean => {
      const { state, verification } = taskOf(run, id);
      return state === "skipped" || (state === "complete" && verification?.recommendation !== "BLOCK");
    };
    const dead = (id: string): boolean => {
      const each = taskOf(run, id);
      if (each.state === "failed" || (each.state === "complete" && !settled(id))) return true;
      return each.state === "pending" && each.def.dependsOn.some(dead);
    };
    for (const each of all) {
      expect(each.unmet).toBe(each.def.dependsOn.filter((id) => !settled(id)).length);
      expect(statusOf(each)).toBe(
        each.state === "pending" && each.def.dependsOn.some(dead) ? "blocked" : each.state,
      );
      expect([...each.dependents].sort()).toEqual(
        all
          .filter(({ def }) => def.dependsOn.includes(each.def.id))
          .map(({ def }) => def.id)
          .sort(),
      );
    }
    for (const name of statuses)
      expect(run.counts[name]).toBe(all.filter((each) => statusOf(each) === name).length);
    expect([...run.tasks.ready()].sort()).toEqual(
      all
        .filter(isReady)
        .map(({ def }) => def.id)
        .sort(),
    );
    expect([...run.running].sort()).toEqual(
      all
        .filter((each) => each.state === "running")
        .map(({ def }) => def.id)
        .sort(),
    );
    expect(run.unverified).toBe(
      all.filter((each) => each.state === "complete" && each.done !== "verified").length,
    );
  }
});

describe("the fold", () => {
  it("C13 a state rebuilt from the facts is the state that was", () => {
    const conversation = new Conversation();
    const facts = [
      { kind: "create", targetDir: "/t", planningDir: "/p" } as const,
      { kind: "load-plan", tasks: planOf("T001 T002<-T001") } as const,
    ].flatMap((each) => conversation.submit(each).facts);
    const entries = facts.map((fact, at) => ({
      position: at + 1,
      at: "2026-01-01T00:00:00.000Z",
      by: "test",
      fact,
    }));
    const again = fold(newRun("plan-1", decomposition), entries);
    expect({ ...again, tasks: [...again.tasks.all()] }).toEqual({
      ...conversation.run,
      tasks: [...conversation.run.tasks.all()],
    });
  });
});
