// A skill as the diagnoses see it: its files with what a Markdown parser found in them, every part with its lines.
// Lines count from 1. Nothing here reads a disk; `read.ts` does.
import type { Problem } from "../../../core/problem.ts";

export type Kind =
  | "claude-skill"
  | "claude-agent"
  | "claude-command"
  | "codex-skill"
  | "codex-prompt"
  | "opencode-agent"
  | "opencode-command"
  | "gemini-agent"
  | "gemini-command"
  | "instructions"
  | "skill"
  | "prompt";

export interface Lines {
  readonly line: number;
  readonly endLine: number;
}

export interface Section extends Lines {
  readonly title: string;
  readonly depth: number;
}

/** A sentence or two of prose: a paragraph, a list item, a table's cell. */
export interface Statement extends Lines {
  readonly text: string;
  readonly form: "paragraph" | "item" | "cell";
  /** Titles of the headings above it, outermost first, in lower case. */
  readonly under: readonly string[];
  /** Shown as what not to do. */
  readonly isWarning: boolean;
}

export interface Block extends Lines {
  readonly language: string;
  readonly text: string;
  readonly under: readonly string[];
  readonly isWarning: boolean;
}

export interface Reference extends Lines {
  readonly target: string;
  /** What a reader sees of it. */
  readonly label: string;
  /** A link, a path in code marks, or an `@path` that the host puts in place of itself. */
  readonly form: "link" | "path" | "include";
}

export interface Row extends Lines {
  readonly cells: readonly string[];
  readonly under: readonly string[];
}

export interface FrontMatter extends Lines {
  readonly values: Readonly<Record<string, unknown>>;
  readonly fault?: { readonly message: string; readonly line: number };
  /** It has a beginning and no end. */
  readonly isOpen?: true;
}

export interface SkillFile {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly tokens: number;
  readonly front: FrontMatter | undefined;
  readonly sections: readonly Section[];
  readonly statements: readonly Statement[];
  readonly blocks: readonly Block[];
  readonly rows: readonly Row[];
  readonly references: readonly Reference[];
  /** The document, when the file is JSON and parses. */
  readonly json?: unknown;
}

export interface Skill {
  readonly name: string;
  readonly kind: Kind;
  /** Absolute: the folder that its files lie in. */
  readonly folder: string;
  readonly entry: SkillFile;
  /** With the entry, in order of their paths. */
  readonly files: readonly SkillFile[];
  /** Whether something lies at a path relative to the skill's folder. */
  readonly has: (path: string) => boolean;
  /** Files that could not be read. */
  readonly problems: readonly Problem[];
}

export function documentsOf({ files }: Skill): readonly SkillFile[] {
  return files.filter(({ path }) => /\.(md|toml)$/.test(path));
}

/** A folder with a `SKILL.md` is the skill's own; beside an agent or a command lie others. */
export function ownsFolder(entry: string): boolean {
  return /(^|\/)skill\.md$/i.test(entry);
}
