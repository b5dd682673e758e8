// Documents that say nothing, and front matter that hosts cannot use.
import { type Finding, finding } from "../finding.ts";
import type { Seen } from "../see.ts";
import type { Kind, SkillFile } from "../skill.ts";

export function diagnoseDocs(seen: Seen): Finding[] {
  return [...empty(seen), ...frontMatter(seen)];
}

/** Headings and comments alone tell an agent nothing. */
function empty({ skill: { entry } }: Seen): Finding[] {
  const { front, lines } = entry;
  if (front?.fault) return [];
  const body = lines
    .slice(front && !entry.path.endsWith(".toml") ? front.endLine : 0)
    .join("\n")
    .replace(/<!--[\s\S]*?(-->|$)/g, "")
    .replace(/^\s{0,3}#{1,6}[^\n]*$/gm, "");
  if (/[\p{L}\p{N}]/u.test(body)) return [];
  const line = Math.max(1, Math.min(lines.length, (front?.endLine ?? 0) + 1));
  const description = "there is no text that an agent could follow";
  return [
    finding("DOC-EMPTY-001", {
      file: entry,
      line,
      endLine: line,
      description,
      evidence: lines[0] || "(empty)",
    }),
  ];
}

const needs: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  // Claude Code takes the folder's name.
  "claude-skill": ["description"],
  "claude-agent": ["name", "description"],
  "codex-skill": ["name", "description"],
  "gemini-agent": ["name", "description"],
  "opencode-agent": ["description"],
  skill: ["name", "description"],
};

const skillKinds: readonly Kind[] = ["skill", "claude-skill", "codex-skill"];
const hostName = /^[\p{Ll}\p{Lo}\p{Nd}]+(-[\p{Ll}\p{Lo}\p{Nd}]+)*$/u;
const longestName = 64;

function frontMatter({ skill }: Seen): Finding[] {
  const { entry: file, kind } = skill;
  const { front } = file;
  if (front?.fault) {
    const { line, message } = front.fault;
    return [finding("DOC-FRONT-001", { file, line, endLine: line, description: message })];
  }
  return [...missingKeys(file, kind, front?.endLine ?? 1), ...wrongName(file, kind)];
}

/** A note where a skill was is no skill. */
function isMoved({ text, front }: SkillFile): boolean {
  return !front && text.length < 600 && /\b(moved|renamed|deprecated|superseded)\b/i.test(text);
}

function missingKeys(file: SkillFile, kind: Kind, endLine: number): Finding[] {
  if (isMoved(file)) return [];
  const missing = (needs[kind] ?? []).filter((key) => {
    const value = file.front?.values[key];
    return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
  });
  if (missing.length === 0) return [];
  const description = `the front matter has no ${missing.map((key) => `\`${key}\``).join(" and no ")}`;
  return [
    finding("DOC-FRONT-002", { file, line: 1, endLine, description, evidence: file.lines[0] || "(empty)" }),
  ];
}

function wrongName(file: SkillFile, kind: Kind): Finding[] {
  const name = file.front?.values.name;
  if (!skillKinds.includes(kind) || typeof name !== "string" || name.trim() === "") return [];
  if (hostName.test(name) && name.length <= longestName) return [];
  const line = file.lines.findIndex((text) => /^name\s*:/.test(text)) + 1 || 1;
  const shown = name.length > 80 ? `${name.slice(0, 79)}…` : name;
  return [
    finding("DOC-FRONT-003", {
      file,
      line,
      endLine: line,
      description: `\`${shown}\` is not a name that hosts take`,
    }),
  ];
}
