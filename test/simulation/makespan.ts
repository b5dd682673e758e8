// How long a plan takes in virtual time when nothing goes wrong: the real core decides, effects last as long as they
// would. It is held against what no schedule can beat, and against batches of N: start N, wait for all N, start the
// next N (`spec/004`), merged by the very same machine.
import { apply, newRun } from "../../src/core/apply.ts";
import type { AttemptEffect } from "../../src/core/effect.ts";
import type { Input } from "../../src/core/input.ts";
import { next } from "../../src/core/next.ts";
import type { Run, TaskDef, TaskId } from "../../src/core/run.ts";
import { carryOut } from "../../src/core/step.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { goodOutcome } from "../core/outcome.ts";
import { Random } from "./random.ts";

/** Milliseconds of each part of an attempt. A merge that has to be checked again costs the check once more. */
interface Lasts {
  readonly prepare: number;
  readonly work: number;
  readonly check: number;
  readonly merge: number;
}

export interface Problem {
  readonly shape: Shape;
  readonly slots: number;
  readonly tasks: readonly TaskDef[];
  readonly lasts: ReadonlyMap<TaskId, Lasts>;
}

export interface Makespan {
  /** No schedule is shorter: the longest chain, and all work shared evenly among the slots. */
  readonly bound: number;
  readonly heddle: number;
  readonly batches: number;
}

export const shapes = ["wide", "deep", "diamond", "layered"] as const;
export type Shape = (typeof shapes)[number];

const second = 1000;
const minute = 60 * second;

export function drawProblem(seed: number): Problem {
  const random = new Random(seed);
  const shape = shapes[seed % shapes.length] as Shape;
  const size = random.between(20, 200);
  const slots = random.pick([1, 2, 4, 8, 16, 32]);
  const width = random.between(2, 20);
  const ids = Array.from({ length: size }, (_, at) => `T${String(at + 1).padStart(3, "0")}`);
  const lasts = new Map<TaskId, Lasts>();
  const tasks = ids.map((id, at) => {
    // Estimates are what the scheduler knows; what it really takes is half to twice as long.
    const estimateHours = random.between(1, 8);
    lasts.set(id, {
      prepare: random.between(2, 20) * second,
      work: Math.round(estimateHours * 8 * minute * (0.5 + 1.5 * random.next())),
      check: random.between(10, 90) * second,
      merge: random.between(100, 900),
    });
    return define({ id, estimateHours, dependsOn: dependencies(random, { ids, at, shape, width }) });
  });
  return { shape, slots, tasks, lasts };
}

interface Spot {
  readonly ids: readonly TaskId[];
  readonly at: number;
  readonly shape: Shape;
  readonly width: number;
}

function dependencies(random: Random, { ids, at, shape, width }: Spot): TaskId[] {
  const row = Math.floor(at / width) * width;
  const before = ids.slice(Math.max(0, row - width), row);
  switch (shape) {
    case "wide":
      return at > 0 && random.chance(0.2) ? [random.pick(ids.slice(0, at))] : [];
    case "deep":
      return at < width ? [] : [ids[at - width] as TaskId];
    case "diamond": {
      // One opens, many work, one closes, and so on.
      const place = at % (width + 1);
      const opener = at - place;
      if (place > 0) return [ids[opener] as TaskId];
      return at === 0 ? [] : ids.slice(opener - width, opener);
    }
    case "layered":
      return before.filter(() => random.chance(Math.min(1, 3 / width)));
  }
}

function define({ id, ...more }: Pick<TaskDef, "id" | "estimateHours" | "dependsOn">): TaskDef {
  const nothing = { behaviours: [], files: [], criteria: [] };
  return { id, name: id, phase: 1, steel: false, ...nothing, file: `${id}.json`, digest: id, ...more };
}

export function measure(problem: Problem): Makespan {
  return {
    bound: boundOf(problem),
    heddle: new Clockwork(problem).drive(null),
    batches: inBatches(problem),
  };
}

