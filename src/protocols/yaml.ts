// YAML as a JSON value with the line of everything in it: bounded in size, depth and number, its aliases counted, so that
// a small file stays small and nothing contains itself. No other file of `src` parses YAML (tidy).
import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, stringify, visit } from "yaml";
import { type Problem, problem } from "../core/problem.ts";

export interface YamlDocument {
  readonly value: unknown;
  /** The line of what a JSON pointer names, or of the nearest thing around it. */
  readonly lineOf: (pointer: string) => number;
}

const limits = { length: 64 * 1024, aliases: 50, depth: 64, values: 100_000 } as const;

type Parsed = ReturnType<typeof parseDocument>;

/** Never throws. */
export function parseYaml(file: string, text: string): YamlDocument | { readonly problems: Problem[] } {
  const wrong = (message: string, line: number, hint: string) => ({
    problems: [problem("bad-yaml", message, { place: { file, line }, hint })],
  });
  if (text.length > limits.length)
    return wrong(`\`${file}\` has more than ${limits.length} characters`, 1, "make it smaller");
  const tooDeep = () => wrong(`\`${file}\` nests deeper than ${limits.depth} levels`, 1, "write it flatter");
  const lines = new LineCounter();
  try {
    // Its own check for equal keys compares each with each; `doubledKey` looks at each once.
    const document = parseDocument(text, {
      ...{
        lineCounter: lines,
        uniqueKeys: false,
        strict: true,
        merge: false,
        logLevel: "silent",
        prettyErrors: false,
      },
    });
    const [fault] = document.errors;
    if (fault) {
      const [first = ""] = fault.message.split("\n");
      // The parser goes down once per level; some of what it throws then it reports as a fault of the document.
      if (first.includes("call stack")) return tooDeep();
      return wrong(first, lines.linePos(fault.pos[0]).line, "fix this line");
    }
    const { aliases, doubled } = survey(document);
    if (doubled)
      return wrong("Map keys must be unique", lines.linePos(doubled).line, "keep one of the two keys");
    if (aliases > limits.aliases)
      return wrong(`\`${file}\` has more than ${limits.aliases} aliases`, 1, "write them out");
    const value: unknown = document.toJS({ maxAliasCount: limits.aliases });
    if (isBounded(value)) return { value, lineOf: (pointer) => lineOf(document, lines, pointer) };
    return wrong(
      `\`${file}\` contains itself, or is too large once its aliases are written out`,
      1,
      "write out what its aliases stand for",
    );
  } catch (error) {
    if (error instanceof RangeError) return tooDeep();
    return wrong((error as Error).message.split("\n")[0] ?? "", 1, "write it without aliases");
  }
}

/** How many aliases there are, and where a key occurs a second time in its map. */
function survey(document: Parsed): { readonly aliases: number; readonly doubled: number | undefined } {
  let aliases = 0;
  let doubled: number | undefined;
  visit(document, (_, node) => {
    if (isAlias(node)) aliases++;
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key } of node.items) {
      const word = isScalar(key) ? String(key.value) : undefined;
      if (word !== undefined && seen.has(word) && isNode(key)) doubled ??= key.range?.[0] ?? 0;
      if (word !== undefined) seen.add(word);
    }
  });
  return { aliases, doubled };
}

/** What contains itself has no last level, so depth tells it; an alias counts wherever it stands. */
function isBounded(value: unknown): boolean {
  let values = 0;
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [at, depth] = next;
    if (++values > limits.values || depth > limits.depth) return false;
    if (typeof at !== "object" || at === null) continue;
    for (const child of Object.values(at)) open.push([child, depth + 1]);
  }
  return true;
}

function lineOf(document: Parsed, lines: LineCounter, pointer: string): number {
  const path = pointer.split("/").slice(1).map(unescaped);
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function unescaped(part: string): string | number {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(plain) ? Number(plain) : plain;
}

/** For a person to edit: long texts as blocks, no aliases, no line broken. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
