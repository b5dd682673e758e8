// A second opinion: what the log says about the run, kept by plain records and computed from scratch each time it
// is asked. It shares nothing with the code under test but the types of facts and of task definitions.

import type { Fleet } from "../../src/core/machines/fleet.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { OnOrphan, Stage, TaskDef, TaskId, TaskState, TaskStatus } from "../../src/core/run.ts";
import type { Candidate, JobStage } from "../../src/core/run-parts.ts";
import type { MachineRecord } from "./machines.ts";

export interface Running {
  /** Unknown after a person said that it runs: the next fact about it tells. */
  readonly number: number | null;
  readonly driver: "host" | "engine";
  stage: Stage;
  /** Virtual time at which the stage began: more may have passed than run time, never less. */
  sinceMs: number;
  /** Run time at which its limit is crossed, as the fact said. */
  dueMs: number | null;
  base: string | null;
  workTree: string | null;
  candidate: Candidate | null;
  /** It waits for a place that is missing; and how often it did. */
  isHeld?: boolean;
  holds?: number;
  /** Where it is worked on, when that is another machine. */
  machine?: string;
}

/** What an attempt in the queue wants: to be put onto a commit, checked, moved, or nothing yet. */
export type Want =
  | { readonly kind: "prepare-merge"; readonly onto: string }
  | { readonly kind: "check-merge" | "move-branch"; readonly candidate: Candidate }
  | null;

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
  losses: number;
  /** The tree that was checked last since the attempt began, and whether all was green. */
  evidence: { readonly tree: string; readonly ok: boolean } | null;
  /** The commit that brought it to the branch. */
  commit: string | null;
}

/** The role at work. */
export interface JobNow {
  readonly role: string;
  readonly attempt: number;
  readonly stage: JobStage;
  readonly sinceMs: number;
  readonly dueMs: number | null;
  readonly isRepaired: boolean;
  readonly isHeld?: boolean;
  readonly holds?: number;
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
  /** What every question is about, and the answers that somebody was given: those stay (L18). */
  readonly about = new Map<string, string>();
  readonly used = new Set<string>();
  use(isMeant: (about: string) => boolean): void {
    for (const [id, answer] of this.questions)
      if (answer !== null && isMeant(this.about.get(id) ?? "")) this.used.add(id);
  }
  /** What open questions are about. */
  readonly asking = new Map<string, string>();
  remaining: ReadonlyMap<TaskId, number> = new Map();
  phase = "ingestion";
  /** Whether the whole is to be verified, what was said of it and of which commit, and how often gaps were planned. */
  verify = false;
  verification: { readonly passed: boolean; readonly tip: string | null } | null = null;
  gapPlans = 0;
  policy: Policy | null = null;
  /** The last look at the base, and why nobody may begin, if so. */
  baseline: { readonly tries: number; readonly stops: string | null } | null = null;
  halt: { readonly code: string; readonly now: boolean } | null = null;
  slots = 0;
  fleet: Fleet | null = null;
  machines: MachineRecord[] = [];
  until: string | null = null;
  only: readonly TaskId[] | null = null;
  onOrphan: OnOrphan = "retry";
  /** Where the branch is, as far as it was written down, and who waits for it. */
  tip: string | null = null;
  queue: TaskId[] = [];
  /** Changes that were merged and told so, and changes that a person's word overtook on their way. */
  readonly merged = new Set<string>();
  readonly overtaken = new Set<string>();
  job: JobNow | null = null;
  readonly jobs = new Map<
    string,
    { readonly tries: number; readonly notBeforeMs: number; readonly losses?: number }
  >();
  epoch = 0;
  /** Who holds the run, as the entries name him. */
  holder: string | null = null;
  /** What the holder was asked and has not answered, when, and how often it had woken up by then. */
  asked: { readonly question: number; readonly sinceMs: number; readonly wakes: number } | null = null;
  runMs = 0;
  costUsd = 0;
  largestCallUsd = 0;

  engineAttempts(): number {
    return [...this.tasks.values()].filter(({ attempt }) => attempt?.driver === "engine").length;
  }

  /** Attempts of heddle's own that do not merely wait in the queue: each has a slot. */
  busy(): TaskRecord[] {
    return this.#own().filter((task) => task.attempt?.stage !== "integrating" || this.want(task) !== null);
  }

  /** Nothing of heddle's own can go on: it is held, or waits in the queue behind what is. */
  isIdle(): boolean {
    const isJobIdle = this.job === null || this.job.isHeld === true;
    return isJobIdle && this.busy().every(({ attempt }) => attempt?.isHeld);
  }

  /** Calls of agents that may still cost something. */
  calls(): number {
    return this.#own().filter(({ attempt }) => attempt?.stage !== "integrating").length;
  }

  #own(): TaskRecord[] {
    return [...this.tasks.values()].filter(({ attempt }) => attempt?.driver === "engine");
  }

  /** What the one in the queue wants: the commits that were prepared must form a chain that begins at the tip. */
  want(task: TaskRecord): Want {
    const at = this.queue.indexOf(task.def.id);
    if (at < 0 || this.tip === null) return null;
    let onto = this.tip;
    for (const id of this.queue.slice(0, at)) {
      const before = this.at(id).attempt?.candidate;
      if (before?.onto !== onto) return null;
      onto = before.commit;
    }
    const candidate = task.attempt?.candidate;
    if (candidate?.onto !== onto) return { kind: "prepare-merge", onto };
    if (!task.evidence?.ok || task.evidence.tree !== candidate.tree)
      return { kind: "check-merge", candidate };
    return at === 0 ? { kind: "move-branch", candidate } : null;
  }

  /** Ready tasks that nothing keeps from starting at this run time, best first. */
  due(runMs: number, isAffordable: (task: TaskRecord) => boolean): TaskRecord[] {
    const taken = new Set(
      [...this.tasks.values()].filter(({ state }) => state === "running").flatMap(claims),
    );
    const asked = new Set(this.asking.values());
    const named = this.only && [...new Set(this.only)].flatMap((id) => this.tasks.get(id) ?? []);
    const ready = named?.filter((task) => task.state === "pending" && this.unmet(task) === 0) ?? this.ready();
    return ready.filter(
      (task) =>
        task.notBeforeMs <= runMs &&
        !asked.has(task.def.id) &&
        !claims(task).some((each) => taken.has(each)) &&
        isAffordable(task),
    );
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

  /** It leaves the queue with its attempt. */
  leave(task: TaskRecord): void {
    task.attempt = null;
    this.queue = this.queue.filter((id) => id !== task.def.id);
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
export function begin(ledger: Ledger, task: TaskRecord, state: TaskState): void {
  const { attempt } = task;
  if (attempt?.candidate) ledger.overtaken.add(`${task.def.id}#${attempt.number}`);
  ledger.leave(task);
  const nothing = { tries: 0, losses: 0, notBeforeMs: 0, verdict: null, isVerified: false, evidence: null };
  Object.assign(task, { state, ...nothing });
}

/** The files that a task writes and what it must have for itself. */
export function claims({ def: { files, exclusive = [] } }: TaskRecord): string[] {
  return [...files.map(({ path }) => path), ...exclusive.map((name) => `only one: ${name}`)];
}
