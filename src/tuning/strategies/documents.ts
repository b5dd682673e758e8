// Strategies that change how a skill's documents are made up: one place for each thing, long parts on their own.
import { dirname, join, relative } from "node:path";
import { closing, stringValue } from "../code.ts";
import { sizes } from "../diagnoses/token.ts";
import { type Change, changed, type Strategy, withAfter, withLines } from "../fix.ts";
import { see } from "../see.ts";
import type { Section, SkillFile } from "../skill.ts";
import { tokensOf } from "../tokens.ts";
import { replaced, spotOf, withBlock } from "./spot.ts";

function pathFrom(file: SkillFile, target: string): string {
  return relative(dirname(join("/", file.path)), join("/", target));
}

/** The second copy becomes a pointer to the first. */
export const pointToFirst: Strategy = ({ finding, file }) => {
  const [, first] = /in `([^`]+)` line/.exec(finding.description) ?? [];
  if (first === undefined) return undefined;
  const block = file.blocks.find(({ line }) => line === finding.line);
  const lines = block ? { line: block.line - 1, endLine: block.endLine + 1 } : finding;
  const source = file.lines[finding.line - 1] ?? "";
  if (!block && /^\s*(\||>)/.test(source)) return undefined;
  const mark = /^\s*(?:[-*+]|\d+\.)\s+|^\s*/.exec(source)?.[0] ?? "";
  const text = first === file.path ? "As above." : `See [${first}](${pathFrom(file, first)}).`;
  return {
    description: `keep it in \`${first}\` alone`,
    risk: "medium",
    changes: [withLines(file, lines, [block ? text : mark + text])],
  };
};

/** A type that another file defines is named, not defined again. */
export const typeElsewhere: Strategy = (found) => {
  const spot = spotOf(found);
  const [, name, first] = /`(\w+)` is defined in `([^`]+)`/.exec(found.finding.description) ?? [];
  const at =
    spot?.tokens.findIndex(
      ({ text, line }) => line === found.finding.line && /^(interface|type)$/.test(text),
    ) ?? -1;
  const open = spot?.tokens.findIndex(({ text }, index) => index > at && text === "{") ?? -1;
  if (!spot || at < 0 || open < 0 || name === undefined) return undefined;
  const [from, to] = [spot.tokens[at], spot.tokens[closing(spot.tokens, open)]];
  if (!from || !to) return undefined;
  const text = replaced(spot.block.text, { from: from.at, to: to.at + 1 }, `// ${name}: see ${first}`);
  return {
    description: `keep \`${name}\` in \`${first}\` alone`,
    risk: "low",
    changes: [withBlock(spot, text)],
  };
};

/** A mapping of plain values becomes a file of its own. */
export const extractMapping: Strategy = (found) => {
  const spot = spotOf(found);
  const at =
    spot?.tokens.findIndex(
      ({ line, kind }, index) =>
        line === found.finding.line && kind === "word" && spot.tokens[index + 1]?.text === "=",
    ) ?? -1;
  if (!spot || at < 0) return undefined;
  const { tokens, block } = spot;
  const end = closing(tokens, at + 2);
  const entries: [string, string][] = [];
  for (let index = at + 3; index < end; index += 4) {
    const [key, colon, value] = [tokens[index], tokens[index + 1], tokens[index + 2]];
    if (
      !key ||
      colon?.text !== ":" ||
      value?.kind !== "string" ||
      !/^[,}]$/.test(tokens[index + 3]?.text ?? "")
    )
      return undefined;
    entries.push([stringValue(key), stringValue(value)]);
  }
  const name = tokens[at]?.text ?? "mapping";
  const path = `specs/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
  const start = /^(const|let|var)$/.test(tokens[at - 1]?.text ?? "") ? tokens[at - 1] : tokens[at];
  const last = tokens[tokens[end + 1]?.text === ";" ? end + 1 : end];
  if (!start || !last || found.skill.has(path)) return undefined;
  const text = replaced(block.text, { from: start.at, to: last.at + 1 }, `// ${name}: see ${path}`);
  const file: Change = {
    file: path,
    before: null,
    after: `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
  };
  return {
    description: `move \`${name}\` to \`${path}\``,
    risk: "medium",
    changes: [file, withBlock(spot, text)],
  };
};

