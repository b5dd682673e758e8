// Token consumption: what is loaded although it is not needed, and what is longer than its host takes.
import { dirname, join, normalize } from "node:path";
import { type Finding, finding } from "../finding.ts";
import type { Code, Seen } from "../see.ts";
import { ownsFolder, type SkillFile } from "../skill.ts";
import { tokensOf } from "../tokens.ts";
import { lineOfKey } from "./agent.ts";
import { growthIn, holdsRead, promptsIn, withoutTexts } from "./growth.ts";

/** What the Agent Skills specification advises for the body of a SKILL.md, and takes for its fields. */
const advisedTokens = 5000;
const longest: Readonly<Record<string, number>> = { description: 1024, compatibility: 500 };
/** What Codex reads of AGENTS.md (`project_doc_max_bytes`). */
const codexBytes = 32 * 1024;

export function diagnoseTokens(seen: Seen): Finding[] {
  return [
    ...large(seen),
    ...cutOff(seen),
    ...seen.codes.flatMap(reads),
    ...seen.codes.flatMap(lists),
    ...longFields(seen),
    ...includesItself(seen),
  ];
}

function large({ skill: { entry: file } }: Seen): Finding[] {
  if (!ownsFolder(file.path) || file.tokens <= advisedTokens) return [];
  const { lines, tokens } = file;
  const [longestPart] = file.sections
    .filter(({ depth }) => depth === 2)
    .map(({ title, line, endLine }) => ({
      title,
      tokens: tokensOf(lines.slice(line - 1, endLine).join("\n")),
    }))
    .sort((a, b) => b.tokens - a.tokens);
  const part = longestPart ? `; ${longestPart.tokens} of them under "${longestPart.title}"` : "";
  return [
    finding("TKN-001", {
      file,
      line: 1,
      endLine: lines.length,
      description: `${tokens} tokens are loaded at once, at most ${advisedTokens} are advised${part}`,
      evidence: `${lines.length} lines`,
    }),
  ];
}

/** Beside a SKILL.md it is a part of that skill, and no host reads it by itself. */
function cutOff({ skill: { entry: file, has } }: Seen): Finding[] {
  const bytes = Buffer.byteLength(file.text);
  if (!/(^|\/)AGENTS\.md$/.test(file.path) || bytes <= codexBytes || has("SKILL.md")) return [];
  const line = Buffer.from(file.text).subarray(0, codexBytes).toString().split("\n").length;
  return [
    finding("TKN-008", {
      file,
      line,
      endLine: file.lines.length,
      description: `${bytes} bytes, of which Codex reads ${codexBytes}: it ends in line ${line}`,
    }),
  ];
}

function reads(code: Code): Finding[] {
  return promptsIn(code).flatMap((token) =>
    token.holes
      .filter((hole) => holdsRead(withoutTexts(hole)))
      .map((hole) => {
        const line = token.line + (token.text.slice(0, token.text.indexOf(hole)).match(/\n/g)?.length ?? 0);
        return finding("TKN-003", {
          file: code.file,
          line,
          endLine: line,
          description: `\`${hole}\` reads a file into the prompt`,
        });
      }),
  );
}

/** Everything that belongs to the state is loaded in every step. */
function lists(code: Code): Finding[] {
  return growthIn(code)
    .filter(({ name }) => /^(state|this\.state|self\.state|session|memory|ctx)\./.test(name))
    .filter(({ name }) => !isBounded(name, code.file))
    .map(({ name, line, endLine }) =>
      finding("TKN-004", { file: code.file, line, endLine, description: `\`${name}\` only ever grows` }),
    );
}

/** By the work there is, or by a limit that is named. */
function isBounded(name: string, { text }: SkillFile): boolean {
  if (/\.(completed|reviewed|done|visited|processed|finished|skipped)_?\w*$/i.test(name)) return true;
  return /iterations?$/i.test(name) && /max_?iterations/i.test(text);
}

function longFields({ skill: { entry: file, kind } }: Seen): Finding[] {
  const { front, lines } = file;
  if (!front || !/skill$/.test(kind)) return [];
  return Object.entries(longest).flatMap(([key, most]) => {
    const text = front.values[key];
    if (typeof text !== "string" || [...text].length <= most) return [];
    const line = lineOfKey(lines, front.line, new RegExp(`^${key}\\s*:`));
    const description = `\`${key}\` has ${[...text].length} characters, hosts take ${most}`;
    return [finding("TKN-006", { file, line, endLine: line, description })];
  });
}

/** Only where hosts put the file in place of `@`. */
function includesItself({ documents, skill }: Seen): Finding[] {
  if (skill.kind !== "instructions" && !skill.kind.endsWith("-command")) return [];
  const byPath = new Map(documents.map((file) => [file.path, file]));
  return documents.flatMap((file) => {
    const back = file.references.find(
      ({ form, target }) => form === "include" && leadsTo(byPath, targetOf(file, target, byPath), file.path),
    );
    return back
      ? [
          finding("TKN-007", {
            file,
            line: back.line,
            endLine: back.endLine,
            description: `\`@${back.target}\` leads back to this file`,
          }),
        ]
      : [];
  });
}

function targetOf(file: SkillFile, target: string, byPath: ReadonlyMap<string, SkillFile>): string {
  const beside = normalize(join(dirname(file.path), target));
  return byPath.has(beside) ? beside : normalize(target);
}

function leadsTo(byPath: ReadonlyMap<string, SkillFile>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === to) return true;
    const file = byPath.get(path);
    if (!file || seen.has(path)) continue;
    seen.add(path);
    for (const { form, target } of file.references)
      if (form === "include") open.push(targetOf(file, target, byPath));
  }
  return false;
}
