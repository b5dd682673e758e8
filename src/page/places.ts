// Who drives a run, and where its tasks are worked on: the coordinator that holds it, those that stand by, and the machines and
// workers beside it, each with what it works on now.
import type { MachineState } from "../core/machines/fleet.ts";
import type { Run, TaskId } from "../core/run.ts";
import { named } from "../watch/coordinators.ts";
import type { Beside } from "./inbox.ts";

export interface PlaceRow {
  readonly kind: "coordinator" | "machine" | "worker";
  readonly name: string;
  /** `coordinates`, `stands by`; of a machine whether it is there, in the words of `heddle status --json`. */
  readonly status: string;
  /** Why it takes nothing. */
  readonly reason: string | null;
  readonly slots: number | null;
  readonly labels: readonly string[];
  readonly running: readonly TaskId[];
}

export function placeRows(
  run: Run,
  { isHeld, standingBy }: Pick<Beside, "isHeld" | "standingBy">,
): PlaceRow[] {
  const holder = isHeld && run.holder ? [coordinator(named(run.holder), "coordinates")] : [];
  return [
    ...holder,
    ...standingBy.map((each) => coordinator(named(each), "stands by")),
    ...(run.fleet?.machines ?? []).map((each) => machine(run, each)),
  ];
}

const coordinator = (name: string, status: string): PlaceRow => ({
  ...{ kind: "coordinator", name, status, reason: null, slots: null, labels: [], running: [] },
});

function machine(run: Run, { name, standing, reason, slots, labels, joins }: MachineState): PlaceRow {
  return {
    ...{ kind: joins ? "worker" : "machine", name, status: standing, slots, labels },
    reason: reason === "" ? null : reason,
    running: run.running.filter((id) => run.tasks.get(id)?.attempt?.machine === name),
  };
}