/** What was said first counts. Which one is right only a person knows, hence the risk. */
export const sameLimit: Strategy = ({ finding, file }) => {
  const [, name, value, wrong] = /`(\w+)` is (\d+) in .* and (\d+) here/.exec(finding.description) ?? [];
  const line = file.lines[finding.line - 1] ?? "";
  const at = line.search(new RegExp(`\\b${wrong}\\b`));
  if (value === undefined || at < 0) return undefined;
  const text = line.slice(0, at) + value + line.slice(at + (wrong?.length ?? 0));
  return {
    description: `set \`${name}\` to ${value} here too`,
    risk: "high",
    changes: [withLines(file, finding, [text])],
  };
};

export const sameDefinition: Strategy = ({ finding, file }) => {
  const [, , right, wrong] =
    /`(\w+)` is "(.*)" in `[^`]+` line \d+, and "(.*)" here$/.exec(finding.description) ?? [];
  const line = file.lines[finding.line - 1] ?? "";
  if (right === undefined || wrong === undefined || !line.includes(wrong)) return undefined;
  return {
    description: "take over the first definition",
    risk: "high",
    changes: [withLines(file, finding, [line.replace(wrong, () => right)])],
  };
};

/** What the JSON file itself says about a name goes into the list or table that describes the others. */
export const describeNames: Strategy = ({ finding, skill, file }) => {
  const [, path, list = ""] = /`([^`]+)` says nothing of (.+)$/.exec(finding.description) ?? [];
  const document = skill.files.find((each) => each.path === path);
  const missing = list.split(", ").map((name) => [name, meaningOf(file.json, name)] as const);
  if (!document || missing.some(([, meaning]) => meaning === undefined)) return undefined;
  const known = document.lines.flatMap((line, at) =>
    /^\s*([-*+] |\|).*`[\w-]+`/.test(line) && file.text.includes(`"${/`([\w-]+)`/.exec(line)?.[1]}"`)
      ? [at]
      : [],
  );
  const last = known.at(-1);
  const form = document.lines[last ?? -1];
  if (last === undefined || form === undefined) return undefined;
  const mark = /^\s*[-*+] /.exec(form)?.[0];
  const lines = missing.map(([name, meaning]) =>
    mark ? `${mark}\`${name}\`: ${meaning}` : `| \`${name}\` | ${meaning} |`,
  );
  return {
    description: `describe ${list} as \`${file.path}\` does`,
    risk: "low",
    changes: [withAfter(document, last + 1, lines)],
  };
};

function meaningOf(json: unknown, name: string): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const own = json as Readonly<Record<string, unknown>>;
  const { id = own.name, description = own.about ?? own.meaning ?? own.summary } = own;
  if (id === name && typeof description === "string") return description;
  if (typeof own[name] === "string") return own[name];
  return Object.values(own)
    .map((each) => meaningOf(each, name))
    .find((meaning) => meaning !== undefined);
}

/** The name that was used first, in this place too. */
export const sameField: Strategy = ({ finding, file }) => {
  const [, of, right, wrong] =
    /`([^`]+)` has `([^`]+)` in .*, and `([^`]+)` here/.exec(finding.description) ?? [];
  if (of === undefined || right === undefined || wrong === undefined) return undefined;
  const block = file.blocks.find(({ line, endLine }) => line <= finding.line && finding.line <= endLine) ?? {
    line: 1,
    endLine: file.lines.length,
  };
  const lines = file.lines.slice(block.line - 1, block.endLine);
  const renamed = lines.map((line) =>
    line
      .replaceAll(`"${wrong}":`, `"${right}":`)
      .replaceAll(new RegExp(`\\b(${of}s?)\\.${wrong}\\b`, "gi"), `$1.${right}`),
  );
  return renamed.join("\n") === lines.join("\n")
    ? undefined
    : {
        description: `call it \`${right}\` here too`,
        risk: "medium",
        changes: [withLines(file, block, renamed)],
      };
};

/** The fields that the skill's code uses, written down. */
export const describeState: Strategy = ({ skill }) => {
  const { codes } = see(skill);
  const used = codes.flatMap(({ tokens }) =>
    tokens.flatMap(({ text }, at) =>
      text === "state" && tokens[at + 1]?.text === "." && tokens[at + 2]?.kind === "word"
        ? [tokens[at + 2]?.text ?? ""]
        : [],
    ),
  );
  const fields = [...new Set(["original_request", "status", ...used])].filter(
    (name) => !/^(push|length)$/.test(name),
  );
  const path = "phases/state-schema.md";
  if (skill.has(path)) return undefined;
  const rows = fields.map(
    (name) => `  ${name}: ${name === "status" || name === "original_request" ? "string" : "unknown"};`,
  );
  const text = `# State schema\n\nEvery action reads and writes these fields and no others; validate them whenever the state is read.\n\n\`\`\`ts\ninterface State {\n${rows.join("\n")}\n}\n\`\`\`\n`;
  return {
    description: `write the ${fields.length} fields of the state down`,
    risk: "low",
    changes: [{ file: path, before: null, after: text }],
  };
};

