// Documents that repeat or contradict each other, and front matter that hosts cannot use.
import { type Finding, finding } from "../finding.ts";
import { isAction, isInstruction, overlap, type Seen, wordsOf } from "../see.ts";
import type { Kind, Lines, SkillFile } from "../skill.ts";

export function diagnoseDocs(seen: Seen): Finding[] {
  return [
    ...typesTwice(seen),
    ...mappings(seen),
    ...textTwice(seen),
    ...definedTwice(seen),
    ...namesWithoutWords(seen),
    ...limits(seen),
    ...frontMatter(seen),
  ];
}

interface Place extends Lines {
  readonly file: SkillFile;
}

function typesTwice({ codes }: Seen): Finding[] {
  const first = new Map<string, Place>();
  const found: Finding[] = [];
  for (const { file, tokens } of codes)
    for (const [at, token] of tokens.entries()) {
      const name = tokens[at + 1]?.text ?? "";
      const isType = token.text === "interface" || (token.text === "type" && tokens[at + 2]?.text === "=");
      if (!isType || token.kind !== "word" || !/^[A-Z]\w+$/.test(name)) continue;
      const known = first.get(name);
      if (!known) first.set(name, { file, line: token.line, endLine: token.line });
      else if (known.file !== file)
        found.push(
          finding("DOC-RED-001", {
            file,
            line: token.line,
            endLine: token.line,
            description: `\`${name}\` is defined in \`${known.file.path}\` line ${known.line} too`,
          }),
        );
    }
  return found;
}

function mappings({ codes }: Seen): Finding[] {
  return codes
    .filter(({ file }) => isAction(file))
    .flatMap(({ file, tokens }) =>
      tokens.flatMap(({ text, line }, at) => {
        const isMapping =
          /(mappings?|_map|lookup_?table)$/i.test(text) &&
          tokens[at + 1]?.text === "=" &&
          tokens[at + 2]?.text === "{";
        return isMapping
          ? [
              finding("DOC-RED-002", {
                file,
                line,
                endLine: line,
                description: `\`${text}\` is hard-coded here`,
              }),
            ]
          : [];
      }),
    );
}

const longStatement = 25;
const longBlock = 6;

/** Variants that are looked up one at a time may repeat each other. */
function textTwice({ documents, skill }: Seen): Finding[] {
  const first = new Map<string, Place>();
  const found: Finding[] = [];
  for (const file of documents) {
    const texts = [
      ...file.statements.filter(({ text }) => text.split(" ").length >= longStatement),
      ...file.blocks.filter(
        ({ text }) => text.split("\n").filter((line) => line.trim() !== "").length >= longBlock,
      ),
    ];
    for (const { text, line, endLine } of texts) {
      const key = text.replace(/\s+/g, " ").trim();
      const known = first.get(key);
      if (!known) first.set(key, { file, line, endLine });
      else if (isInstruction(skill, file) || isInstruction(skill, known.file))
        found.push(
          finding("DOC-RED-003", {
            file,
            line,
            endLine,
            description: `it stands in \`${known.file.path}\` line ${known.line} too`,
          }),
        );
    }
  }
  return found;
}

const definable = /^\W*((?:P|SEV|TIER|LEVEL)[- ]?\d)\W*$/i;

interface Definition extends Place {
  readonly name: string;
  readonly text: string;
}

function definitionsIn(file: SkillFile): Definition[] {
  const rows = file.rows.flatMap(({ cells, line, endLine }) => {
    const [, name] = definable.exec(cells[0] ?? "") ?? [];
    return name === undefined || !cells[1] ? [] : [{ file, name, text: cells[1], line, endLine }];
  });
  const said = file.statements
    .filter(({ form }) => form !== "cell")
    .flatMap(({ text, line, endLine }) => {
      const [, name, meaning] =
        /^\W*((?:P|SEV|TIER|LEVEL)[- ]?\d)\W*(?:[:=–—-]|means|is)\s+(.+)$/i.exec(text) ?? [];
      return name === undefined || meaning === undefined
        ? []
        : [{ file, name, text: meaning, line, endLine }];
    });
  return [...rows, ...said].map((each) => ({
    ...each,
    name: each.name.toUpperCase().replaceAll(/[- ]/g, ""),
  }));
}

/** One finding for each pair of places, however many names they define differently. */
function definedTwice({ documents }: Seen): Finding[] {
  const found: Finding[] = [];
  const first = new Map<string, Definition>();
  const told = new Set<string>();
  for (const definition of documents.flatMap(definitionsIn)) {
    const known = first.get(definition.name);
    if (!known) first.set(definition.name, definition);
    else if (
      overlap(wordsOf(known.text), wordsOf(definition.text)) < 0.34 &&
      !told.has(`${known.file.path} ${definition.file.path}`)
    ) {
      told.add(`${known.file.path} ${definition.file.path}`);
      const description = `\`${definition.name}\` is "${known.text}" in \`${known.file.path}\` line ${known.line}, and "${definition.text}" here`;
      found.push(finding("DOC-CON-001", { ...definition, description }));
    }
  }
  return found;
}

