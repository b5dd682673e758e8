// What every journal must do, whatever is behind it: the contract of `src/journal/journal.ts` as tests. The
// implementations' own files call `journalSuite` and add what is theirs alone.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fold, newRun } from "../../src/core/apply.ts";
import type { Input } from "../../src/core/input.ts";
import { type Problem, problem } from "../../src/core/problem.ts";
import { taskOf } from "../../src/core/run.ts";
import { carryOut, type Draft } from "../../src/core/step.ts";
import { backOffs, readyTasks } from "../../src/core/table.ts";
import { type Journal, StoreFailure, type Target } from "../../src/journal/journal.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { Conversation, definition } from "../core/plan.ts";
import { input, textOf, toReady } from "./inputs.ts";

/** A clock that gives every fact another second. */
export function ticking(): () => string {
  let seconds = 0;
  return () => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds++).toISOString();
}

export const create: Input = { kind: "create", targetDir: "/target", planningDir: "/planning" };

export const carrying =
  (...inputs: readonly Input[]) =>
  (draft: Draft): readonly Problem[] =>
    inputs.flatMap((each) => carryOut(draft, each));

/** Submits one input, as an App does. */
export async function submit(journal: Journal, target: Target | string, ...inputs: readonly Input[]) {
  return journal.transact(
    typeof target === "string" ? { run: target } : target,
    "tester",
    carrying(...inputs),
  );
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StoreFailure) return error.problem.code;
    throw error;
  }
  return "no failure";
}

async function gathered<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of all) found.push(each);
  return found;
}

export const codesOf = (problems: readonly Problem[]) => problems.map(({ code }) => code);

const plan = { protocol: "decomposition" } as const;

