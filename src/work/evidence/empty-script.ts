// Whether a test command can be red at all. `npm test` and `make test` are words for a script of the tree, and a script
// such as `true`, `echo ok` or `vitest run || true` succeeds whatever the work is, as does a file that only prints. Only what can be read for certain
// counts: a script that this file does not understand may fail.
import { join } from "node:path";
import { recordIn } from "../../core/json.ts";
import { readHandedIn } from "../../host/handed-in.ts";
import { emptyProgram } from "./empty-program.ts";

interface Reading {
  /** Where the command runs, and where no script may lead out of. */
  folder: string;
  readonly root: string;
  /** Scripts on the way here: one that calls itself ends nowhere. */
  readonly within: readonly string[];
  /** The first script behind a word for tests. */
  found: string | undefined;
}

/** The script behind a test command that cannot fail; nothing where it may, or where it is not a test command. */
export function emptyScript(command: string, folder: string): string | undefined {
  const reading: Reading = { folder, root: folder, within: [], found: undefined };
  return cannotFail(command, reading) ? reading.found : undefined;
}

/** Names under which projects keep their tests. */
export const testName =
  /(?:^|[^a-z])(?:tests?|testing|specs?|checks?|verify|unit|e2e|integration|ci|coverage)(?:[^a-z]|$)/i;

interface Part {
  readonly before: string;
  readonly text: string;
}

/** Constructs whose end is not plain to see. */
const involved = /[`(){}]|\$\(|<<|^[ \t]*(?:if|for|while|until|case|function|trap|eval)\b/m;

/** A list of commands, cut at its operators; undefined where that takes a shell. */
function partsOf(text: string): Part[] | undefined {
  const plain = text.replaceAll(/\\\n/g, " ").replaceAll(/^[ \t]*#.*$/gm, "");
  const parts: Part[] = [];
  const pattern = /'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|&&|\|\||>&|&>|[;|&\n]|[^'"&|;\n>]+|>/g;
  let [before, words, end] = ["", "", 0];
  for (const { 0: piece, index } of plain.matchAll(pattern)) {
    if (index !== end) return undefined;
    end = index + piece.length;
    if (/^(?:&&|\|\||[;|&\n])$/.test(piece)) {
      if (words.trim() !== "") parts.push({ before, text: words.trim() });
      if (words.trim() !== "" || piece !== "\n") before = piece;
      words = "";
    } else words += piece;
  }
  if (words.trim() !== "") parts.push({ before, text: words.trim() });
  const outside = plain
    .replaceAll(/'[^']*'/g, "")
    .replaceAll(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g, (each) => (/`|\$\(/.test(each) ? "`" : ""));
  return end !== plain.length || involved.test(outside) ? undefined : parts;
}

/** How a shell judges a list: the last of a pipe, both sides of `&&`, either side of `||`, the last of a sequence. */
function cannotFail(text: string, reading: Reading): boolean {
  const parts = partsOf(text);
  if (!parts) return false;
  const strict = parts.some((part) => /^set -\w*e/.test(part.text));
  let sure = true;
  for (const { before, text: words } of parts) {
    const own = before === "&" || isSure(words, reading);
    if (before === "&&") sure = sure && own;
    else if (before === "||") sure = sure || own;
    else if (before === "|") sure = own;
    else sure = strict ? sure && own : own;
    if (/^exit(?: 0)?$/.test(words) && !["&&", "||"].includes(before)) return sure;
  }
  return sure;
}

const wordless = new Set([
  "true",
  ":",
  "echo",
  "printf",
  "sleep",
  "pwd",
  "date",
  "cd",
  "export",
  "set",
  "wait",
  "clear",
  "tee",
]);
const trivial = /^(?:[\s;0]|process\.exit\(0?\)|console\.log\([^()]*\))*$/;

function isSure(text: string, reading: Reading): boolean {
  const words = wordsOf(text);
  const [name = "", ...args] = words;
  if (name === "cd" && args[0] !== undefined) reading.folder = join(reading.folder, args[0]);
  if (words.length === 0 || wordless.has(name) || text === "cat") return true;
  if (name === "exit") return args.length === 0 || args[0] === "0";
  if (name === "node" && /^-[ep]$|^--eval$/.test(args[0] ?? "")) return trivial.test(args[1] ?? "");
  const program = emptyProgram(words, (path) => textOf(reading, path));
  if (program !== undefined) {
    if (testName.test(text.replaceAll("pytest", "test"))) reading.found ??= program.slice(0, 200);
    return true;
  }
  const script = scriptOf(words, reading);
  if (script === undefined || script === "unknown") return false;
  if (reading.within.includes(script.name) || reading.within.length > 8) return false;
  if (testName.test(script.name)) reading.found ??= script.lines.join("; ").slice(0, 200);
  const inside = { ...reading, folder: script.folder, within: [...reading.within, script.name] };
  const sure = script.lines.every((line) => cannotFail(line, inside));
  reading.found ??= inside.found;
  return sure;
}

function wordsOf(text: string): string[] {
  const words = [...text.matchAll(/(?:[^\s'"]|'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$))+/g)].map(
    ([word]) =>
      word.replaceAll(
        /'([^']*)(?:'|$)|"((?:[^"\\]|\\[\s\S])*)(?:"|\\?$)/g,
        (_, single, double) => single ?? double ?? "",
      ),
  );
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=|^(?:env|command|exec|time)$/.test(word));
  return start < 0 ? [] : words.slice(start);
}

interface Script {
  /** As a person would say it: `npm test`. */
  readonly name: string;
  readonly folder: string;
  readonly lines: readonly string[];
}

