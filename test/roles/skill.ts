// A SKILL.md taken apart: front matter, sections, fenced examples with their marks, rows of tables whose first cell is a
// task. An example's marks stand behind its language: `json good:task`, `json bad:wrong-count at:/summary`.

export type Document = Readonly<Record<string, unknown>>;

export interface Example {
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
  /** The paragraph that introduces it. */
  readonly before: string;
  /** A kind of artifact. */
  readonly good?: string | undefined;
  /** The code with which it is refused. */
  readonly bad?: string | undefined;
  /** The task that has the mistake, and where in the good document the text belongs. */
  readonly in?: string | undefined;
  readonly at?: string | undefined;
  /** A file that the target has. */
  readonly exists?: string | undefined;
}

export interface Skill {
  readonly text: string;
  readonly front: Readonly<Record<string, string>>;
  readonly headings: readonly string[];
  readonly section: (heading: string) => string;
  readonly examples: readonly Example[];
  readonly rows: readonly (readonly string[])[];
}

const fenced = /^(`{3,})(\w*) ?(.*)\n([\s\S]*?)\n\1$/gm;

export function skillOf(text: string): Skill {
  const [, matter = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const prose = body.replace(fenced, "");
  const parts = prose.split(/^## /m).slice(1);
  return {
    text,
    front: frontOf(matter),
    headings: parts.map((part) => part.slice(0, part.indexOf("\n"))),
    section: (heading) =>
      parts.find((part) => part.startsWith(`${heading}\n`))?.slice(heading.length + 1) ?? "",
    examples: [...body.matchAll(fenced)].map((match) => exampleOf(match, body)),
    rows: [...prose.matchAll(/^\| (T\d+ \|.*) \|$/gm)].map(([, row = ""]) =>
      row.split("|").map((cell) => cell.trim()),
    ),
  };
}

/** One plain scalar a line: the part of YAML that every reader of skills agrees on. */
function frontOf(matter: string): Record<string, string> {
  const pairs = matter.split("\n").map((line) => {
    const [, key, value = ""] = /^([a-z-]+): (\S.*)$/.exec(line) ?? [];
    const plain = !/: | #|:$/.test(value) && /^[A-Za-z0-9]/.test(value);
    if (key === undefined || !plain) throw new Error(`front matter has \`${line}\``);
    return [key, value] as const;
  });
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length)
    throw new Error("front matter has a key twice");
  return Object.fromEntries(pairs);
}

function exampleOf(match: RegExpMatchArray, body: string): Example {
  const [, , language = "", words = "", text = ""] = match;
  const marks = words.split(" ").filter((word) => word !== "");
  const marked = (name: string) => marks.find((mark) => mark.startsWith(`${name}:`))?.slice(name.length + 1);
  const before = body.slice(0, match.index).trimEnd().split("\n\n").at(-1) ?? "";
  return {
    language,
    marks,
    text,
    before,
    good: marked("good"),
    bad: marked("bad"),
    in: marked("in"),
    at: marked("at"),
    exists: marked("exists"),
  };
}

/** The good document with the example's text in its place. */
export function withMistake(document: Document, { at = "", text }: Example): Document {
  const copy = structuredClone(document) as Record<string, unknown>;
  const keys = at.split("/").slice(1);
  const last = keys.pop();
  let place: unknown = copy;
  for (const key of keys) place = Reflect.get(place as object, key);
  if (last === undefined || typeof place !== "object" || place === null || !Object.hasOwn(place, last))
    throw new Error(`the good example has nothing at \`${at}\``);
  Reflect.set(place, last, JSON.parse(text));
  return copy;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Pointers of keys that a schema does not name, though it would let them pass. */
export function unknownKeys(value: unknown, schema: Schema, pointer = ""): string[] {
  if (schema.anyOf) {
    const ways = schema.anyOf.map((one) => unknownKeys(value, one, pointer));
    return ways.sort((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => unknownKeys(item, schema.items ?? {}, `${pointer}/${index}`));
  const { properties } = schema;
  if (typeof value !== "object" || value === null || !properties) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const known = properties[key];
    return known ? unknownKeys(item, known, `${pointer}/${key}`) : [`${pointer}/${key}`];
  });
}
