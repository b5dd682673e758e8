// Console blocks of the documentation: what a page says that one types, and what it says is printed. A block that cannot run
// here says why beside its language, in the page's source: ```console not-run: it asks a real model
import { readFileSync } from "node:fs";
import type { Code } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";

export interface Step {
  readonly command: string;
  /** Lines, with `…` for what varies; none when the page shows none. */
  readonly printed: readonly string[];
  readonly line: number;
}

export interface Block {
  readonly line: number;
  readonly steps: readonly Step[];
  /** Why it is not run. */
  readonly notRun?: string;
}

/** A file that the page tells its reader to write: a block with ```yaml file: tasks.yaml */
export interface PageFile {
  readonly path: string;
  readonly text: string;
  readonly line: number;
}

export interface Page {
  readonly blocks: readonly Block[];
  readonly files: readonly PageFile[];
  /** Blocks in a shell's language that are no console blocks: a reader would type them, and nothing tries them. */
  readonly untried: readonly number[];
}

const filePattern = /^file: (\S+)$/;
const shells = new Set(["sh", "bash", "shell", "zsh", "shell-session"]);

export function pageAt(path: string): Page {
  const codes = fromMarkdown(readFileSync(path, "utf8")).children.flatMap((node) =>
    node.type === "code" ? [node] : [],
  );
  return {
    blocks: codes.filter(({ lang }) => lang === "console").map(blockOf),
    files: codes.flatMap(fileOf),
    untried: codes.filter(isUntried).map(lineOf),
  };
}

/** For a shell, or without a language and in a shell's words. */
const isUntried = ({ lang, meta, value }: Code) =>
  lang ? shells.has(lang) && !filePattern.test(meta ?? "") : /^(?:\$ |heddle [a-z]|npm |git )/m.test(value);

const lineOf = ({ position }: Code) => position?.start.line ?? 0;

function blockOf(code: Code): Block {
  const [, why] = /^not-run: (.+)$/.exec(code.meta ?? "") ?? [];
  if (code.meta && why === undefined)
    throw new Error(`line ${lineOf(code)}: \`${code.meta}\` means nothing here`);
  return { line: lineOf(code), steps: stepsOf(code), ...(why !== undefined && { notRun: why }) };
}

function stepsOf(code: Code): Step[] {
  const steps: { command: string; printed: string[]; line: number }[] = [];
  for (const [at, line] of code.value.split("\n").entries()) {
    if (line.startsWith("$ ")) {
      const command = line.slice(2).replace(/\s{2,}#.*$/, "");
      steps.push({ command, printed: [], line: lineOf(code) + 1 + at });
    } else steps.at(-1)?.printed.push(line);
  }
  for (const { printed } of steps) while (printed.at(-1)?.trim() === "") printed.pop();
  return steps;
}

function fileOf(code: Code): PageFile[] {
  const [, path] = filePattern.exec(code.meta ?? "") ?? [];
  return path === undefined ? [] : [{ path, text: `${code.value}\n`, line: lineOf(code) }];
}

/** Whether that was printed: a line `…` stands for any lines, `…` in a line for anything in it. */
export function isPrinted(expected: readonly string[], printed: string): boolean {
  const pattern = expected
    .map((line) => (line.trim() === "…" ? "(?:[^\\n]*\\n)*?" : `${lineWith(line)}[ ]*\\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${printed.replace(/^\n+|\s+$/g, "")}\n`);
}

const lineWith = (line: string) =>
  line
    .trimEnd()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^\\n]*");
