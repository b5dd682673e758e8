// A Problem as people read it: the sentence, where, the line itself, and something to type.
import type { Location, Problem } from "../core/problem.ts";
import { hintText, inShell } from "./hint.ts";
import { oneLine } from "./safe.ts";

export function problemText(problem: Problem, word = "error", manner = inShell): string {
  const lines = [`${word}: ${oneLine(problem.message)}`];
  if (problem.place) lines.push(...placeLines(problem.place));
  for (const note of problem.notes ?? []) lines.push(`  ${oneLine(note)}`);
  if (problem.hint) lines.push(`hint: ${oneLine(hintText(problem.hint, manner))}`);
  return lines.join("\n");
}

function placeLines({
  file,
  line,
  column = 1,
  sourceColumn = column,
  pointer,
  source,
  length = 1,
}: Location): string[] {
  const where = line === undefined ? "" : `:${line}:${column}`;
  const inside = pointer ? ` (${oneLine(pointer)})` : "";
  const lines = [` --> ${oneLine(file)}${where}${inside}`];
  if (source === undefined || line === undefined) return lines;
  const gutter = " ".repeat(String(line).length);
  const before = Math.max(0, Math.min(sourceColumn - 1, source.length));
  const marks = "^".repeat(Math.max(1, Math.min(length, source.length - before)));
  return [
    ...lines,
    `${gutter} |`,
    `${line} | ${oneLine(source)}`,
    `${gutter} | ${" ".repeat(before)}${marks}`,
  ];
}