export function journalSuite(name: string, open: () => Journal | Promise<Journal>, runs = 50): void {
  let journal: Journal;
  beforeEach(async () => {
    journal = await open();
  });
  afterEach(() => journal.close());

  describe(`${name}: transact`, () => {
    it("C1 commits the facts of one decision together, with who and when", async () => {
      const committed = await submit(journal, plan, create, { kind: "halt", reason: "lunch" });
      expect(committed).toMatchObject({ run: "plan-1", position: 2, problems: [] });
      expect(committed.entries.map(({ position, by, fact }) => [position, by, fact.kind])).toEqual([
        [1, "tester", "run-created"],
        [2, "tester", "halt-requested"],
      ]);
      expect(await journal.entries("plan-1")).toEqual(committed.entries);
    });

    it("C1 shows a decision what it has just recorded", async () => {
      await submit(journal, plan, create);
      let seen: string | undefined;
      await journal.transact({ run: "plan-1" }, "tester", (draft) => {
        draft.record({ kind: "halt-requested", code: "operator", reason: "now", now: false });
        seen = draft.run.halt?.reason;
        return [];
      });
      expect(seen).toBe("now");
    });

    it("C1 leaves nothing of a decision that throws in its middle", async () => {
      await submit(journal, plan, ...toReady());
      const before = await journal.read("plan-1", textOf);
      const history = await journal.entries("plan-1");
      const thrown = journal.transact({ run: "plan-1" }, "tester", (draft) => {
        carryOut(draft, { kind: "start", task: "T001" });
        carryOut(draft, { kind: "load-plan", tasks: [definition("T001"), definition("T009")] });
        throw new Error("half-way");
      });
      await expect(thrown).rejects.toThrow("half-way");
      expect(await journal.read("plan-1", textOf)).toBe(before);
      expect(await journal.entries("plan-1")).toEqual(history);
      expect((await journal.runs()).map((run) => run.position)).toEqual([history.length]);
    });

    it("C1 goes on after a decision that threw, at the next position", async () => {
      await submit(journal, plan, create);
      await journal
        .transact({ run: "plan-1" }, "tester", (draft) => {
          carryOut(draft, { kind: "halt", reason: "lost" });
          throw new Error("half-way");
        })
        .catch(() => {});
      const { entries } = await submit(journal, "plan-1", { kind: "halt", reason: "kept" });
      expect(entries.map(({ position }) => position)).toEqual([2]);
      expect(await journal.read("plan-1", (run) => run.halt?.reason)).toBe("kept");
    });

    it("C1 makes no run of a decision that throws, and its name stays free", async () => {
      const thrown = journal.transact(plan, "tester", (draft) => {
        carryOut(draft, create);
        throw new Error("half-way");
      });
      await expect(thrown).rejects.toThrow("half-way");
      expect(await journal.runs()).toEqual([]);
      expect(await codeOf(journal.read("plan-1", () => {}))).toBe("unknown-run");
      expect((await submit(journal, plan, create)).run).toBe("plan-1");
    });

    it("C1 makes no run of a decision that records nothing", async () => {
      const refusal = problem("no", "refused");
      const { problems, entries } = await journal.transact(plan, "tester", () => [refusal]);
      expect([problems, entries]).toEqual([[refusal], []]);
      expect(await journal.runs()).toEqual([]);
      expect(await codeOf(journal.read("plan-1", () => {}))).toBe("unknown-run");
    });

    it("C1 commits the facts that stand beside a refusal", async () => {
      await submit(journal, plan, create);
      const { problems, entries } = await submit(
        journal,
        "plan-1",
        { kind: "repair-view", view: "state.json", was: "missing" },
        { kind: "start", task: "T001" },
      );
      expect(problems.map(({ code }) => code)).toEqual(["unknown-task"]);
      expect(entries.map(({ fact }) => fact.kind)).toEqual(["view-repaired"]);
      expect((await journal.entries("plan-1", { after: 1 })).map(({ fact }) => fact.kind)).toEqual([
        "view-repaired",
      ]);
    });

    it("C1 writes nothing for a refusal alone", async () => {
      await submit(journal, plan, create);
      const { position, entries } = await submit(journal, "plan-1", { kind: "start", task: "T001" });
      expect([position, entries]).toEqual([1, []]);
      expect(await journal.entries("plan-1")).toHaveLength(1);
    });

    it("C4 takes turns when many are asked for at once: none is lost, each sees the one before", async () => {
      await submit(journal, plan, create);
      const asked = Array.from({ length: 20 }, (_, at) =>
        submit(journal, "plan-1", { kind: "repair-view", view: `v${at}`, was: "missing" }),
      );
      const positions = (await Promise.all(asked)).map(({ position }) => position);
      expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
      expect(await journal.entries("plan-1")).toHaveLength(21);
    });
  });

  describe(`${name}: runs`, () => {
    it("names runs after their protocol and counts them", async () => {
      const named = [];
      for (const protocol of [
        "decomposition",
        "lifecycle",
        "decomposition",
        "mission",
        "tuning",
        "lifecycle",
      ])
        named.push((await submit(journal, { protocol }, create)).run);
      expect(named).toEqual(["plan-1", "task-1", "plan-2", "mission-1", "tune-1", "task-2"]);
      expect((await journal.runs()).map(({ id }) => id)).toEqual(named);
    });

    it("lists phase, position and archived as they are now", async () => {
      await submit(journal, plan, create);
      await submit(journal, "plan-1", { kind: "override", reason: "r", to: "logical", digests: {} });
      await submit(journal, "plan-1", { kind: "archive", reason: "r" });
      expect(await journal.runs()).toEqual([
        { id: "plan-1", protocol: "decomposition", phase: "logical", archived: true, position: 3 },
      ]);
    });

    it("keeps runs apart: a fact of one is no fact of another", async () => {
      await submit(journal, plan, create);
      await submit(journal, plan, create);
      await submit(journal, "plan-2", { kind: "halt", reason: "two" });
      expect(await journal.read("plan-1", (run) => run.halt)).toBeNull();
      expect(await journal.entries("plan-1")).toHaveLength(1);
      expect(await journal.entries("plan-2")).toHaveLength(2);
    });

    it("D1 refuses a second active run of a protocol where there may be one alone, and says which is there", async () => {
      await submit(journal, { ...plan, alone: true }, create);
      const { run, problems, entries } = await submit(journal, { ...plan, alone: true }, create);
      expect([run, problems.map(({ code }) => code), entries]).toEqual(["plan-1", ["run-exists"], []]);
      expect(await journal.runs()).toHaveLength(1);
    });

    it("D1 begins a new run once the old one is archived, and beside those of other protocols", async () => {
      await submit(journal, { protocol: "lifecycle", alone: true }, create);
      await submit(journal, { ...plan, alone: true }, create);
      await submit(journal, "plan-1", { kind: "archive", reason: "anew" });
      expect((await submit(journal, { ...plan, alone: true }, create)).run).toBe("plan-2");
    });

    it("X29 refuses a second active run in one folder, and allows one in another", async () => {
      await submit(journal, { ...plan, alone: { folder: "/elsewhere" } }, create);
      const there = await journal.read("plan-1", (run) => run.planningDir);
      const second = await submit(journal, { ...plan, alone: { folder: there } }, create);
      expect(second.problems).toMatchObject([{ code: "run-exists" }]);
      expect((await submit(journal, { ...plan, alone: { folder: "/elsewhere" } }, create)).run).toBe(
        "plan-2",
      );
    });

    it("C14 refuses a run that does not exist, whatever is asked of it", async () => {
      await submit(journal, plan, create);
      expect(await codeOf(submit(journal, "plan-9", { kind: "halt", reason: "x" }))).toBe("unknown-run");
      expect(await codeOf(journal.read("plan-9", () => {}))).toBe("unknown-run");
      expect(await codeOf(journal.entries("plan-9"))).toBe("unknown-run");
    });
  });

  describe(`${name}: looking`, () => {
    it("C13 gives entries by range, oldest first", async () => {
      await submit(journal, plan, ...toReady([]).slice(0, 1), ...toReady().slice(2, 6));
      const positions = async (range?: { after?: number; upTo?: number }) =>
        (await journal.entries("plan-1", range)).map(({ position }) => position);
      expect(await positions()).toEqual([1, 2, 3, 4, 5]);
      expect(await positions({ after: 2 })).toEqual([3, 4, 5]);
      expect(await positions({ upTo: 2 })).toEqual([1, 2]);
      expect(await positions({ after: 1, upTo: 3 })).toEqual([2, 3]);
      expect(await positions({ after: 5 })).toEqual([]);
      expect(await positions({ after: 3, upTo: 3 })).toEqual([]);
    });

    it("C13 gives entries of some kinds alone, in their order", async () => {
      await submit(journal, plan, ...toReady());
      const all = await journal.entries("plan-1");
      const kinds = ["task-defined", "plan-loaded"] as const;
      const wanted = all.filter(({ fact }) => kinds.some((kind) => kind === fact.kind));
      expect(wanted.length).toBeGreaterThan(1);
      expect(await journal.entries("plan-1", { kinds })).toEqual(wanted);
      expect(await journal.entries("plan-1", { kinds, after: wanted[0]?.position ?? 0 })).toEqual(
        wanted.slice(1),
      );
      expect(await journal.entries("plan-1", { kinds: [] })).toEqual([]);
    });

    it("X3 gives ready tasks whole, in the order of their ids, before and after a change", async () => {
      await submit(journal, plan, ...toReady());
      const both = () =>
        journal.read("plan-1", ({ tasks }) => [
          tasks.ready(2),
          Array.from(readyTasks(tasks, 2), ({ def }) => def.id),
          backOffs(tasks).filter((timeMs) => timeMs > 0),
        ]);
      const [ids, whole, none] = await both();
      expect([whole, none]).toEqual([ids, []]);
      await journal
        .transact({ run: "plan-1" }, "test", ({ run }) => {
          const [first = ""] = run.tasks.ready(1);
          const task = taskOf(run, first);
          task.notBeforeMs = 700;
          run.tasks.set(task);
          expect(backOffs(run.tasks)).toContain(700);
          expect(Array.from(readyTasks(run.tasks, 2), ({ def }) => def.id)).toEqual(run.tasks.ready(2));
          throw new Error("not kept");
        })
        .catch((error: Error) => expect(error.message).toBe("not kept"));
    });

    it("hands on what a look gives, and what it throws, and goes on", async () => {
      await submit(journal, plan, create);
      expect(await journal.read("plan-1", (run) => run.phase)).toBe("ingestion");
      const thrown = journal.read("plan-1", () => {
        throw new Error("looked away");
      });
      await expect(thrown).rejects.toThrow("looked away");
      expect(await journal.read("plan-1", (run) => run.phase)).toBe("ingestion");
    });

    it("C3 gives turns one after another, and each may use the journal", async () => {
      await submit(journal, plan, create);
      const order: string[] = [];
      const turn = (name: string) =>
        journal.lease(async () => {
          order.push(`${name} begins`);
          await submit(journal, "plan-1", { kind: "repair-view", view: name, was: "missing" });
          order.push(`${name} ends`);
        });
      await Promise.all(["one", "two", "three"].map(turn));
      const names = order.filter((_, at) => at % 2 === 0).map((line) => line.split(" ")[0]);
      expect(order).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
      expect(await journal.entries("plan-1")).toHaveLength(4);
    });

    it("goes on after a turn that threw", async () => {
      await submit(journal, plan, create);
      const thrown = journal.lease(async () => {
        throw new Error("disk");
      });
      await expect(thrown).rejects.toThrow("disk");
      expect(await journal.lease(async () => "next")).toBe("next");
      expect((await submit(journal, "plan-1", { kind: "halt", reason: "x" })).position).toBe(2);
    });

    it("ends its changes when it is told to, and when it is closed", async () => {
      await submit(journal, plan, create);
      const ended = new AbortController();
      const told = gathered(journal.changes(ended.signal));
      await journal.read("plan-1", () => {});
      ended.abort();
      expect(await told).toEqual([]);
      const aborted = AbortSignal.abort();
      expect(await gathered(journal.changes(aborted))).toEqual([]);
    });

    it("verifies what it wrote itself", async () => {
      await submit(journal, plan, ...toReady());
      await submit(journal, "plan-1", { kind: "start", task: "T001" });
      expect(await journal.verify()).toEqual([]);
    });

    it("may be closed twice", () => {
      journal.close();
      expect(() => journal.close()).not.toThrow();
    });
  });

  describe(`${name}: any order of events`, () => {
    it("C13 is the fold of its entries, and earlier entries never change", { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(input, { maxLength: 40 }), async (inputs) => {
          const fresh = await open();
          try {
            await submit(fresh, plan, ...toReady());
            const model = new Conversation();
            for (const each of toReady()) model.submit(each);
            let history = JSON.stringify(await fresh.entries("plan-1"));
            for (const each of inputs) {
              const { problems } = await submit(fresh, "plan-1", each);
              expect(codesOf(problems)).toEqual(codesOf(model.submit(each).problems));
              const longer = JSON.stringify(await fresh.entries("plan-1"));
              expect(longer.startsWith(history.slice(0, -1))).toBe(true);
              history = longer;
            }
            const folded = fold(newRun("plan-1", decomposition), await fresh.entries("plan-1"));
            expect(await fresh.read("plan-1", textOf)).toBe(textOf(folded));
            expect(await fresh.verify()).toEqual([]);
          } finally {
            fresh.close();
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