/** Names that a JSON file lists, when a document describes most of them and misses some. */
function namesWithoutWords({ skill, documents }: Seen): Finding[] {
  return skill.files
    .filter(({ json }) => json !== undefined)
    .flatMap((file) => {
      const names = [...new Set(listedNames(file.json))];
      if (names.length < 3) return [];
      const described = documents.map((document) => ({
        document,
        missing: names.filter((name) => !document.text.includes(name)),
      }));
      const [best] = described.sort((a, b) => a.missing.length - b.missing.length);
      if (!best || best.missing.length === 0 || best.missing.length > names.length / 2) return [];
      const line = file.lines.findIndex((text) => text.includes(`"${best.missing[0]}"`)) + 1;
      const description = `\`${best.document.path}\` says nothing of ${best.missing.join(", ")}`;
      return [
        finding("DOC-CON-002", { file, line: Math.max(1, line), endLine: Math.max(1, line), description }),
      ];
    });
}

function listedNames(value: unknown, key = ""): string[] {
  const isName = (each: unknown): each is string =>
    typeof each === "string" && /^[a-z]+([_-][a-z0-9]+)+$/.test(each);
  if (Array.isArray(value)) {
    const counts = /strateg|actions?$|categor|patterns?$|commands?$|modes?$|types?$|severit|phases?$/i.test(
      key,
    );
    return [
      ...(counts ? value.filter(isName) : []),
      ...value.flatMap((each) => (typeof each === "object" ? listedNames(each, key) : [])),
    ];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => listedNames(each, name));
}

const limit =
  /\b(max_?[a-z_]+|[a-z_]+_limit|[a-z_]+_threshold)\b`?\*{0,2}["']?\s*(?:[:=|(→]|is|of)\s*`?(\d[\d_]*)\b/gi;
/** In code a limit is set by a statement of its own; an argument of a call is that call's affair. */
const setting =
  /^\s*(const |let |var |export |final )*(?!max_?tokens)[a-z_]+\s*=\s*\d[\d_]*\s*;?\s*(\/\/.*|#.*)?$/i;

function limits({ documents, skill }: Seen): Finding[] {
  const first = new Map<string, Place & { readonly value: string }>();
  const found = new Map<string, Finding>();
  const files = [
    ...documents.filter((file) => isInstruction(skill, file)),
    ...skill.files.filter(({ json }) => json !== undefined),
  ];
  for (const file of files)
    for (const [at, text] of file.lines.entries()) {
      const block = file.blocks.find(({ line, endLine }) => line <= at + 1 && at + 1 <= endLine);
      if (block && (block.isWarning || !setting.test(text))) continue;
      for (const [, name = "", digits = ""] of text.matchAll(limit)) {
        const [key, value] = [name.toLowerCase().replaceAll("_", ""), digits.replaceAll("_", "")];
        const known = first.get(key);
        const place = { file, line: at + 1, endLine: at + 1 };
        if (!known) first.set(key, { ...place, value });
        else if (known.value !== value && !found.has(key)) {
          const description = `\`${name}\` is ${known.value} in \`${known.file.path}\` line ${known.line}, and ${value} here`;
          found.set(key, finding("DOC-CON-003", { ...place, description }));
        }
      }
    }
  return [...found.values()];
}

const needs: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  "claude-skill": ["name", "description"],
  "claude-agent": ["name", "description"],
  "codex-skill": ["name", "description"],
  "gemini-agent": ["name", "description"],
  "opencode-agent": ["description"],
  skill: ["name", "description"],
};

function frontMatter({ documents, skill }: Seen): Finding[] {
  const broken = documents.flatMap((file) => {
    const { fault } = file.front ?? {};
    return fault
      ? [
          finding("DOC-FRONT-001", {
            file,
            line: fault.line,
            endLine: fault.line,
            description: fault.message,
          }),
        ]
      : [];
  });
  const { front } = skill.entry;
  const missing = (needs[skill.kind] ?? []).filter((key) => {
    const value = front?.values[key];
    return typeof value !== "string" || value.trim() === "";
  });
  if (front?.fault || missing.length === 0) return broken;
  const description = `the front matter has no ${missing.map((key) => `\`${key}\``).join(" and no ")}`;
  return [
    ...broken,
    finding("DOC-FRONT-002", { file: skill.entry, line: 1, endLine: front?.endLine ?? 1, description }),
  ];
}
