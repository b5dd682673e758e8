// The six diagnoses in their order, and what they found as one list: numbered, without the same fault twice.
import { diagnoseAgent } from "./diagnoses/agent.ts";
import { diagnoseContext } from "./diagnoses/context.ts";
import { diagnoseDataflow } from "./diagnoses/dataflow.ts";
import { diagnoseDocs } from "./diagnoses/docs.ts";
import { diagnoseTokens } from "./diagnoses/token.ts";
import { type Diagnosis, diagnoses, type Finding, type Pattern, patterns, severities } from "./finding.ts";
import { type Seen, see } from "./see.ts";
import type { Skill } from "./skill.ts";

const ways: Readonly<Record<Diagnosis, (seen: Seen) => Finding[]>> = {
  context: diagnoseContext,
  // No rule that looked for lost constraints was right often enough on skills that it had not seen
  // (docs/tuning-precision.md); an agent looks for them (`--deep`).
  memory: () => [],
  dataflow: diagnoseDataflow,
  agent: diagnoseAgent,
  docs: diagnoseDocs,
  token_consumption: diagnoseTokens,
};

/** What is found in a skill by all diagnoses; a focus narrows what is shown of it (`isInFocus`), never what is so. */
export function diagnose(skill: Skill): readonly Finding[] {
  const seen = see(skill);
  const found = diagnoses.flatMap((name) => ways[name](seen));
  return withoutDoubles(found).map((each, at) => ({ ...each, id: `ISS-${String(at + 1).padStart(3, "0")}` }));
}

export function isInFocus(diagnosis: string, focus: readonly string[]): boolean {
  return focus.length === 0 || focus.includes("all") || focus.includes(diagnosis);
}

/** Of patterns of one group that meet at one place, the most severe speaks for the others. */
function withoutDoubles(found: readonly Finding[]): Finding[] {
  const kept: Finding[] = [];
  const rank = ({ severity }: Finding) => severities.indexOf(severity);
  for (const each of [...found].sort((a, b) => rank(a) - rank(b))) {
    const at = kept.findIndex((other) => isSameFault(other, each));
    const same = kept[at];
    if (!same) kept.push(each);
    else if (same.pattern !== each.pattern && !same.related.includes(each.pattern))
      kept[at] = { ...same, related: [...same.related, each.pattern] };
  }
  return kept.sort(
    (a, b) => found.findIndex((one) => isPlace(one, a)) - found.findIndex((one) => isPlace(one, b)),
  );
}

function isPlace(a: Finding, b: Finding): boolean {
  return a.pattern === b.pattern && a.file === b.file && a.line === b.line;
}

function isSameFault(a: Finding, b: Finding): boolean {
  const meet = a.file === b.file && a.line <= b.endLine && b.line <= a.endLine;
  if (a.pattern === b.pattern)
    return a.file === b.file && a.line === b.line && a.description === b.description;
  const [one, other]: Pattern[] = [patterns[a.pattern], patterns[b.pattern]];
  return meet && one?.group !== undefined && one.group === other?.group;
}
