// Protocols are tables. A subject is something that can be seen of a run, with a finite set of values; a rule
// says for which values it fires and what is asked for then; the first rule that fires decides. Because both are
// finite data, `protocols/check.ts` can try every combination, and `--explain` can print what was seen.
import type { Hint } from "./hint.ts";
import type { Json, Run, TaskId, TaskState } from "./run.ts";
import type { Evidence } from "./run-parts.ts";

/** What a decision may look at: the run, what a caller asks for, and the digests of files as they are now. */
export interface Seen {
  readonly run: Run;
  readonly request: string | null;
  readonly digests: Readonly<Record<string, string | null>>;
}

export interface Subject {
  readonly about: string;
  readonly values: readonly string[];
  readonly see: (seen: Seen) => string;
  /** The artifact it reads, so that the checker can ask who makes it. */
  readonly artifact?: string;
}

export type Action =
  | { readonly kind: "go"; readonly to: string; readonly counts?: string }
  | { readonly kind: "job"; readonly role: string; readonly makes: string }
  | { readonly kind: "tasks" }
  /** `point`: what the answer decides, for whoever takes it up. */
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly options: readonly string[];
      readonly point?: string;
    }
  | { readonly kind: "wait"; readonly hint: Hint }
  | { readonly kind: "halt"; readonly code: string; readonly hint: Hint }
  | { readonly kind: "end"; readonly outcome: "done" | "failed" };

export type When = Readonly<Record<string, readonly string[]>>;

export interface Rule {
  /** A sentence that is true when the rule fires: it is the reason a person reads. */
  readonly name: string;
  readonly when: When;
  readonly then: Action;
}

export interface Phase {
  readonly name: string;
  readonly about: string;
  readonly end?: boolean;
  /** Not on every run's way: shown only where it is. */
  readonly optional?: boolean;
}

export interface Protocol {
  readonly name: string;
  readonly about: string;
  readonly phases: readonly Phase[];
  /** Artifacts by name: the file, relative to the run's directory. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** Artifacts that a person brings: no job makes them. */
  readonly given?: readonly string[];
  /** What each artifact is made from: when that changes, it is stale. */
  readonly madeFrom?: Readonly<Record<string, readonly string[]>>;
  /** The fields of an artifact that rules read, each with the words that it may hold. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Roles that heddle plays itself: no agent, and no skill. */
  readonly commands?: readonly string[];
  readonly subjects: Readonly<Record<string, Subject>>;
  readonly rules: readonly Rule[];
  /** Loop counters: the subject that turns to `reached` at the bound. */
  readonly counters: readonly string[];
  readonly graph?: Graph;
  /** How often a failed task is tried again, where the protocol says it and not the policy. */
  readonly retries?: number;
  readonly own?: Own;
}

/** A protocol with tasks. */
export interface Graph {
  /** The phase from which a host's first start leads to where the tasks are worked on. */
  readonly opens?: string;
  readonly runs: string;
  /** Who does the tasks; the task-executor otherwise. */
  readonly worker?: string;
  /** Tasks have tags, by which workers are chosen, and may be reviewed by another agent. */
  readonly tagged?: boolean;
}

/** What differs between protocols in how their runs are named, kept, shown and taken on: all of it may be left out. */
export interface Own {
  /** What its runs are called, before their number; the protocol's name otherwise. */
  readonly runName?: string;
  /** Where its runs' files lie, under heddle's folder; `runs` otherwise. */
  readonly home?: string;
  /** Folders of a run's own, made before anybody works in them (C16). */
  readonly folders?: readonly string[];
  /** The name of its view; `state.json` otherwise. */
  readonly view?: string;
  /** Its view lists the tasks. */
  readonly viewOfTasks?: boolean;
  /** Its view ends with the last events. */
  readonly viewOfEvents?: boolean;
  /** Its report is about attempts, and not about the documents that were made. */
  readonly reportOfAttempts?: boolean;
  /** Each of its tasks is a file of the plan, which a person may edit or split (`heddle task edit`). */
  readonly tasksAreFiles?: boolean;
  /** Its log is the project's: no transcript lies beside its view. */
  readonly noTranscript?: boolean;
  /** The target may be missing, until something was made in it. */
  readonly makesTarget?: boolean;
  /** Artifacts whose files agents are given: they must be there. */
  readonly handsOut?: readonly string[];
  /** Who is asked for advice by steps that heddle takes itself. */
  readonly advisers?: readonly { readonly phase: string; readonly role: string }[];
  /** A role whose output stays prose after the fixer halts the run, instead of being told (M8). */
  readonly haltsOnProse?: boolean;
  /** The command that takes a run on; `next` otherwise. */
  readonly command?: (run: Pick<Run, "phase" | "completedPhases">) => string;
  /** The command that enters the next phase, when that is another one. */
  readonly advance?: string;
  /** Requests that commands of their own make: no override takes their way. */
  readonly requests?: readonly string[];
  /** What can be done when it has ended; `heddle status` otherwise. */
  readonly atEnd?: Hint;
  /** Who stands where in it, for its view. */
  readonly actors?: (run: Run) => { readonly [key: string]: Json };
  /** What its view and `status` say beside what is said of every run. */
  readonly session?: (run: Run) => { readonly [key: string]: Json };
  /** What an edit of one of its view's own fields means for its tasks; nothing when it cannot be taken over (C3). */
  readonly adopts?: (run: Run, field: string, value: Json) => Readonly<Record<TaskId, TaskState>> | undefined;
  /** Tasks that were done under plans which others replaced: they count, though they are no longer in the graph. */
  readonly earlier?: (run: Run) => readonly EarlierTask[];
  /** Why it stands still, where it has words of its own for that; it may be asked at any time. */
  readonly standing?: (run: Run) => Standing;
  /** What a person may decide about the work as it stands, while nobody works on it. */
  readonly choices?: (run: Run) => readonly Choice[];
}

