// What a diagnosis says: a finding, whether it is proven or suspected, and whether it counts.
import { textDigest } from "../../../host/digest.ts";
import { diagnoses } from "../subjects.ts";
import {
  type Certainty,
  type Diagnosis,
  type Pattern,
  type PatternId,
  patterns,
  type Severity,
  severities,
} from "./catalogue.ts";
import type { Lines, SkillFile } from "./skill.ts";

export {
  type Certainty,
  type Diagnosis,
  diagnoses,
  type Pattern,
  type PatternId,
  patterns,
  type Severity,
  severities,
};

/** Why a finding does not count although it is there: somebody has said so, in the file or in a baseline. */
export interface Suppressed {
  readonly by: "comment" | "baseline";
  readonly why: string;
}

export interface Finding extends Lines {
  readonly id: string;
  /** The same finding after lines have moved: what was found, in which file, and the text it was found in. */
  readonly key: string;
  readonly pattern: PatternId;
  readonly diagnosis: Diagnosis;
  readonly type: string;
  readonly certainty: Certainty;
  readonly severity: Severity;
  readonly file: string;
  readonly description: string;
  readonly evidence: string;
  readonly rootCause: string;
  readonly impact: string;
  readonly strategy: string;
  readonly advice: string;
  /** Other patterns that name the same place. */
  readonly related: readonly PatternId[];
  /** The words of the skill by which an agent confirmed a suspicion. */
  readonly confirmed?: string;
  readonly suppressed?: Suppressed;
}

export interface Occurrence extends Lines {
  readonly file: SkillFile;
  readonly description: string;
  readonly severity?: Severity;
  readonly certainty?: Certainty;
  readonly evidence?: string;
}

export function finding(pattern: PatternId, found: Occurrence): Finding {
  const { file, line, endLine, description } = found;
  const own: Pattern = patterns[pattern];
  const evidence = cut(found.evidence ?? file.lines.slice(line - 1, Math.min(endLine, line + 2)).join("\n"));
  return {
    id: "",
    key: textDigest(`${pattern}\n${file.path}\n${description}\n${evidence}`).slice(0, 16),
    pattern,
    diagnosis: own.diagnosis,
    type: own.type,
    certainty: found.certainty ?? own.certainty,
    severity: found.severity ?? own.severity,
    file: file.path,
    line,
    endLine,
    description,
    evidence,
    rootCause: own.cause,
    impact: own.impact,
    strategy: own.strategy,
    advice: own.advice,
    related: [],
  };
}

/** Whether it counts for score, gate and exit code (S14): proven or confirmed, and not suppressed. */
export function isCounted({
  certainty,
  confirmed,
  suppressed,
}: Pick<Finding, "certainty" | "confirmed" | "suppressed">): boolean {
  return !suppressed && (certainty === "proven" || confirmed !== undefined);
}

/** What is worth a look, and counts for nothing. */
export function isSuggestion(finding: Finding): boolean {
  return !finding.suppressed && !isCounted(finding);
}

function cut(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 300 ? `${trimmed.slice(0, 299)}…` : trimmed;
}
