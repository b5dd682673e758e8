// Machines of a run, as the simulation knows them: who was asked and what it really said, how many attempts each may have, and
// what must be true of every fact about them (U5). A copy of placement's rules on purpose: the code under test is not asked.
import type { FactKind } from "../../src/core/fact.ts";
import type { Fleet } from "../../src/core/machines/fleet.ts";
import type { TaskDef } from "../../src/core/run.ts";
import type { Ledger, TaskRecord } from "./ledger.ts";
import type { Random } from "./random.ts";
import type { Rules, Said, Scene } from "./rules.ts";
import { current, saidOf } from "./rules-attempt.ts";

export interface MachineRecord {
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
  standing: "away" | "asking" | "there";
  notBeforeMs: number;
}

/** One that can take everything, so that every run can come to its end; and perhaps others. */
export function drawFleet(random: Random): Fleet | undefined {
  if (!random.chance(0.4)) return undefined;
  const others = random.chance(0.5) ? [{ name: "m2", slots: random.between(1, 2), labels: [] }] : [];
  return {
    here: { slots: random.between(0, 2), labels: random.chance(0.3) ? ["gpu"] : [] },
    machines: [{ name: "m1", slots: random.between(1, 3), labels: ["gpu"] }, ...others],
    wants: {},
  };
}

export function enterFleet(ledger: Ledger, fleet: Fleet | undefined): void {
  ledger.fleet = fleet ?? null;
  forget(ledger);
}

/** Nobody is taken for granted: neither by a new orchestrator nor after the fleet was named anew. */
export function forget(ledger: Ledger): void {
  const machines = ledger.fleet?.machines ?? [];
  ledger.machines = machines.map((each) => ({ ...each, standing: "away", notBeforeMs: 0 }));
}

const isFit = (labels: readonly string[], { tags = [] }: TaskDef) =>
  !tags.includes("gpu") || labels.includes("gpu");

function busyAt(ledger: Ledger, machine: string | undefined): number {
  return ledger.busy().filter(({ attempt }) => attempt?.machine === machine).length;
}

/** Whether it could start somewhere now. */
export function hasRoom(ledger: Ledger, { def }: TaskRecord): boolean {
  const { fleet } = ledger;
  if (!fleet) return busyAt(ledger, undefined) < ledger.slots;
  if (isFit(fleet.here.labels, def) && busyAt(ledger, undefined) < fleet.here.slots) return true;
  return ledger.machines.some(
    ({ name, slots, labels, standing }) =>
      standing === "there" && isFit(labels, def) && busyAt(ledger, name) < slots,
  );
}

/** It begins where there is room for it, on a machine that said that it is there. */
export function checkPlace({ sim, ledger }: Scene, { def }: TaskRecord, machine: string | undefined): void {
  const { id } = def;
  const busy = busyAt(ledger, machine);
  if (machine === undefined) {
    const { slots, labels } = ledger.fleet?.here ?? { slots: ledger.slots, labels: ["gpu"] };
    sim.check(busy < slots, "X3 slots", () => `${id} started beside ${busy} of ${slots}`);
    sim.check(isFit(labels, def), "U5 labels", () => `${id} started here, and needs a gpu`);
    if (busy + 1 === slots) sim.saw("every slot taken");
    return;
  }
  const found = ledger.machines.find(({ name }) => name === machine);
  const { slots = 0, labels = [], standing } = found ?? {};
  sim.check(standing === "there", "U5 there", () => `${id} started on ${machine}, which is ${standing}`);
  sim.check(busy < slots, "U5 slots", () => `${id} started on ${machine} beside ${busy} of ${slots}`);
  sim.check(isFit(labels, def), "U5 labels", () => `${id} started on ${machine}, and needs a gpu`);
  sim.saw("started on another machine");
}

export const wasGone = ({ outcome }: Said) => outcome?.ok === false && outcome.kind === "machine";
export const wasGoneWithWork = ({ outcome }: Said) =>
  outcome?.ok === false && outcome.kind === "machine" && outcome.begun;

/** What was made is at home: where this machine can go on with it, nothing of it is begun anew. */
export function checkKept(scene: Scene, task: TaskRecord, name: string): void {
  const { sim, ledger } = scene;
  if (!saidOf(scene, task.def.id).some(wasGone)) return;
  const { slots, labels } = ledger.fleet?.here ?? { slots: 1, labels: ["gpu"] };
  const isKept = task.attempt?.workTree != null && slots > 0 && isFit(labels, task.def);
  sim.check(!isKept, "U5 kept", () => `${name} begins anew, and its work was at home`);
}

export const machineRules: Rules<FactKind> = {
  "machine-asked": ({ sim, ledger }, { machine, runMs }) => {
    const found = ledger.machines.find(({ name }) => name === machine);
    const isDue = found?.standing === "away" && found.notBeforeMs <= runMs;
    sim.check(isDue, "U5 asked", () => `${machine} is asked at ${runMs} while ${found?.standing}`);
    if (found) found.standing = "asking";
  },
  "machine-joined": ({ sim, ledger }, { machine }) => {
    const found = ledger.machines.find(({ name }) => name === machine);
    const isSaid = found?.standing === "asking" && sim.saidOfMachines.has(`${machine} ok@${ledger.epoch}`);
    sim.check(isSaid, "U5 joined", () => `${machine} joined, and nobody said so`);
    if (found) found.standing = "there";
  },
  "machine-left": ({ sim, ledger }, { machine, notBeforeMs, runMs }) => {
    const found = ledger.machines.find(({ name }) => name === machine);
    sim.check(found !== undefined && found.standing !== "away", "U5 left", () => `${machine} left twice`);
    sim.check(notBeforeMs > runMs, "U5 pause", () => `${machine} is asked again at once`);
    if (found) Object.assign(found, { standing: "away", notBeforeMs });
    sim.saw("machine left");
  },
  "attempt-moved": (scene, { task: id, attempt, dueMs }) => {
    const { sim, ledger } = scene;
    const running = current(scene, id, attempt);
    if (!running) return;
    const isSaid = saidOf(scene, id).some(wasGone) && running.machine !== undefined;
    sim.check(isSaid, "U5 moved", () => `${id}#${attempt} moved, and its machine is there`);
    sim.check(running.workTree !== null, "U5 moved work", () => `${id}#${attempt} moved without its work`);
    const { slots, labels } = ledger.fleet?.here ?? { slots: 1, labels: ["gpu"] };
    const canHere = slots > 0 && isFit(labels, ledger.at(id).def);
    sim.check(canHere, "U5 moved here", () => `${id}#${attempt} moved to a machine that cannot do it`);
    delete running.machine;
    Object.assign(running, { holds: (running.holds ?? 0) + 1, dueMs, sinceMs: sim.nowMs });
    sim.saw("attempt moved home");
  },
};
