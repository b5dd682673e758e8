// Placement: which machine takes which task, what becomes of an attempt whose machine is gone, and what `why` says.
import { describe, expect, it } from "vitest";
import type { AttemptEffect } from "../../src/core/effect.ts";
import type { Fact } from "../../src/core/fact.ts";
import { isAtRest } from "../../src/core/idle.ts";
import type { Outcome } from "../../src/core/input.ts";
import type { Fleet } from "../../src/core/machines/fleet.ts";
import { next } from "../../src/core/next.ts";
import { machineOutcome } from "../../src/core/outcome.ts";
import { taskOf } from "../../src/core/run.ts";
import { whyTask } from "../../src/core/why.ts";
import { goodOutcome } from "./outcome.ts";
import { Conversation, definition, holder } from "./plan.ts";

const machine = (name: string, slots: number, ...labels: string[]) => ({ name, slots, labels });
const fleet = (more: Partial<Fleet> = {}): Fleet => ({
  here: { slots: 0, labels: [] },
  machines: [machine("a", 2), machine("b", 1)],
  wants: {},
  ...more,
});

/** A driven run of these tasks, each with its tags. */
class Driven extends Conversation {
  static of(tasks: Readonly<Record<string, readonly string[]>>, wanted: Fleet): Driven {
    const driven = new Driven();
    driven.submit({ kind: "create", targetDir: "/target", planningDir: "/planning" });
    const plan = Object.entries(tasks).map(([id, tags]) => definition(id, { tags, unchecked: true }));
    driven.submit({ kind: "load-plan", tasks: plan });
    for (const to of ["logical", "physical", "definition", "validation", "sequencing", "ready"])
      driven.submit({ kind: "override", reason: "test", to, digests: {} });
    driven.submit({ kind: "open-branch", name: "heddle/plan-1", start: "main", tip: "main" });
    driven.submit({ kind: "claim", holder, alive: false });
    driven.submit({ kind: "drive", slots: 1, fleet: wanted, runMs: 0 });
    return driven;
  }

  answer(kind: string, about: string, outcome?: Outcome, runMs = 1): readonly Fact[] {
    const found = next(this.run).find(
      (each) =>
        each.kind === kind &&
        [("task" in each && each.task) || ("machine" in each && each.machine)].includes(about),
    );
    if (!found) throw new Error(`nobody wants ${kind} of ${about}`);
    const good = () =>
      "task" in found ? goodOutcome(this.run, found as AttemptEffect) : { ok: true as const };
    return this.submit({ kind: "effect-ended", key: found.key, outcome: outcome ?? good(), runMs }).facts;
  }

  join(name: string, agents?: readonly string[]): readonly Fact[] {
    return this.answer("ask-machine", name, { ok: true, ...(agents && { machine: { agents } }) });
  }

  /** Where each task that runs is worked on. */
  where(): Record<string, string> {
    const at = (id: string) => taskOf(this.run, id).attempt?.machine ?? "here";
    return Object.fromEntries(this.run.running.map((id) => [id, at(id)]));
  }

  why(id: string): string {
    return whyTask(this.run, taskOf(this.run, id)).reasons.join("; ");
  }
}

const many = { T001: [], T002: [], T003: [], T004: [] };