/** The longest sections go to files of their own until the rest is small enough. */
export const moveSections: Strategy = ({ finding, skill, file }) => {
  if (finding.pattern === "TKN-006") return undefined;
  const most =
    file === skill.entry ? (skill.kind === "instructions" ? sizes.instructions : sizes.entry) : sizes.action;
  const depth = Math.min(...file.sections.filter((each) => each.depth > 1).map((each) => each.depth));
  const sections = file.sections
    .filter((each) => each.depth === depth)
    .map((each) => ({ each, text: textOf(file, each) }));
  const moved: typeof sections = [];
  let left = file.tokens;
  for (const one of [...sections].sort((a, b) => b.text.length - a.text.length)) {
    if (left <= most * 0.9) break;
    moved.push(one);
    left -= tokensOf(one.text) - 20;
  }
  if (left > most || moved.length === 0) return undefined;
  const added: Change[] = [];
  let lines: readonly string[] = file.lines;
  for (const { each, text } of moved.sort((a, b) => b.each.line - a.each.line)) {
    const path = `${skill.kind === "instructions" ? "docs/agents" : "references"}/${slug(each.title)}.md`;
    if (skill.has(path) || added.some((change) => change.file === path)) return undefined;
    const body = `${linksFrom(path, file, text).replace(/^#+/, "#").trimEnd()}\n`;
    added.push({ file: path, before: null, after: body });
    const pointer = [
      file.lines[each.line - 1] ?? "",
      "",
      `Read [${each.title}](${pathFrom(file, path)}) when you come to this.`,
      "",
    ];
    lines = [...lines.slice(0, each.line - 1), ...pointer, ...lines.slice(each.endLine)];
  }
  return {
    description: `move ${moved.length} sections to files that are read when needed`,
    risk: "medium",
    changes: [...added, changed(file, lines.join("\n"))],
  };
};

/** Links that lead to the same files from another place. */
function linksFrom(path: string, { path: old }: SkillFile, text: string): string {
  return text.replace(/\]\((?![a-z][a-z0-9+.-]*:|[/#<])([^)\s]+)\)/gi, (_, target: string) => {
    const place = join("/", dirname(old), target);
    return `](${relative(join("/", dirname(path)), place)})`;
  });
}

function textOf({ lines }: SkillFile, { line, endLine }: Section): string {
  return lines.slice(line - 1, endLine).join("\n");
}

function slug(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 50) || "part"
  );
}

/** The description keeps its first sentences; the rest opens the body. */
export const shortDescription: Strategy = ({ finding, file }) => {
  const { front } = file;
  const value = front?.values.description;
  if (!front || typeof value !== "string" || finding.pattern !== "TKN-006") return undefined;
  const from = file.lines.findIndex((line) => /^description\s*:/.test(line));
  let to = from + 1;
  while (to < front.endLine - 1 && /^\s|^$/.test(file.lines[to] ?? "")) to++;
  const head = value.slice(0, 500);
  const cut = Math.max(head.lastIndexOf(". ") + 1, head.lastIndexOf(" "));
  const lines = [
    ...file.lines.slice(0, from),
    `description: ${JSON.stringify(value.slice(0, cut).trim())}`,
    ...file.lines.slice(to, front.endLine),
    "",
    value.slice(cut).trim(),
    ...file.lines.slice(front.endLine),
  ];
  return {
    description: "move the rest of the description into the body",
    risk: "medium",
    changes: [changed(file, lines.join("\n"))],
  };
};

export const validateTypes: Strategy = ({ finding, file }) => {
  const block = file.blocks.find(({ line, endLine }) => line <= finding.line && finding.line <= endLine);
  if (!block) return undefined;
  const text =
    "Validate every document against this shape whenever it is read, and refuse one that does not fit.";
  return {
    description: "say that the shape is checked",
    risk: "low",
    changes: [withLines(file, { line: block.endLine + 2, endLine: block.endLine + 1 }, ["", text])],
  };
};
