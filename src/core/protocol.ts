// Protocols are tables. A subject is something that can be seen of a run, with a finite set of values; a rule
// says for which values it fires and what is asked for then; the first rule that fires decides. Because both are
// finite data, `protocols/check.ts` can try every combination, and `--explain` can print what was seen.
import type { Run } from "./run.ts";

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
  | { readonly kind: "ask"; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: "wait"; readonly hint: string }
  | { readonly kind: "halt"; readonly code: string; readonly hint: string }
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
  /** Where the task graph is worked on, and the phase from which a host's first start leads there. */
  readonly graph?: { readonly opens?: string; readonly runs: string };
  /** How often a failed task is tried again, where the protocol says it and not the policy. */
  readonly retries?: number;
  /** The name of its view, when that is not `state.json`. */
  readonly view?: string;
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
export const wait = (hint: string): Action => ({ kind: "wait", hint });
export const halt = (code: string, hint: string): Action => ({ kind: "halt", code, hint });
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