describe("placement", () => {
  it("U5 gives a machine nothing before it has answered, and then no more than its slots", () => {
    const driven = Driven.of(many, fleet());
    expect(driven.where()).toEqual({});
    expect(driven.why("T001")).toContain("it waits for a machine: a is being asked; b is being asked");
    driven.join("a");
    expect(driven.where()).toEqual({ T001: "a", T002: "a" });
    driven.join("b");
    expect(driven.where()).toEqual({ T001: "a", T002: "a", T003: "b" });
    expect(driven.why("T004")).toContain("all 2 slots of a are taken; all 1 slots of b are taken");
  });

  it("U5 fills this machine's slots beside the others', and the emptiest first", () => {
    const driven = Driven.of(many, fleet({ here: { slots: 1, labels: [] } }));
    expect(driven.where()).toEqual({ T001: "here" });
    driven.join("a");
    expect(driven.where()).toEqual({ T001: "here", T002: "a", T003: "a" });
  });

  it("U5 sends a task only where the labels are that its tags ask for, and holds up nobody behind it", () => {
    const wanted = fleet({
      machines: [machine("a", 2), machine("b", 2, "gpu")],
      wants: { train: { labels: ["gpu"] } },
    });
    const driven = Driven.of({ T001: ["gpu"], T002: ["train"], T003: ["gpu"], T004: ["plain"] }, wanted);
    driven.join("a");
    expect(driven.where()).toEqual({ T004: "a" });
    expect(driven.why("T001")).toContain("it waits for a machine with `gpu`: b is being asked");
    driven.join("b");
    expect(driven.where()).toEqual({ T004: "a", T001: "b", T002: "b" });
  });

  it("U5 sends a task only where its agent is, by the first tag that names one", () => {
    const wants = { "": { agents: ["claude"] }, docs: { agents: ["codex"] } };
    const driven = Driven.of({ T001: ["docs"], T002: [] }, fleet({ wants }));
    driven.join("a", ["codex"]);
    expect(driven.where()).toEqual({ T001: "a" });
    driven.join("b", ["codex"]);
    expect(driven.why("T002")).toContain("no machine of the configuration can take it");
    expect(driven.why("T002")).toContain("the agent `claude`");
  });

  it("U5 comes to rest with a task that no machine of the configuration can take, and says so", () => {
    const wants = { moon: { labels: ["moon"] } };
    const driven = Driven.of({ T001: ["moon"] }, fleet({ wants, here: { slots: 1, labels: [] } }));
    expect(isAtRest(driven.run)).toBe(true);
    expect(driven.why("T001")).toContain(
      "no machine of the configuration can take it: it needs one with `moon`",
    );
  });

  it("U5 asks a machine that is away again, ever less often until an attempt gets on there", () => {
    const driven = Driven.of({ T001: [] }, fleet({ machines: [machine("a", 1)] }));
    const [left] = driven.answer("ask-machine", "a", machineOutcome("no route", false), 100);
    expect(left).toMatchObject({ kind: "machine-left", reason: "no route", notBeforeMs: 2100 });
    expect(driven.why("T001")).toContain("a is away (no route)");
    expect(driven.submit({ kind: "tick", runMs: 2099 }).facts).toEqual([]);
    expect(driven.submit({ kind: "tick", runMs: 2100 }).facts).toMatchObject([{ kind: "machine-asked" }]);
    const [again] = driven.answer("ask-machine", "a", machineOutcome("no route", false), 2100);
    expect(again).toMatchObject({ notBeforeMs: 6100 });
    driven.submit({ kind: "tick", runMs: 6100 });
    driven.answer("ask-machine", "a", { ok: true }, 6100);
    driven.answer("prepare-workspace", "T001", { ok: true }, 6200);
    expect(driven.run.fleet?.machines[0]?.failures).toBe(0);
  });

  it("U5 comes back to the machine of the last attempt, where set-up is done", () => {
    const driven = Driven.of({ T001: [] }, fleet({ machines: [machine("a", 1), machine("b", 2)] }));
    driven.join("a");
    expect(driven.where()).toEqual({ T001: "a" });
    driven.join("b");
    const parked: Outcome = { ...machineOutcome("limit", false), kind: "parked", parkMs: 0 };
    driven.answer("prepare-workspace", "T001", parked);
    expect(driven.where()).toEqual({ T001: "a" });
  });

  it("U5 a new orchestrator asks every machine anew", () => {
    const driven = Driven.of({ T001: [], T002: [] }, fleet({ machines: [machine("a", 1)] }));
    const key = next(driven.run).find(({ kind }) => kind === "ask-machine")?.key ?? "";
    driven.join("a");
    driven.submit({ kind: "claim", holder, alive: false });
    expect(driven.run.fleet?.machines[0]?.standing).toBe("away");
    driven.submit({ kind: "tick", runMs: 2 });
    expect(next(driven.run).map(({ kind }) => kind)).toContain("ask-machine");
    const late = driven.submit({ kind: "effect-ended", key, outcome: { ok: true } });
    expect(late.problems.map(({ code }) => code)).toEqual(["late"]);
  });
});

