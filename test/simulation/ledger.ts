// A second opinion: what the log says about the run, kept by plain records and computed from scratch each time it
// is asked. It shares nothing with the code under test but the types of facts and of task definitions.
import type { JobStage } from "../../src/core/parts.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { Stage, TaskDef, TaskId, TaskState, TaskStatus } from "../../src/core/run.ts";

export interface Running {
  /** Unknown after a person said that it runs: the next fact about it tells. */
  readonly number: number | null;
  readonly driver: "host" | "engine";
  stage: Stage;
  /** Virtual time at which the stage began: more may have passed than run time, never less. */
  sinceMs: number;
  /** Run time at which its limit is crossed, as the fact said. */
  dueMs: number;
}

export interface TaskRecord {
  def: TaskDef;
  state: TaskState;
  attempts: number;
  tries: number;
  attempt: Running | null;
  notBeforeMs: number;
  verdict: "PROCEED" | "BLOCK" | null;
  /** Whether heddle's own evidence completed it. */
  isVerified: boolean;
  costUsd: number;
}

/** The role at work. */
export interface JobNow {
  readonly role: string;
  readonly attempt: number;
  readonly stage: JobStage;
  readonly sinceMs: number;
  readonly dueMs: number;
  readonly isRepaired: boolean;
}

export class Ledger {
  readonly tasks = new Map<TaskId, TaskRecord>();
  readonly dropped = new Set<TaskId>();
  /** The highest attempt that ever started, by task or role, whatever became of it. */
  readonly started = new Map<string, number>();
  /** `T001#2` for every attempt that ended. */
  readonly finished = new Set<string>();
  readonly artifacts = new Set<string>();
  readonly questions = new Map<string, string | null>();
  remaining: ReadonlyMap<TaskId, number> = new Map();
  phase = "ingestion";
  policy: Policy | null = null;
  halt: { readonly code: string; readonly now: boolean } | null = null;
  slots = 0;
  until: string | null = null;
  job: JobNow | null = null;
  readonly jobs = new Map<string, { readonly tries: number; readonly notBeforeMs: number }>();
  epoch = 0;
  /** Who holds the run, as the entries name him. */
  holder: string | null = null;
  runMs = 0;
  costUsd = 0;
  largestCallUsd = 0;

  engineAttempts(): number {
    return [...this.tasks.values()].filter(({ attempt }) => attempt?.driver === "engine").length;
  }

  isSettled(task: TaskRecord): boolean {
    return task.state === "skipped" || (task.state === "complete" && task.verdict !== "BLOCK");
  }

  /** Failed, held by a verifier, or waiting for one that is. */
  isDead(task: TaskRecord): boolean {
    if (task.state === "failed") return true;
    if (task.state === "complete") return task.verdict === "BLOCK";
    return this.isBlocked(task);
  }

  /** Some dependency failed or is held, be it through others that wait as well. */
  isBlocked(task: TaskRecord, seen = new Set<TaskId>()): boolean {
    if (task.state !== "pending") return false;
    for (const id of task.def.dependsOn) {
      if (seen.has(id)) continue;
      seen.add(id);
      const dependency = this.at(id);
      const isRoot = dependency.state !== "pending" && this.isDead(dependency);
      if (isRoot || this.isBlocked(dependency, seen)) return true;
    }
    return false;
  }

  status(task: TaskRecord): TaskStatus {
    return this.isBlocked(task) ? "blocked" : task.state;
  }

  unmet({ def }: TaskRecord): number {
    return def.dependsOn.filter((id) => !this.isSettled(this.at(id))).length;
  }

  dead({ def }: TaskRecord): number {
    return def.dependsOn.filter((id) => this.isDead(this.at(id))).length;
  }

  /** Ready tasks in the order of X3. */
  ready(): TaskRecord[] {
    const found = [...this.tasks.values()].filter(
      (task) => task.state === "pending" && this.unmet(task) === 0,
    );
    const hours = (task: TaskRecord) => this.remaining.get(task.def.id) ?? 0;
    return found.sort(
      (a, b) =>
        Number(b.def.steel) - Number(a.def.steel) || hours(b) - hours(a) || (a.def.id < b.def.id ? -1 : 1),
    );
  }

  isDone(): boolean {
    return [...this.tasks.values()].every(({ state }) => state === "complete" || state === "skipped");
  }

  /** Nothing is under way and nothing can start by itself. */
  isAtRest(): boolean {
    return [...this.tasks.values()].every(
      (task) => task.state !== "running" && this.status(task) !== "pending",
    );
  }

  at(id: TaskId): TaskRecord {
    const task = this.tasks.get(id);
    if (!task) throw new Error(`the ledger has no task ${id}`);
    return task;
  }

  /** Longest way in hours from the start of each task to the end of all that waits for it. */
  measure(): ReadonlyMap<TaskId, number> {
    const hours = new Map<TaskId, number>();
    const dependents = new Map<TaskId, TaskId[]>();
    for (const { def } of this.tasks.values())
      for (const id of def.dependsOn) dependents.set(id, [...(dependents.get(id) ?? []), def.id]);
    const visit = (id: TaskId): number => {
      const known = hours.get(id);
      if (known !== undefined) return known;
      const longest = (dependents.get(id) ?? []).reduce((most, each) => Math.max(most, visit(each)), 0);
      const own = this.at(id).def.estimateHours + longest;
      hours.set(id, own);
      return own;
    };
    for (const id of this.tasks.keys()) visit(id);
    return hours;
  }
}

/** The part of a record that a new beginning resets: attempts are counted on. */
export function begin(task: TaskRecord, state: TaskState): void {
  Object.assign(task, { state, tries: 0, attempt: null, notBeforeMs: 0, verdict: null, isVerified: false });
}
