// Placement: on which machine an attempt is worked on. It stays where it began, because its stages share a workspace. Where a
// task can go is decided by the labels its tags ask for, the agents that are there, and free slots.
import { isWaiting } from "../queue.ts";
import { type Run, type Task, type TaskDef, taskOf } from "../run.ts";
import type { FleetState, MachineState, Wants } from "./fleet.ts";

/** All that a task's tags ask for. A tag that a machine has as its label asks for that label, unless something else is said. */
function wantedBy({ here, machines, wants }: FleetState, { tags = [] }: TaskDef): Required<Wants> {
  const known = new Set([here, ...machines].flatMap(({ labels }) => labels));
  const own = tags.flatMap((tag) => (known.has(tag) ? [tag] : []));
  const labels = tags.flatMap((tag) => wants[tag]?.labels ?? own.filter((label) => label === tag));
  // The first tag that says who works decides, as it does for the agent itself.
  const said = [...tags, ""].map((tag) => wants[tag]?.agents).find((agents) => agents !== undefined);
  return { labels: [...new Set(labels)], agents: said ?? [] };
}

type Equipment = Pick<MachineState, "labels" | "agents">;

const hasLabels = ({ labels }: Equipment, wanted: Required<Wants>) =>
  wanted.labels.every((label) => labels.includes(label));
const hasAgents = ({ agents }: Equipment, wanted: Required<Wants>) =>
  agents === undefined || wanted.agents.every((word) => agents.includes(word));

/** Free slots by machine; this one is "". Only machines that are there have any. */
export function freeSlots(run: Run): Map<string, number> {
  const { fleet } = run;
  const taken = new Map<string, number>();
  for (const id of run.running) {
    const task = taskOf(run, id);
    if (task.attempt?.driver !== "engine" || isWaiting(run, task)) continue;
    const at = task.attempt.machine ?? "";
    taken.set(at, (taken.get(at) ?? 0) + 1);
  }
  const left = (name: string, slots: number) => Math.max(0, slots - (taken.get(name) ?? 0));
  const there = fleet?.machines.filter(({ standing }) => standing === "there") ?? [];
  return new Map([
    ["", left("", fleet?.here.slots ?? run.slots)],
    ...there.map(({ name, slots }) => [name, left(name, slots)] as const),
  ]);
}

/**
 * Where a task can start now: where its last attempt was, because what set-up made is there; else where most slots are
 * free. Nothing where it has to wait.
 */
export function placeFor(run: Run, task: Task, free: ReadonlyMap<string, number>): string | undefined {
  const { fleet } = run;
  if (!fleet) return (free.get("") ?? 0) > 0 ? "" : undefined;
  const wanted = wantedBy(fleet, task.def);
  const places: (Equipment & { readonly name: string })[] = [{ name: "", ...fleet.here }, ...fleet.machines];
  const fitting = places.filter(
    (place) => (free.get(place.name) ?? 0) > 0 && hasLabels(place, wanted) && hasAgents(place, wanted),
  );
  const warm = fitting.find(({ name }) => name !== "" && name === task.machine);
  if (warm) return warm.name;
  const most = Math.max(...fitting.map(({ name }) => free.get(name) ?? 0));
  return fitting.find(({ name }) => free.get(name) === most)?.name;
}

/** Whether any machine of the configuration could take it, were it there and free. */
export function hasPlace({ fleet }: Run, { def }: Task): boolean {
  if (!fleet || fleet.open) return true;
  const wanted = wantedBy(fleet, def);
  const { here, machines } = fleet;
  if (here.slots > 0 && hasLabels(here, wanted)) return true;
  return machines.some(
    (each) => hasLabels(each, wanted) && (each.standing !== "there" || hasAgents(each, wanted)),
  );
}

/** Whether what a machine left behind can be carried on by the orchestrator's own. */
export function fitsHere({ fleet }: Run, { def }: Task): boolean {
  return !fleet || (fleet.here.slots > 0 && hasLabels(fleet.here, wantedBy(fleet, def)));
}

/** Why a ready task has no machine yet. */
export function whyNoPlace(run: Run, task: Task): string[] {
  const { fleet } = run;
  if (!fleet || !run.holder || placeFor(run, task, freeSlots(run)) !== undefined) return [];
  const wanted = wantedBy(fleet, task.def);
  const asks =
    wanted.labels.length > 0 ? ` with ${wanted.labels.map((each) => `\`${each}\``).join(", ")}` : "";
  if (!hasPlace(run, task))
    return [`no machine of the configuration can take it: it needs one${asks}${needs(wanted)}`];
  const fitting = fleet.machines.filter((each) => hasLabels(each, wanted));
  const hereToo =
    fleet.here.slots > 0 && hasLabels(fleet.here, wanted) ? ["this machine has no free slot"] : [];
  const found = [...hereToo, ...fitting.map((each) => standingOf(each, wanted))];
  const none = `no worker${asks} has joined`;
  return [`it waits for a machine${asks}: ${found.length > 0 ? found.join("; ") : none}`];
}

const needs = ({ agents }: Required<Wants>) =>
  agents.length > 0 ? ` and the agent ${agents.map((each) => `\`${each}\``).join(", ")}` : "";

function standingOf(machine: MachineState, wanted: Required<Wants>): string {
  const { name, standing, reason, slots } = machine;
  if (standing === "asking") return `${name} is being asked`;
  if (standing === "away") return `${name} is away (${reason})`;
  const lacking = wanted.agents.filter((word) => !machine.agents?.includes(word));
  if (!hasAgents(machine, wanted))
    return `${name} has no agent ${lacking.map((word) => `\`${word}\``).join(", ")}`;
  return `all ${slots} slots of ${name} are taken`;
}

/** A line about each machine, for people. */
export function machineLines(run: Run): string[] {
  const free = freeSlots(run);
  return (run.fleet?.machines ?? []).map(({ name, standing, slots, labels, reason }) => {
    const tags = labels.length > 0 ? ` [${labels.join(", ")}]` : "";
    if (standing === "there")
      return `${name}${tags}: ${slots - (free.get(name) ?? 0)} of ${slots} slots taken`;
    return standing === "asking" ? `${name}${tags}: being asked` : `${name}${tags}: away (${reason})`;
  });
}