function boundOf({ tasks, lasts, slots }: Problem): number {
  const ends = new Map<TaskId, number>();
  let all = 0;
  for (const { id, dependsOn } of tasks) {
    const { prepare, work, check, merge } = lasts.get(id) as Lasts;
    // Put onto the branch, and moved.
    const own = prepare + work + check + 2 * merge;
    all += own;
    ends.set(id, own + Math.max(0, ...dependsOn.map((each) => ends.get(each) ?? 0)));
  }
  return Math.max(...ends.values(), all / slots);
}

function inBatches(problem: Problem): number {
  const clockwork = new Clockwork(problem);
  for (;;) {
    const batch = clockwork.run.tasks.ready(problem.slots);
    if (batch.length === 0) return clockwork.nowMs;
    clockwork.drive(batch);
  }
}

interface Underway {
  readonly endMs: number;
  readonly effect: AttemptEffect;
}

/** One run whose effects all end well, each in its time. */
class Clockwork {
  readonly run: Run = newRun("plan-1", decomposition);
  nowMs = 0;
  readonly #problem: Problem;
  readonly #underway = new Map<string, Underway>();

  constructor(problem: Problem) {
    this.#problem = problem;
    const far = Number.MAX_SAFE_INTEGER / 4;
    const policy = { prepareLimitMs: far, workLimitMs: far, checkLimitMs: far };
    this.#submit({ kind: "create", targetDir: "/target", planningDir: "/planning", policy });
    this.#submit({ kind: "load-plan", tasks: problem.tasks });
    for (const to of ["logical", "physical", "definition", "validation", "sequencing", "ready", "executing"])
      this.#submit({ kind: "override", reason: "measured", to, digests: {} });
    this.#submit({ kind: "open-branch", name: "heddle/plan-1", start: "main", tip: "main" });
    const holder = { pid: 1, startTime: "1", bootId: "b", host: "h" };
    this.#submit({ kind: "claim", holder, alive: false });
  }

  /** Drives these tasks, or all of them, until nothing is under way. Answers when that is. */
  drive(only: readonly TaskId[] | null): number {
    this.#submit({ kind: "drive", slots: this.#problem.slots, ...(only && { only }) });
    for (let ended = this.#first(); ended; ended = this.#first()) {
      this.nowMs = ended.endMs;
      this.#underway.delete(ended.effect.key);
      const outcome = goodOutcome(this.run, ended.effect);
      this.#submit({ kind: "effect-ended", key: ended.effect.key, outcome });
    }
    return this.nowMs;
  }

  #first(): Underway | undefined {
    return [...this.#underway.values()].reduce<Underway | undefined>(
      (first, each) => (first === undefined || each.endMs < first.endMs ? each : first),
      undefined,
    );
  }

  #submit(input: Input): void {
    const record = (fact: Parameters<Parameters<typeof carryOut>[0]["record"]>[0]) =>
      apply(this.run, { position: this.run.position + 1, at: "", by: "makespan", fact });
    const [refused] = carryOut({ run: this.run, record }, { ...input, runMs: this.nowMs });
    if (refused) throw new Error(refused.message);
    const wanted = new Map(
      next(this.run).flatMap((effect) => ("task" in effect ? [[effect.key, effect] as const] : [])),
    );
    for (const key of this.#underway.keys()) if (!wanted.has(key)) this.#underway.delete(key);
    for (const [key, effect] of wanted)
      if (!this.#underway.has(key)) this.#underway.set(key, { endMs: this.nowMs + this.#ms(effect), effect });
  }

  #ms({ kind, task }: AttemptEffect): number {
    const { prepare, work, check, merge } = this.#problem.lasts.get(task) as Lasts;
    switch (kind) {
      case "prepare-workspace":
        return prepare;
      case "run-agent":
      case "repair-result":
      case "review-work":
        return work;
      case "run-checks":
      case "check-merge":
        return check;
      case "prepare-merge":
      case "move-branch":
        return merge;
    }
  }
}