function scriptOf([name = "", ...args]: readonly string[], reading: Reading): Script | "unknown" | undefined {
  if (["npm", "pnpm", "yarn", "bun"].includes(name)) return ofPackage(name, args, reading);
  if (name === "node" && args[0] === "--run") return ofPackage("npm", ["run", ...args.slice(1)], reading);
  if (["make", "gmake", "just"].includes(name)) return ofMakefile(name, args, reading);
  const shell = /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|bash|dash|zsh)$/.test(name);
  const file = shell ? args.find((arg) => !arg.startsWith("-")) : /^\.{1,2}\//.test(name) ? name : undefined;
  if (file === undefined || (shell && args.some((arg) => /^-\w*[cs]/.test(arg)))) return undefined;
  const text = textOf(reading, file);
  if (text === undefined || (!shell && !/^#!.*\b(?:sh|bash|dash|zsh)\b/.test(text))) return undefined;
  const strict = /^#!.*sh -\w*e/.test(text) ? "set -e\n" : "";
  return { name: file, folder: reading.folder, lines: [strict + text] };
}

const limitBytes = 256 * 1024;

function textOf({ folder, root }: Reading, path: string): string | undefined {
  const file = join(folder, path);
  if (!file.startsWith(`${root}/`)) return undefined;
  const read = readHandedIn(file, { within: root, links: "inside", most: limitBytes });
  return "text" in read ? read.text : undefined;
}

const elsewhere = /^(?:--prefix|-C|--cwd|--dir)(?:=(.*))?$/;

function ofPackage(
  program: string,
  args: readonly string[],
  reading: Reading,
): Script | "unknown" | undefined {
  const words: string[] = [];
  let folder = reading.folder;
  for (let at = 0; at < args.length && args[at] !== "--"; at++) {
    const arg = args[at] ?? "";
    const moved = elsewhere.exec(arg);
    if (moved) folder = join(folder, moved[1] ?? args[++at] ?? "");
    else if (/^(?:-w|--workspaces?|-r|--recursive|--filter|-F)\b/.test(arg)) return "unknown";
    else if (!arg.startsWith("-")) words.push(arg);
  }
  const [verb = "", called = ""] = words;
  const asked = /^(?:run|run-script|rum)$/.test(verb) ? called : /^(?:test|t|tst)$/.test(verb) ? "test" : "";
  const name = asked || (program === "yarn" || program === "pnpm" ? verb : "");
  if (name === "" || (program === "bun" && verb === "test")) return undefined;
  const scripts = scriptsIn(textOf({ ...reading, folder }, "package.json"));
  if (!scripts) return undefined;
  if (scripts[name] === undefined && !args.includes("--if-present")) return undefined;
  const lines = [`pre${name}`, name, `post${name}`].flatMap((each) => scripts[each] ?? []);
  return { name: `${program} ${name}`, folder, lines: lines.length === 0 ? ["true"] : lines };
}

function scriptsIn(text: string | undefined): Record<string, string> | undefined {
  const found = recordIn<{ scripts?: Record<string, unknown> }>(text);
  if (!found) return undefined;
  const own = Object.entries(found.scripts ?? {}).filter(
    (each): each is [string, string] => typeof each[1] === "string",
  );
  return Object.assign(Object.create(null), Object.fromEntries(own));
}

/** Only targets whose rule is plain text: no variables, no patterns, nothing included. */
function ofMakefile(
  program: string,
  args: readonly string[],
  reading: Reading,
): Script | "unknown" | undefined {
  const moved = args.indexOf("-C");
  const folder = moved < 0 ? reading.folder : join(reading.folder, args[moved + 1] ?? "");
  const rest = args.filter((_, at) => moved < 0 || (at !== moved && at !== moved + 1));
  const [target, ...more] = rest.filter((arg) => !arg.startsWith("-") && !arg.includes("="));
  if (target === undefined || more.length > 0) return "unknown";
  const names =
    program === "just" ? ["justfile", "Justfile", ".justfile"] : ["GNUmakefile", "makefile", "Makefile"];
  const text = names.map((name) => textOf({ ...reading, folder }, name)).find((found) => found !== undefined);
  if (text === undefined || /^(?:-?include|sinclude|import|mod)\b|^%/m.test(text)) return undefined;
  const lines = ruleOf(text, target);
  if (!lines) return undefined;
  const [needs = "", ...recipe] = lines;
  const before = needs.split(/\s+/).filter((each) => each !== "");
  const called = [...before.map((each) => `${program} ${each}`), ...recipe];
  return { name: `${program} ${target}`, folder, lines: called.length === 0 ? ["true"] : called };
}

/** What a target needs first, then its recipe. A line whose failure make ignores cannot fail. */
function ruleOf(text: string, target: string): string[] | undefined {
  const lines = text.replaceAll(/\\\n/g, " ").split("\n");
  const isRule = (line: string) => !/^\s/.test(line) && line.split(/:(?!=)/)[0]?.trim() === target;
  const at = lines.findIndex(isRule);
  // A second rule adds to the first.
  if (at < 0 || lines.slice(at + 1).some(isRule)) return undefined;
  const recipe: string[] = [];
  for (const line of lines.slice(at + 1)) {
    if (/^\s+\S/.test(line)) recipe.push(line.trim());
    else if (line.trim() !== "" && !line.startsWith("#")) break;
  }
  const [, needs = ""] = lines[at]?.split(/:(?!=)/) ?? [];
  const all = [
    needs.split(";")[0] ?? "",
    ...recipe.map((line) => (/^@?-/.test(line) ? "true" : line.replace(/^[@+]+/, ""))),
  ];
  return all.some((line) => line.includes("$")) ? undefined : all;
}
