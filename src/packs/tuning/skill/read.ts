// Reads a skill from the disk: its entry and, when it is a folder, the Markdown and JSON below it. Bounded, so that no
// folder is too deep and no file too large; links that lead outside are not followed.
import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { toCall } from "../../../core/hint.ts";
import { readJson } from "../../../core/json.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import { isPlainFile, isThere, readText, staysInside } from "../../../host/files.ts";
import { parseMarkdown } from "./markdown.ts";
import { type Kind, ownsFolder, type Skill, type SkillFile } from "./skill.ts";
import { tokensOf } from "./tokens.ts";
import { parseCommand } from "./toml.ts";

const maxFileBytes = 1024 * 1024;
const maxFiles = 500;
const maxDepth = 6;

const notRead = /^(node_modules|\.git|dist|build|__pycache__|\.venv|\.heddle|\.backup)$/;

/** Where a skill stands: its entry, and the folder its other files may lie in. */
export interface SkillPlace {
  readonly entry: string;
  readonly kind: Kind;
}

export function readSkill({ entry, kind }: SkillPlace): Skill | Problem {
  const folder = dirname(entry);
  const paths = ownsFolder(entry) ? filesBelow(folder) : [basename(entry)];
  const problems: Problem[] = [];
  const files: SkillFile[] = [];
  for (const path of paths) {
    const file = readSkillFile(folder, path);
    if ("code" in file) problems.push(file);
    else files.push(file);
  }
  const own = files.find(({ path }) => path === basename(entry));
  if (!own) return problems.find(({ place }) => place?.file === entry) ?? notThere(entry);
  const has = (path: string) => isThere(join(folder, path));
  return { name: nameOf(own, entry), kind, folder, entry: own, files, has, problems };
}

function notThere(entry: string): Problem {
  return problem("no-skill", `\`${entry}\` is not there`, { hint: toCall("tune --check --all") });
}

function nameOf({ front }: SkillFile, entry: string): string {
  const name = front?.values.name;
  if (typeof name === "string" && name !== "") return name;
  return ownsFolder(entry) ? basename(dirname(entry)) : basename(entry, extname(entry));
}

function readSkillFile(folder: string, path: string): SkillFile | Problem {
  const read = readText(join(folder, path), maxFileBytes);
  return "problem" in read ? read.problem : skillFile(path, read.text);
}

export function skillFile(path: string, text: string): SkillFile {
  const shared = { path, text, lines: text.split("\n"), tokens: tokensOf(text) };
  if (path.endsWith(".md")) return { ...shared, ...parseMarkdown(text) };
  if (path.endsWith(".toml")) return { ...shared, ...parseCommand(text) };
  const nothing = { front: undefined, sections: [], statements: [], blocks: [], rows: [], references: [] };
  const read = readJson(text);
  return { ...shared, ...nothing, ...("value" in read && { json: read.value }) };
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const walk = (at: string, depth: number) => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort(byName)) {
      const path = join(at, entry.name);
      if (found.length >= maxFiles || notRead.test(entry.name)) continue;
      // A folder with a skill of its own is another skill.
      const isOther = entry.isDirectory() && isPlainFile(join(path, "SKILL.md"));
      if (entry.isDirectory() && depth < maxDepth && !isOther) walk(path, depth + 1);
      else if (/\.(md|json)$/.test(entry.name) && isReadable(folder, path))
        found.push(relative(folder, path));
    }
  };
  walk(folder, 0);
  return found;
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function isReadable(folder: string, path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return (
    stat?.isFile() === true ||
    (stat?.isSymbolicLink() === true && staysInside(folder, relative(folder, path)))
  );
}
