// The suggestion object: what the rules ask for next, and on what evidence. The same from the command line, the
// REPL, the library and MCP (L8).
import { type Action, type Considered, decide } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import { hintOf, waysOn } from "../core/step-phase.ts";

export interface Suggestion {
  readonly currentPhase: string;
  readonly suggestedNext: string;
  readonly reason: string;
  readonly action: string;
  readonly hint: string | null;
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
    currentPhase: run.phase,
    suggestedNext: to,
    reason: rule?.name ?? "no rule says how to go on",
    action: rule?.then.kind ?? "none",
    hint: rule ? hintFor(run, rule.then) : null,
    evidence: saw,
    alternatives: waysOn(run).filter((phase) => phase !== to),
  };
}

/** L7: a phase that the protocol does not know has no next one. */
function lost(run: Run, known: readonly string[]): Suggestion {
  return {
    currentPhase: run.phase,
    suggestedNext: run.phase,
    reason: `phase \`${run.phase}\` is unknown; the phases are ${known.join(", ")}`,
    action: "none",
    hint: "heddle state restore",
    evidence: { phase: run.phase },
    alternatives: known,
  };
}

/** What is wrong with what is there, field by field; running the phase again mends it, and so can a person (L5). */
function hintFor(run: Run, action: Action): string {
  const hint = hintOf(run, action);
  if (action.kind !== "job") return hint;
  const { valid = true, problems = [], path = "" } = run.artifacts[action.makes] ?? {};
  if (valid || problems.length === 0) return hint;
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : "";
  return `${problems.slice(0, 3).join("; ")}${more}: ${hint}, or mend ${path} by hand`;
}

export function suggestionText({ currentPhase, suggestedNext, reason, action, hint }: Suggestion): string {
  const what = action === "go" ? `${currentPhase} -> ${suggestedNext}` : `${currentPhase} (${action})`;
  return [`${what}: ${reason}`, ...(hint && action !== "go" ? [`hint: ${hint}`] : [])].join("\n");
}

/** Every rule that was looked at, which facts it saw, and why it did or did not fire. */
export function explainText(run: Run, digests: Digests): string {
  const { considered, saw } = decide(run.protocol, { run, request: "advance", digests });
  const facts = Object.entries(saw).map(([subject, value]) => `  ${subject} = ${value}`);
  const here = considered.filter(({ missed }) => missed?.subject !== "phase");
  return ["saw:", ...facts, "rules:", ...here.map(consideredLine)].join("\n");
}

function consideredLine({ rule, fired, missed }: Considered): string {
  const why = missed ? `${missed.subject} is ${missed.value}, not ${missed.wanted.join(" or ")}` : "fired";
  return `  ${fired ? "->" : "  "} ${rule.name}: ${why}`;
}