/** A person's decision that a command of the protocol's own carries out. */
export interface Choice {
  readonly kind: "accept" | "revise";
  readonly label: string;
  /** Whether it needs a reason. */
  readonly reason: "required" | "optional";
  /** The words of the command; without a reason it is called without one. */
  readonly command: (reason: string) => readonly string[];
}

/** A task of a plan that another one replaced, as it stood then (M11). */
export interface EarlierTask {
  /** Which plan it was of: `1.0`. */
  readonly plan: string;
  readonly id: TaskId;
  readonly name: string;
  readonly state: "complete" | "skipped";
  readonly reason: string | null;
  readonly command: string;
  readonly commit: string | null;
  readonly created: readonly string[];
  readonly modified: readonly string[];
  /** The number of its last attempt. */
  readonly attempts: number;
  readonly evidence: Evidence | null;
}

/** Why a run stands still: a code for programs, a sentence for people, and what goes on (M9). */
export interface Standing {
  readonly code: string;
  readonly message: string;
  readonly hint: Hint;
}

/** Whether it stands where whoever drives it wanted it to stop. */
export function hasArrived({ phase, until, within }: Run): boolean {
  return phase === until || (within !== null && phase !== within);
}

type Part = { readonly when: When } | Action;

/** `rule("the plan is there", at("planning"), saw("plan", "valid"), go("plan_review"))` */
export function rule(name: string, ...parts: readonly Part[]): Rule {
  const when: Record<string, readonly string[]> = {};
  let then: Action | undefined;
  for (const part of parts) {
    if ("when" in part) Object.assign(when, part.when);
    else then = part;
  }
  if (!then) throw new Error(`bug: rule "${name}" asks for nothing`);
  return { name, when, then };
}

export const at = (...phases: readonly string[]) => ({ when: { phase: phases } });
export const saw = (subject: string, ...values: readonly string[]) => ({ when: { [subject]: values } });
export const asked = (request: string) => ({ when: { request: [request] } });

export const go = (to: string, counts?: string): Action =>
  counts === undefined ? { kind: "go", to } : { kind: "go", to, counts };
export const job = (role: string, makes: string): Action => ({ kind: "job", role, makes });
export const tasks = (): Action => ({ kind: "tasks" });
export const ask = (question: string, ...options: readonly string[]): Action => ({
  kind: "ask",
  question,
  options,
});
export const wait = (hint: Hint): Action => ({ kind: "wait", hint });
export const halt = (code: string, hint: Hint): Action => ({ kind: "halt", code, hint });
export const end = (outcome: "done" | "failed" = "done"): Action => ({ kind: "end", outcome });

export interface Considered {
  readonly rule: Rule;
  readonly fired: boolean;
  /** The first condition that did not hold. */
  readonly missed: {
    readonly subject: string;
    readonly wanted: readonly string[];
    readonly value: string;
  } | null;
}

export interface Decision {
  readonly rule: Rule | null;
  /** Every subject that was looked at, with what it was. */
  readonly saw: Readonly<Record<string, string>>;
  readonly considered: readonly Considered[];
}

/** The first rule that fires. Pure: the same `seen` gives the same decision (C5). */
export function decide(protocol: Protocol, seen: Seen): Decision {
  const values: Record<string, string> = {};
  const valueSeen = (name: string): string => {
    const known = values[name];
    if (known !== undefined) return known;
    const value = see(protocol, name, seen);
    values[name] = value;
    return value;
  };
  const considered: Considered[] = [];
  for (const each of protocol.rules) {
    const missed = firstMiss(each.when, valueSeen);
    considered.push({ rule: each, fired: missed === null, missed });
    if (missed === null) return { rule: each, saw: values, considered };
  }
  return { rule: null, saw: values, considered };
}

function see(protocol: Protocol, name: string, seen: Seen): string {
  if (name === "phase") return seen.run.phase;
  if (name === "request") return seen.request ?? "none";
  const subject = protocol.subjects[name];
  if (!subject) throw new Error(`bug: protocol ${protocol.name} has no subject ${name}`);
  return subject.see(seen);
}

function firstMiss(when: When, valueSeen: (name: string) => string): Considered["missed"] {
  for (const [subject, wanted] of Object.entries(when)) {
    const value = valueSeen(subject);
    if (!wanted.includes(value)) return { subject, wanted, value };
  }
  return null;
}
