// What the facts about machines mean: which of them take attempts.
import { later } from "../bounds.ts";
import type { Meanings } from "../fact.ts";
import { type MachineState, machineIn, withoutWorker, withWorker } from "../machines/fleet.ts";
import type { Run } from "../run.ts";

function changeMachine(run: Run, name: string, changed: Partial<MachineState>): void {
  if (!run.fleet) return;
  const machines = run.fleet.machines.map((each) => (each.name === name ? { ...each, ...changed } : each));
  run.fleet = { ...run.fleet, machines };
}

/** An attempt got on there: what failed before counts no longer. */
export function gotOn(run: Run, name: string | undefined): void {
  if (name !== undefined && (machineIn(run, name)?.failures ?? 0) > 0)
    changeMachine(run, name, { failures: 0 });
}

type Kinds = "machine-asked" | "machine-joined" | "machine-left" | "machine-found" | "machine-lost";

export const machineMeanings: Meanings<Kinds> = {
  "machine-found": (run, { machine: name, slots, labels, runMs }) => {
    if (run.fleet) run.fleet = withWorker(run.fleet, { name, slots, labels });
    run.runMs = later(run.runMs, runMs);
  },
  "machine-lost": (run, { machine, runMs }) => {
    if (run.fleet) run.fleet = withoutWorker(run.fleet, machine);
    run.runMs = later(run.runMs, runMs);
  },
  "machine-asked": (run, { machine, runMs }, { position }) => {
    changeMachine(run, machine, { standing: "asking", asked: position });
    run.runMs = later(run.runMs, runMs);
  },
  "machine-joined": (run, { machine, runMs, agents }) => {
    changeMachine(run, machine, { standing: "there", reason: "", ...(agents && { agents }) });
    run.runMs = later(run.runMs, runMs);
  },
  "machine-left": (run, { machine, reason, runMs, notBeforeMs }) => {
    const failures = (machineIn(run, machine)?.failures ?? 0) + 1;
    changeMachine(run, machine, { standing: "away", reason, notBeforeMs, failures });
    run.runMs = later(run.runMs, runMs);
  },
};