describe("a machine that is gone", () => {
  const one = () => {
    const driven = Driven.of({ T001: [] }, fleet({ machines: [machine("a", 1), machine("b", 1)] }));
    driven.join("a");
    driven.join("b");
    driven.answer("prepare-workspace", "T001");
    return driven;
  };

  it("U5 before an agent began costs neither a try nor a loss, and the attempt goes elsewhere", () => {
    const driven = one();
    driven.answer("run-agent", "T001", machineOutcome("a: it is gone", false));
    const { tries, losses, attempts } = taskOf(driven.run, "T001");
    expect({ tries, losses, attempts }).toEqual({ tries: 1, losses: 0, attempts: 2 });
    expect(driven.where()).toEqual({ T001: "b" });
  });

  it("U5 with an agent's work is a loss by the rules for orphans, and no try", () => {
    const driven = one();
    const key = next(driven.run).find(({ kind }) => kind === "run-agent")?.key ?? "";
    driven.answer("run-agent", "T001", machineOutcome("a: the connection was lost", true));
    const { tries, losses } = taskOf(driven.run, "T001");
    expect({ tries, losses, where: driven.where() }).toEqual({ tries: 1, losses: 1, where: { T001: "b" } });
    const late = driven.submit({ kind: "effect-ended", key, outcome: { ok: true } });
    expect(late.problems.map(({ code }) => code)).toEqual(["late"]);
  });

  it("U5 during the checks loses nothing: they go on here, and the machine's late word changes nothing", () => {
    const wanted = fleet({ here: { slots: 1, labels: [] }, machines: [machine("a", 2)] });
    const driven = Driven.of({ T001: [], T002: [] }, wanted);
    driven.join("a");
    for (const kind of ["prepare-workspace", "run-agent"]) driven.answer(kind, "T002");
    const key = next(driven.run).find((each) => each.kind === "run-checks")?.key ?? "";
    driven.answer("run-checks", "T002", machineOutcome("a: it said nothing for 30 s", false));
    expect(taskOf(driven.run, "T002")).toMatchObject({ tries: 1, losses: 0, attempts: 1 });
    expect(driven.where()).toEqual({ T001: "here", T002: "here" });
    const late = driven.submit({ kind: "effect-ended", key, outcome: { ok: true } });
    expect(late.problems.map(({ code }) => code)).toEqual(["late"]);
    driven.answer("run-checks", "T002");
    expect(taskOf(driven.run, "T002").attempt?.stage).toBe("integrating");
  });

  it("U5 during the checks of what this machine cannot check begins anew elsewhere", () => {
    const wanted = fleet({
      here: { slots: 1, labels: [] },
      machines: [machine("a", 1, "gpu"), machine("b", 1, "gpu")],
    });
    const driven = Driven.of({ T001: ["gpu"] }, wanted);
    driven.join("a");
    driven.join("b");
    for (const kind of ["prepare-workspace", "run-agent"]) driven.answer(kind, "T001");
    driven.answer("run-checks", "T001", machineOutcome("a: gone", false));
    expect(driven.where()).toEqual({ T001: "b" });
    expect(taskOf(driven.run, "T001")).toMatchObject({ tries: 1, attempts: 2 });
  });
});

