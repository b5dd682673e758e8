// The suggestion object: what the rules ask for next, and on what evidence. The same from the command line, the
// REPL, the library and MCP (L8).
import { type Considered, decide } from "../core/protocol.ts";
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
  const { rule, saw } = decide(run.protocol, { run, request: "advance", digests });
  const to = rule?.then.kind === "go" ? rule.then.to : run.phase;
  return {
    currentPhase: run.phase,
    suggestedNext: to,
    reason: rule?.name ?? "no rule says how to go on",
    action: rule?.then.kind ?? "none",
    hint: rule ? hintOf(run, rule.then) : null,
    evidence: saw,
    alternatives: waysOn(run).filter((phase) => phase !== to),
  };
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
