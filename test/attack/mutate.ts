// A seeded mutator: the same seed gives the same broken text, so a finding can be had again by its number. Half of what it does
// is done to bytes, half to the JSON value, because most parsers never get to see the meaning of a flipped bit.

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** mulberry32: small, and the same everywhere. */
  below(most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  }

  one<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}

type Mutation = (text: string, dice: Dice) => string;

const at = (text: string, dice: Dice) => dice.below(text.length + 1);
const insert = (text: string, place: number, more: string) => text.slice(0, place) + more + text.slice(place);
const deep = 100_000;

const onText: Readonly<Record<string, Mutation>> = {
  "flips a bit": (text, dice) => {
    const bytes = Buffer.from(text);
    for (let n = dice.below(4); n >= 0 && bytes.length > 0; n--) {
      const place = dice.below(bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << dice.below(8));
    }
    return bytes.toString("utf8");
  },
  "cuts it off": (text, dice) => text.slice(0, at(text, dice)),
  "leaves a part out": (text, dice) => {
    const from = at(text, dice);
    return text.slice(0, from) + text.slice(from + dice.below(200));
  },
  "doubles a part": (text, dice) => {
    const from = at(text, dice);
    return insert(text, from, text.slice(from, from + dice.below(400)));
  },
  "doubles all of it": (text) => text + text,
  "nests arrays": (text, dice) => insert(text, at(text, dice), "[".repeat(deep)),
  "nests objects": (text, dice) => insert(text, at(text, dice), '{"a":'.repeat(deep)),
  "nests, closed": () => "[".repeat(deep) + "]".repeat(deep),
  "puts a NUL": (text, dice) => insert(text, at(text, dice), "\0"),
  "puts half a character": (text, dice) =>
    insert(text, at(text, dice), dice.one(["\ud800", "\udfff", "\\ud800"])),
  "puts a byte order mark": (text) => `\ufeff${text}`,
  "ends lines as Windows does": (text) => text.replaceAll("\n", "\r\n"),
  "puts a huge word": (text, dice) =>
    insert(text, at(text, dice), dice.one(["a", " ", "\n", '"', "\\", "-", "#", "|"]).repeat(200_000)),
  "puts a huge number": (text, dice) =>
    insert(text, at(text, dice), dice.one(["1e308", "-1e400", "9".repeat(400), "0x", "1e-999"])),
  "puts what steers a terminal": (text, dice) => insert(text, at(text, dice), "\u001b]0;x\u0007\u202e"),
  "puts YAML's aliases": (text, dice) => insert(text, at(text, dice), "\na: &a [*a]\nb: &b {c: *b}\n"),
  "empties it": () => "",
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...children.flatMap(([key, child]) => pathsIn(child, [...path, key]))];
}

/** The document with what stands at `path` made into something else; `undefined` takes it away. */
function changed(value: unknown, path: Path, into: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return into(value);
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  const child = changed(Reflect.get(copy as object, key), rest, into);
  if (child === undefined && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (child === undefined) Reflect.deleteProperty(copy as object, key);
  else Reflect.set(copy as object, key, child);
  return copy;
}

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
};

const others: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 2,
    "",
    "T999",
    "../../etc/passwd",
    "\u0000",
    "\ud800",
    "x".repeat(100_000),
  ],
  ...[
    [],
    {},
    [[]],
    { __proto__: null },
    [null],
    nested(150),
    Array.from({ length: 2000 }, () => "a"),
    "constructor",
    "hasOwnProperty",
  ],
];

const onValue: Readonly<Record<string, (value: unknown, dice: Dice) => string>> = {
  "swaps a type": (value, dice) =>
    JSON.stringify(changed(value, dice.one(pathsIn(value)), () => dice.one(others))),
  "swaps many types": (value, dice) => {
    let now = value;
    for (let n = 0; n < 5; n++) now = changed(now, dice.one(pathsIn(now)), () => dice.one(others));
    return JSON.stringify(now);
  },
  "takes a key away": (value, dice) =>
    JSON.stringify(changed(value, dice.one(pathsIn(value)), () => undefined)) ?? "",
  "doubles an item": (value, dice) =>
    JSON.stringify(
      changed(value, dice.one(pathsIn(value)), (old) => (Array.isArray(old) ? [...old, ...old] : [old, old])),
    ),
  "adds __proto__": (value, dice) => {
    const marked = changed(value, dice.one(pathsIn(value)), (old) => ({ HERE: 1, old }));
    return JSON.stringify(marked).replace(
      '"HERE":1',
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}',
    );
  },
  "repeats a key": (value, dice) => {
    const marked = changed(value, dice.one(pathsIn(value)), (old) => ({ HERE: 1, old }));
    return JSON.stringify(marked).replace('"HERE":1', '"id":1,"id":2');
  },
};

export interface Mutant {
  readonly text: string;
  readonly how: string;
}

/** `value`: the document, where it is JSON. */
export function mutant(text: string, value: unknown, seed: number): Mutant {
  const dice = new Dice(seed);
  if (value !== undefined && dice.below(2) === 0) {
    const [how, mutate] = dice.one(Object.entries(onValue));
    return { how, text: mutate(value, dice) };
  }
  const [how, mutate] = dice.one(Object.entries(onText));
  return { how, text: mutate(text, dice) };
}
