// The machines of a run beside the one that orchestrates it: what the configuration says of each, and how each stands. A
// machine is asked first, takes attempts while it is there, and is asked again some time after it left.
import type { Fact, FactOf } from "../fact.ts";
import { backoffMs } from "../policy.ts";
import type { Run } from "../run.ts";

/** A machine as the configuration names it. */
export interface MachineDef {
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
}

/** What a tag of a task asks for; under "", what every task needs. */
export interface Wants {
  readonly labels?: readonly string[];
  /** Agents that must be there, by the words that choose them. */
  readonly agents?: readonly string[];
}

/** Where attempts may be worked on: here, and on machines beside. */
export interface Fleet {
  readonly here: Omit<MachineDef, "name">;
  readonly machines: readonly MachineDef[];
  readonly wants: Readonly<Record<string, Wants>>;
  /** Workers join and leave while the run goes on: a task that finds no machine now may find one later. */
  readonly open?: true;
}

/** How a machine stands: nobody takes it for granted before it has answered. */
export interface MachineState extends MachineDef {
  readonly standing: "asking" | "there" | "away";
  /** The fact that it was asked by: the fence of an answer, also where machines were named anew since. */
  readonly asked: number;
  /** How often it left since an attempt last got on there. */
  readonly failures: number;
  /** Why it takes nothing, and run time before which it is not asked again. */
  readonly reason: string;
  readonly notBeforeMs: number;
  /** What it said of its agents. */
  readonly agents?: readonly string[];
  /** A worker, which joined by itself: no configuration names it. */
  readonly joins?: true;
}

/** Of an attempt, where it is worked on; of a task, where its last attempt began: when it is another machine. */
export interface Placed {
  machine?: string;
}

export interface FleetState extends Fleet {
  readonly machines: readonly MachineState[];
}

const unasked = "heddle has not asked it yet";

const fresh = { standing: "away", asked: 0, failures: 0, reason: unasked, notBeforeMs: 0 } as const;

export function fleetStateOf({ here, machines, wants, open }: Fleet): FleetState {
  return { here, wants, machines: machines.map((each) => ({ ...each, ...fresh })), ...(open && { open }) };
}

/** What of it the configuration said. */
export function fleetOf({ here, machines, wants, open }: FleetState): Fleet {
  const named = machines.filter(({ joins }) => !joins);
  return {
    here,
    wants,
    machines: named.map(({ name, slots, labels }) => ({ name, slots, labels })),
    ...(open && { open }),
  };
}

/** A worker is asked before it is given anything, as every machine is; one that comes back begins anew. */
export function withWorker(fleet: FleetState, worker: MachineDef): FleetState {
  const others = fleet.machines.filter(({ name }) => name !== worker.name);
  const { failures = 0 } = fleet.machines.find(({ name }) => name === worker.name) ?? {};
  return { ...fleet, machines: [...others, { ...worker, ...fresh, failures, joins: true }] };
}

export function withoutWorker(fleet: FleetState, worker: string): FleetState {
  return { ...fleet, machines: fleet.machines.filter(({ name }) => name !== worker) };
}

/** A new orchestrator trusts nothing that an earlier one had heard: workers are found anew. */
export function forgetAnswers(run: Run): void {
  if (!run.fleet) return;
  const named = run.fleet.machines.filter(({ joins }) => !joins);
  const machines = named.map((each) => ({
    ...each,
    ...({ standing: "away", reason: unasked, notBeforeMs: 0 } as const),
  }));
  run.fleet = { ...run.fleet, machines };
}

export const machineIn = ({ fleet }: Run, name: string): MachineState | undefined =>
  fleet?.machines.find((each) => each.name === name);

/** Machines that may be asked whether they are there. */
export function askMachines({ fleet }: Run, runMs: number): Fact[] {
  const due = fleet?.machines.filter(
    ({ standing, notBeforeMs }) => standing === "away" && notBeforeMs <= runMs,
  );
  return (due ?? []).map(({ name }) => ({ kind: "machine-asked", machine: name, runMs }));
}

/** It takes nothing for a while; the pause doubles, as a task's back-off does, until an attempt gets on there. */
export function left(
  { policy }: Run,
  { failures, name }: MachineState,
  { reason, runMs }: { readonly reason: string; readonly runMs: number },
): FactOf<"machine-left"> {
  const notBeforeMs = runMs + backoffMs(policy, failures + 1);
  return { kind: "machine-left", machine: name, reason, runMs, notBeforeMs };
}