describe("workers", () => {
  const open = (more: Partial<Fleet> = {}) => fleet({ machines: [], open: true, ...more });
  const found = (name: string, slots = 1, labels: string[] = []) =>
    ({ kind: "find-machine", machine: name, slots, labels, runMs: 1 }) as const;

  it("U5 waits for workers, asks one that joins before it gives it anything, and no more than its slots", () => {
    const driven = Driven.of(many, open());
    expect(isAtRest(driven.run)).toBe(false);
    expect(driven.why("T001")).toContain("it waits for a machine: no worker has joined");
    driven.submit(found("w1", 2));
    expect(driven.where()).toEqual({});
    expect(driven.why("T001")).toContain("w1 is being asked");
    driven.join("w1");
    expect(driven.where()).toEqual({ T001: "w1", T002: "w1" });
  });

  it("U5 gives nothing to a worker that left, and takes one that comes back", () => {
    const driven = Driven.of(many, open());
    driven.submit(found("w1"));
    driven.join("w1");
    driven.submit({ kind: "lose-machine", machine: "w1", reason: "it is not there any more", runMs: 2 });
    expect(driven.run.fleet?.machines).toEqual([]);
    // What it has is not taken from it: that ends by itself, or is lost.
    expect(driven.where()).toEqual({ T001: "w1" });
    driven.answer("prepare-workspace", "T001", machineOutcome("gone", false), 3);
    expect(driven.where()).toEqual({});
    expect(driven.submit({ kind: "lose-machine", machine: "w1", reason: "again", runMs: 4 }).facts).toEqual(
      [],
    );
    driven.submit({ ...found("w1"), runMs: 5 });
    driven.join("w1");
    expect(Object.values(driven.where())).toEqual(["w1"]);
  });

  it("U5 X17 refuses the answer of a worker whose attempt was lost, and one that comes twice", () => {
    const driven = Driven.of({ T001: [] }, open());
    driven.submit(found("w1"));
    driven.join("w1");
    driven.answer("prepare-workspace", "T001");
    const late = next(driven.run).find(({ kind }) => kind === "run-agent");
    if (!late) throw new Error("nobody works");
    driven.answer("run-agent", "T001", machineOutcome("no sign of life", true), 2);
    const again = driven.submit({ kind: "effect-ended", key: late.key, outcome: { ok: true }, runMs: 3 });
    expect(again.problems.map(({ code }) => code)).toEqual(["late"]);
    expect(taskOf(driven.run, "T001").tries).toBe(0);
  });

  it("U5 a worker takes no name of a host, and joins no run that takes none", () => {
    const named = Driven.of(many, open({ machines: [machine("a", 1)] }));
    expect(named.submit(found("a")).problems.map(({ code }) => code)).toEqual(["no-worker"]);
    const closed = Driven.of(many, fleet());
    expect(closed.submit(found("w1")).problems.map(({ code }) => code)).toEqual(["no-worker"]);
  });

  it("U5 a new orchestrator finds workers anew", () => {
    const driven = Driven.of(many, open());
    driven.submit(found("w1"));
    driven.join("w1");
    driven.submit({ kind: "claim", holder, alive: false });
    expect(driven.run.fleet?.machines).toEqual([]);
    expect(driven.run.fleet?.open).toBe(true);
  });

  it("U5 a label that no worker has is waited for", () => {
    const wants = { train: { labels: ["gpu"] } };
    const driven = Driven.of({ T001: ["train"], T002: [] }, open({ wants }));
    driven.submit(found("w1", 2));
    driven.join("w1");
    expect(driven.where()).toEqual({ T002: "w1" });
    expect(driven.why("T001")).toContain(
      "it waits for a machine with `gpu`: no worker with `gpu` has joined",
    );
    expect(isAtRest(driven.run)).toBe(false);
    driven.submit(found("w2", 1, ["gpu"]));
    driven.join("w2");
    expect(driven.where()).toEqual({ T002: "w1", T001: "w2" });
  });
});
