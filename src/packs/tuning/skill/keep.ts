// A fix keeps the author's words (S15): whatever it takes away must be found again in a place where a host would read
// it, and code stays as it is. What is not kept is named, so that whoever proposed the fix can be told.
import { dirname, join, normalize } from "node:path";
import type { Change } from "./fix.ts";
import { skillFile } from "./read.ts";
import type { Skill, SkillFile } from "./skill.ts";

/** What a change would lose, or nothing. `freed` are words that the finding itself is about, such as a dead path. */
export function lostBy(skill: Skill, after: Skill, { changes, freed = "" }: Loss): string | undefined {
  for (const { file, before, after: text } of changes) {
    if (before === null) continue;
    const old = skill.files.find(({ path }) => path === file) ?? skillFile(file, before);
    const now = after.files.find(({ path }) => path === file) ?? skillFile(file, text);
    const changedCode = codeOf(old).find((block) => !codeOf(now).includes(block));
    if (changedCode !== undefined) return `code: ${shortOf(changedCode)}`;
  }
  const readable = new Set(readableOf(after).flatMap(({ text }) => wordsIn(text)));
  const isFree = new Set(wordsIn(freed));
  for (const { before } of changes) {
    const lost = wordsIn(before ?? "").find((word) => !readable.has(word) && !isFree.has(word));
    if (lost !== undefined) return `\`${lost}\``;
  }
  return lostSentence(skill, after, { changes, freed });
}

interface Loss {
  readonly changes: readonly Change[];
  readonly freed?: string;
}

/** A sentence is kept when its words stand together again, in whatever order a person would put them. */
function lostSentence(skill: Skill, after: Skill, { changes, freed = "" }: Loss): string | undefined {
  const told = readableOf(after)
    .flatMap((file) => [...statementsOf(file), ...frontOf(file)])
    .map(wordsIn);
  const isFree = new Set(wordsIn(freed));
  for (const { file, before } of changes) {
    if (before === null) continue;
    const old = skill.files.find(({ path }) => path === file) ?? skillFile(file, before);
    for (const said of [...statementsOf(old).flatMap(sentencesIn), ...frontOf(old)]) {
      const words = wordsIn(said).filter((word) => !isFree.has(word));
      if (words.length > 0 && !told.some((each) => words.every((word) => each.includes(word))))
        return `"${shortOf(said)}"`;
    }
  }
  return undefined;
}

function statementsOf({ statements, sections }: SkillFile): string[] {
  return [...statements.map(({ text }) => text), ...sections.map(({ title }) => title)];
}

function sentencesIn(text: string): string[] {
  return text.split(/(?<=[.!?;:])\s+/);
}

/** Each key with its value, and all of them together; what cannot be parsed line by line. */
function frontOf({ front, lines }: SkillFile): string[] {
  if (!front) return [];
  if (front.fault) return lines.slice(0, front.endLine).filter((line) => /\w/.test(line));
  const fields = Object.entries(front.values).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [...fields, fields.join(" ")];
}

function codeOf({ blocks }: SkillFile): string[] {
  return blocks.map(({ text }) => text);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function shortOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** The entry, and what can be reached from it by following what it names. */
function readableOf({ entry, files }: Skill): readonly SkillFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set<SkillFile>([entry]);
  for (const file of found)
    for (const { target } of file.references)
      for (const path of [normalize(join(dirname(file.path), target)), normalize(target)]) {
        const next = byPath.get(path);
        if (next) found.add(next);
      }
  return [...found];
}
