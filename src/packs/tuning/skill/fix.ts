// A fix: what would be changed in a skill so that a finding is gone. Each one changes at most one file that is there, beside
// files that it adds, so that it happens as a whole or not at all (`apply.ts`).
import type { Finding } from "./finding.ts";
import type { Skill, SkillFile } from "./skill.ts";

export type Risk = "low" | "medium" | "high";
export const risks: readonly Risk[] = ["low", "medium", "high"];

export interface Change {
  readonly file: string;
  /** `null`: the file is new. */
  readonly before: string | null;
  readonly after: string;
}

export interface Fix {
  readonly id: string;
  readonly issues: readonly string[];
  /** The finding that must be gone: its pattern, and the file it is in. */
  readonly pattern: Finding["pattern"];
  readonly file: string;
  readonly strategy: string;
  readonly description: string;
  readonly risk: Risk;
  readonly changes: readonly Change[];
  readonly diff: string;
  /** How it will be seen that it helped. */
  readonly verification: string;
}

export interface Remedy {
  readonly description: string;
  readonly risk: Risk;
  readonly changes: readonly Change[];
}

export interface Case {
  readonly finding: Finding;
  readonly skill: Skill;
  readonly file: SkillFile;
}

/** How it is seen that a fix has helped. */
export function verificationOf({ diagnosis, pattern, file }: Finding): string {
  return `${diagnosis} is diagnosed again: ${pattern} in ${file} must be gone and the score higher`;
}

/** Fixes one kind of finding, or nothing when only somebody who understands the skill could. */
export type Strategy = (found: Case) => Remedy | undefined;

export function changed({ path, text }: SkillFile, after: string): Change {
  return { file: path, before: text, after };
}

/** The file with some of its lines replaced; line numbers count from 1. */
export function withLines(
  file: SkillFile,
  { line, endLine }: { readonly line: number; readonly endLine: number },
  lines: readonly string[],
): Change {
  return changed(file, [...file.lines.slice(0, line - 1), ...lines, ...file.lines.slice(endLine)].join("\n"));
}

export function withAfter(file: SkillFile, line: number, lines: readonly string[]): Change {
  return withLines(file, { line: line + 1, endLine: line }, lines);
}
