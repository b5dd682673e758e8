// The suggestion object: what the rules ask for next, and on what evidence. The same from the command line, the
// REPL, the library and MCP (L8).

import { becauseOf, isByHand } from "../core/artifact.ts";
import { type Hint, joined } from "../core/hint.ts";
import { afterHalt } from "../core/idle.ts";
import { type Action, decide } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import { commandOf, hintOf, unknownPhase, waysOn } from "../core/steps/phase.ts";
import { hintText, inShell, type Manner } from "./hint.ts";
import { oneLine } from "./safe.ts";

export interface Suggestion {
  readonly run: string;
  readonly currentPhase: string;
  readonly suggestedNext: string;
  readonly reason: string;
  /** What the documents say that the rule looked at: issues, commands with their last lines, a person's words. */
  readonly because: readonly string[];
  readonly action: string;
  readonly hint: Hint | null;
  readonly evidence: Readonly<Record<string, string>>;
  readonly alternatives: readonly string[];
}

type Digests = Readonly<Record<string, string | null>>;

export function suggestNext(run: Run, digests: Digests): Suggestion {
  const known = run.protocol.phases.map(({ name }) => name);
  if (!known.includes(run.phase)) return lost(run, known);
  const { rule, saw } = decide(run.protocol, { run, request: "advance", digests });
  const to = rule?.then.kind === "go" ? rule.then.to : run.phase;
  return {
    run: run.id,
    currentPhase: run.phase,
    suggestedNext: to,
    reason: rule?.name ?? "no rule says how to go on",
    because: [...haltedWords(run), ...(rule ? becauseOf(run, rule, saw) : [])],
    action: rule?.then.kind ?? "none",
    hint: rule ? hintFor(run, rule.then) : null,
    evidence: saw,
    alternatives: waysOn(run).filter((phase) => phase !== to),
  };
}

/** Nothing is done while a run is halted, whatever the rules ask for. */
function haltedWords({ halt }: Run): string[] {
  return halt ? [`halted: ${halt.reason}`] : [];
}

/** L7: a phase that the protocol does not know has no next one. */
function lost(run: Run, known: readonly string[]): Suggestion {
  return {
    run: run.id,
    currentPhase: run.phase,
    suggestedNext: run.phase,
    reason: unknownPhase(run, run.phase),
    because: [],
    action: "none",
    hint: { do: "restore-view" },
    evidence: { phase: run.phase },
    alternatives: known,
  };
}

/** What is wrong with what is there, field by field; running the phase again fixes it, and so can a person (L5). */
function hintFor(run: Run, action: Action): Hint {
  if (run.halt && (action.kind === "tasks" || action.kind === "job")) return afterHalt(run, run.halt);
  const hint = hintOf(run, action);
  if (action.kind !== "job") return hint;
  const made = run.artifacts[action.makes];
  if (isByHand(made)) return joined(`${made?.problems[0] ?? ""}: `, commandOf(run), " does that");
  const { valid = true, problems = [], path = "" } = run.artifacts[action.makes] ?? {};
  if (valid || problems.length === 0) return hint;
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : "";
  return joined(`${problems.slice(0, 3).join("; ")}${more}: `, hint, `, or fix ${path} by hand`);
}

export function suggestionText(suggestion: Suggestion, manner: Manner = inShell): string {
  const { action, hint, because } = suggestion;
  return [
    whatIsNext(suggestion),
    ...because.map((line) => `  ${oneLine(line)}`),
    ...(hint && action !== "go" ? [`hint: ${hintText(hint, manner)}`] : []),
  ].join("\n");
}

/** In a line, for whoever is about to see it done. */
export function whatIsNext({ currentPhase, suggestedNext, reason, action }: Suggestion): string {
  const what = action === "go" ? `${currentPhase} -> ${suggestedNext}` : `${currentPhase} (${action})`;
  return `${what}: ${reason}`;
}

/** How the suggestion came about: what was seen, and every rule in its order up to the one that fired. */
export interface Explained {
  readonly saw: Readonly<Record<string, string>>;
  readonly rules: readonly {
    readonly rule: string;
    readonly fired: boolean;
    /** Of its conditions, those that were looked at: the last one is why it did not fire. */
    readonly conditions: readonly Condition[];
  }[];
  /** Rules behind the one that fired: nobody looked at them. */
  readonly notLookedAt: number;
}

interface Condition {
  readonly subject: string;
  readonly is: string;
  readonly wanted: readonly string[];
}

export function explained(run: Run, digests: Digests): Explained {
  const { considered, saw } = decide(run.protocol, { run, request: "advance", digests });
  const rules = considered.map(({ rule, fired, missed }) => {
    const all = Object.entries(rule.when).map(([subject, wanted]) => ({
      ...{ subject, is: saw[subject] ?? "", wanted },
    }));
    const upTo = all.findIndex(({ subject }) => subject === missed?.subject);
    return { rule: rule.name, fired, conditions: fired ? all : all.slice(0, upTo + 1) };
  });
  return { saw, rules, notLookedAt: run.protocol.rules.length - rules.length };
}

export function explainText({ saw, rules, notLookedAt }: Explained): string {
  const facts = Object.entries(saw).map(([subject, value]) => `  ${subject} = ${value}`);
  const here = rules.filter(({ fired, conditions }) => fired || conditions.at(-1)?.subject !== "phase");
  const elsewhere = rules.length - here.length;
  const rest = [
    ...(elsewhere > 0 ? [`${elsewhere} for other phases`] : []),
    ...(notLookedAt > 0 ? [`${notLookedAt} behind it, not looked at`] : []),
  ];
  return [
    "saw:",
    ...facts,
    "rules:",
    ...here.map(ruleLine),
    ...(rest.length > 0 ? [`     and ${rest.join(", ")}`] : []),
  ].join("\n");
}

function ruleLine({ rule, fired, conditions }: Explained["rules"][number]): string {
  const missed = conditions.at(-1);
  if (fired || !missed) {
    const seen = conditions.map(({ subject, is }) => `${subject} is ${is}`).join(", ");
    return `  -> ${rule}: fired${seen === "" ? "" : ` (${seen})`}`;
  }
  return `     ${rule}: ${missed.subject} is ${missed.is}, not ${missed.wanted.join(" or ")}`;
}
