// `inputs/constraints.md`: what a person has decided before anything is planned, in free words (X4). Bundles carry the text
// as it is, and beside it what the first implementation read out of it by name, for executors that look for those fields.
import { join } from "node:path";
import type { Json, Run } from "../../core/run.ts";
import { readText } from "../../host/files.ts";

type Decided = { readonly [key: string]: Json };

/** What is longer is cut: it stands in every bundle. */
const longest = 64 * 1024;

export const constraintsFile = ({ planningDir }: Pick<Run, "planningDir">) =>
  join(planningDir, "inputs/constraints.md");

export function constraintsFor(
  run: Pick<Run, "planningDir">,
  metadata: Readonly<Record<string, Json>>,
): Decided {
  const decided = { tech_stack: metadata.tech_stack ?? null };
  const read = readText(constraintsFile(run), longest * 4);
  return "text" in read && read.text.trim() !== "" ? { ...decided, ...readConstraints(read.text) } : decided;
}

const named = {
  language: [
    "TypeScript",
    "JavaScript",
    "Python",
    "Rust",
    "Go",
    "Java",
    "Kotlin",
    "Ruby",
    "PHP",
    "C#",
    "Swift",
  ],
  framework: [
    "FastAPI",
    "Django",
    "Flask",
    "Express",
    "NestJS",
    "Next.js",
    "React",
    "Vue",
    "Rails",
    "Spring",
  ],
  testing: [
    "pytest",
    "vitest",
    "jest",
    "mocha",
    "unittest",
    "RSpec",
    "JUnit",
    "node:test",
    "cargo test",
    "go test",
  ],
} as const;

/** The first name that the text has as a word of its own; a text that rules one out is not understood, hence `raw`. */
function readConstraints(text: string): Decided {
  const found = Object.entries(named).flatMap(([field, names]) => {
    const first = names
      .map((name) => ({ name, at: placeOf(text, name) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    return first ? [[field, first.name] as const] : [];
  });
  const raw = text.length > longest ? `${text.slice(0, longest)}\n…` : text;
  return { ...Object.fromEntries(found), patterns: patternsIn(text), raw };
}

/** `Go` is a word of English, too: names that are stand as they are written. */
function placeOf(text: string, name: string): number {
  const escaped = name.replace(/[.*+?^${}()|[\]\\#]/g, "\\$&");
  const found = new RegExp(`(?<![\\w.])${escaped}(?![\\w#+])`, name === "Go" ? "" : "i").exec(text);
  return found?.index ?? -1;
}

const mostPatterns = 50;

/** Its list items: each is a thing to keep to. */
function patternsIn(text: string): string[] {
  const items = text.matchAll(/^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(\S[^\n]*)$/gm);
  return [...items].slice(0, mostPatterns).map(([, item = ""]) => item.trim());
}
