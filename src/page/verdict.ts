// What a document says of itself, line by line: lines for people, or a plan's verdict with its summary and its notes.
import { becauseOf, saidIn } from "../core/artifact.ts";
import type { Rule } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import type { Artifact } from "../core/run-parts.ts";

export function linesOf({ content }: Pick<Artifact, "content">): readonly string[] {
  const said = saidIn(content);
  if (said.length > 0) return said;
  const { verdict, summary, issues } = content;
  if (typeof verdict !== "string") return [];
  const notes = Array.isArray(issues) ? issues.filter((each) => typeof each === "string") : [];
  const isSummed = typeof summary === "string" && summary.trim() !== "";
  return [`Verdict: ${verdict}${isSummed ? `: ${summary}` : ""}`, ...notes];
}

/** Why a rule fired, in the words of the documents that it looked at. */
export function whyRule(run: Run, rule: Rule, saw: Readonly<Record<string, string>>): readonly string[] {
  const because = becauseOf(run, rule, saw);
  if (because.length > 0) return because;
  const names = Object.keys(rule.when).map((subject) => run.protocol.subjects[subject]?.artifact ?? "");
  const found = names.flatMap((name) => run.artifacts[name] ?? []);
  return found.filter(({ valid }) => valid).flatMap(linesOf);
}

/** What is to be known of a plan that was judged ready, with notes; nothing where there are none. */
export function notesOf(run: Run): readonly string[] {
  const noted = Object.values(run.artifacts).filter(
    ({ valid, content }) => valid && content.verdict === "READY_WITH_NOTES",
  );
  return noted.flatMap(linesOf);
}
