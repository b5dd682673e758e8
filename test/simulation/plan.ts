// Random plans of 1 to 40 tasks, wide, deep, layered and wild, and what people do to a plan while it is worked on:
// they change, add, drop and bring back tasks, renumber phases, and at times hand in nonsense.
import type { TaskDef, TaskId } from "../../src/core/run.ts";
import type { Random } from "./random.ts";

export function drawPlan(random: Random): TaskDef[] {
  const size = random.chance(0.1) ? random.between(20, 40) : random.between(1, 14);
  const shape = random.pick(["wide", "deep", "layered", "wild"] as const);
  const names = Array.from({ length: size }, (_, at) => `T${String(at + 1).padStart(3, "0")}`);
  // Ids in no order of dependency: what sorts by id must not get the order right by accident.
  const ids = random.shuffled(names);
  const width = random.between(2, 5);
  const defs: TaskDef[] = [];
  for (let at = 0; at < size; at++) {
    const dependsOn = dependencies(random, { ids, at, shape, width });
    defs.push(define(random, ids[at] as TaskId, dependsOn));
  }
  return sequenced(random.shuffled(defs), random.pick([...ids, undefined]));
}

interface Spot {
  readonly ids: readonly TaskId[];
  readonly at: number;
  readonly shape: "wide" | "deep" | "layered" | "wild";
  readonly width: number;
}

function dependencies(random: Random, { ids, at, shape, width }: Spot): TaskId[] {
  const before = ids.slice(0, at);
  switch (shape) {
    case "wide":
      return at > 0 && random.chance(0.2) ? [random.pick(before)] : [];
    case "deep":
      return at === 0 ? [] : [ids[at - 1] as TaskId];
    case "layered": {
      const start = Math.floor(at / width) * width;
      return ids.slice(Math.max(0, start - width), start).filter(() => random.chance(0.7));
    }
    case "wild":
      return before.filter(() => random.chance(2 / (at + 1)));
  }
}

/** What several tasks may want to write. */
const paths = ["a.ts", "b.ts", "c.ts", "d.ts"];

/** A definition that differs from every other one. */
export function define(random: Random, id: TaskId, dependsOn: readonly TaskId[]): TaskDef {
  return {
    id,
    name: `Task ${id}`,
    phase: 1,
    dependsOn,
    steel: false,
    estimateHours: random.between(1, 3),
    behaviours: [],
    files: paths.filter(() => random.chance(0.06)).map((path) => ({ path, action: "modify" })),
    criteria: [],
    ...(random.chance(0.1) ? { exclusive: ["database"] } : {}),
    ...(random.chance(0.2) ? { tags: ["gpu"] } : {}),
    file: `tasks/${id}.json`,
    digest: `${id}:${random.between(0, 1e12)}`,
  };
}

/** Phases by depth and a steel thread that hangs together, as sequencing wants them. */
export function sequenced(
  defs: readonly TaskDef[],
  head: TaskId | undefined = deepestSteel(defs),
): TaskDef[] {
  const byId = new Map(defs.map((def) => [def.id, def]));
  const depths = new Map<TaskId, number>();
  const depthOf = (id: TaskId): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const below = (byId.get(id)?.dependsOn ?? []).map(depthOf);
    const depth = 1 + Math.max(0, ...below);
    depths.set(id, depth);
    return depth;
  };
  const thread = new Set<TaskId>();
  for (let id = head; id !== undefined; id = byId.get(id)?.dependsOn[0]) thread.add(id);
  return defs.map((def) => ({ ...def, phase: depthOf(def.id), steel: thread.has(def.id) }));
}

function deepestSteel(defs: readonly TaskDef[]): TaskId | undefined {
  return defs.filter(({ steel }) => steel).sort((a, b) => b.phase - a.phase || (a.id < b.id ? -1 : 1))[0]?.id;
}

/** A plan as somebody edited it. */
/** With one task more, which waits for all that nothing waits for. */
export function morePlan(
  random: Random,
  { tasks }: { tasks: ReadonlyMap<TaskId, { def: TaskDef }> },
): TaskDef[] {
  const defs = [...tasks.values()].map(({ def }) => def);
  let n = defs.length + 1;
  while (tasks.has(`T${n}`)) n++;
  return [
    ...defs,
    define(
      random,
      `T${n}`,
      defs.slice(0, 1).map(({ id }) => id),
    ),
  ];
}

export function editPlan(
  random: Random,
  defs: readonly TaskDef[],
  { dropped, running }: { dropped: ReadonlySet<TaskId>; running: readonly TaskId[] },
): TaskDef[] {
  if (defs.length === 0) return [define(random, "T001", [])];
  const isCareful = random.chance(0.8);
  const free = isCareful ? defs.filter(({ id }) => !running.includes(id)) : defs;
  const one = free.length > 0 ? random.pick(free) : undefined;
  const gone = [...dropped].filter((id) => !defs.some((def) => def.id === id));
  const back = gone.length > 0 ? 5 : 0;
  switch (random.weighted({ change: 4, rewire: 2, renumber: 2, add: 3, drop: 4, back, nonsense: 1 })) {
    case "change":
      return sequenced(replace(defs, one && define(random, one.id, one.dependsOn)));
    case "rewire":
      return sequenced(replace(defs, one && define(random, one.id, without(one.dependsOn, random))));
    case "renumber":
      return sequenced(defs, random.pick([one?.id, undefined]));
    case "add":
      return sequenced([...defs, define(random, freshId(defs, dropped), some(random, defs))]);
    case "drop":
      return sequenced(one ? drop(random, defs, one.id) : defs);
    case "back":
      return sequenced([...defs, define(random, random.pick(gone), some(random, defs))]);
    case "nonsense":
      return nonsense(random, defs);
  }
}

function replace(defs: readonly TaskDef[], changed: TaskDef | undefined): TaskDef[] {
  return defs.map((def) => (def.id === changed?.id ? { ...changed, steel: def.steel } : def));
}

function drop(random: Random, defs: readonly TaskDef[], gone: TaskId): TaskDef[] {
  return defs
    .filter(({ id }) => id !== gone)
    .map((def) =>
      def.dependsOn.includes(gone)
        ? define(
            random,
            def.id,
            def.dependsOn.filter((id) => id !== gone),
          )
        : def,
    );
}

function nonsense(random: Random, defs: readonly TaskDef[]): TaskDef[] {
  const one = random.pick(defs);
  const changed = define(random, one.id, random.pick([["T999"], [one.id], defs.map(({ id }) => id)]));
  return random.chance(0.3) ? [...defs, one] : replace(defs, changed);
}

const without = (ids: readonly TaskId[], random: Random) => ids.filter(() => random.chance(0.5));

const some = (random: Random, defs: readonly TaskDef[]) =>
  defs.filter(() => random.chance(1.5 / defs.length)).map(({ id }) => id);

function freshId(defs: readonly TaskDef[], dropped: ReadonlySet<TaskId>): TaskId {
  const taken = new Set([...defs.map(({ id }) => id), ...dropped]);
  for (let number = 1; ; number++) {
    const id = `T${String(number).padStart(3, "0")}`;
    if (!taken.has(id)) return id;
  }
}
