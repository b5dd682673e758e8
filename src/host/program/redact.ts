// Known secrets taken out of everything that is stored: in the clear and in the encodings in which programs print
// them, also when a secret arrives in pieces. One automaton (Aho–Corasick) looks for all of them at once, so the
// time is linear in the text. This guards against accidents, not against a program that wants to leak: that one can
// always spell a secret backwards, and it is the box and the environment that must not give it the secret.

export interface Redactor {
  /** `text` with every known secret replaced; the very same string when it holds none. Never throws. */
  text(text: string): string;
  /** For one stream of bytes; streams do not share state. */
  stream(): RedactedStream;
}

/**
 * Contract: what all `push`es and the `end` return, joined, is what one `push` of the whole would have given,
 * wherever the chunks are cut. Bytes that may be the beginning of a secret are held back, and no others.
 */
export interface RedactedStream {
  push(bytes: Buffer): Buffer;
  end(): Buffer;
}

export const redacted = "[redacted]";
const shortest = 6;
/** A longer secret is looked for in pieces, so that the automaton stays small. */
const pieceLength = 2048;

/** Secrets shorter than six characters are ignored: they would redact half of the text. */
export function redactor(secrets: readonly string[]): Redactor {
  const patterns = new Set(secrets.flatMap(parts).flatMap(encodings));
  if (patterns.size === 0) return { text: (text) => text, stream: () => ({ push: same, end: nothing }) };
  const automaton = build([...patterns].map((pattern) => Buffer.from(pattern, "utf8")));
  return {
    stream: () => new Scan(automaton),
    text: (text) => {
      const scan = new Scan(automaton);
      const clean = [scan.push(Buffer.from(text, "utf8")), scan.end()];
      return scan.found ? Buffer.concat(clean).toString("utf8") : text;
    },
  };
}

const same = (bytes: Buffer) => bytes;
const nothing = () => Buffer.alloc(0);

/** A key in several lines is printed indented or quoted as well, so its lines count alone; its armour does not. */
function parts(secret: string): string[] {
  const whole = secret.trim().toWellFormed();
  const lines = whole.split(/\r?\n/).map((line) => line.trim());
  const long = lines.length > 1 ? lines.filter((line) => line.length >= 16 && !line.startsWith("-----")) : [];
  return [whole, ...long].flatMap(pieces).filter((part) => part.length >= shortest);
}

function pieces(text: string): string[] {
  if (text.length <= pieceLength) return [text];
  return Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, at) =>
    text.slice(at * pieceLength, (at + 1) * pieceLength).toWellFormed(),
  );
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const base64 = [bytes.toString("base64"), ...[0, 1, 2].map((before) => withinBase64(bytes, before))];
  return [
    secret,
    json,
    asciiOnly(json),
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    ...[url, form].flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
  ];
}

/** What stays the same in base64 whatever surrounds the secret, when `before` bytes of its first group come first. */
function withinBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

function asciiOnly(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

interface Automaton {
  /** Which column of `next` a byte has; 0 for bytes of no pattern. */
  readonly column: Uint8Array;
  readonly columns: number;
  /** By state × column. State 0 is the start. */
  readonly next: Int32Array;
  /** How many of the last bytes may be the beginning of a match. */
  readonly depth: Int32Array;
  /** The longest pattern that ends here, or 0. */
  readonly match: Int32Array;
}

function build(patterns: readonly Buffer[]): Automaton {
  const used = [...new Set(patterns.flatMap((pattern) => [...pattern]))];
  const column = new Uint8Array(256);
  for (const [at, byte] of used.entries()) column[byte] = at + 1;
  const columns = used.length + 1;
  const size = patterns.reduce((sum, pattern) => sum + pattern.length, 1);
  const automaton = {
    column,
    columns,
    next: new Int32Array(size * columns),
    depth: new Int32Array(size),
    match: new Int32Array(size),
  };
  plant(automaton, patterns);
  link(automaton);
  return automaton;
}

function plant({ column, columns, next, depth, match }: Automaton, patterns: readonly Buffer[]): void {
  let states = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (const byte of pattern) {
      const edge = state * columns + Number(column[byte]);
      if (next[edge] === 0) {
        depth[states] = Number(depth[state]) + 1;
        next[edge] = states++;
      }
      state = Number(next[edge]);
    }
    match[state] = pattern.length;
  }
}

/** Breadth first: where a state has no edge it takes its longest proper suffix's, which is complete already. */
function link({ columns, next, match }: Automaton): void {
  const suffix = new Int32Array(match.length);
  const queue = [0];
  for (let at = 0; at < queue.length; at++) {
    const state = Number(queue[at]);
    const from = Number(suffix[state]);
    if (match[state] === 0) match[state] = Number(match[from]);
    for (let column = 1; column < columns; column++) {
      const edge = state * columns + column;
      const target = Number(next[edge]);
      const fallback = state === 0 ? 0 : Number(next[from * columns + column]);
      if (target === 0) next[edge] = fallback;
      else {
        suffix[target] = fallback;
        queue.push(target);
      }
    }
  }
}

interface Span {
  start: number;
  end: number;
  /** Its mark is in what was returned already. */
  readonly marked: boolean;
}

class Scan implements RedactedStream {
  readonly #automaton: Automaton;
  #state = 0;
  #held: Buffer = Buffer.alloc(0);
  /** Matches that lie in the held bytes, or reach into them. */
  #open: Span[] = [];
  found = false;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  push(bytes: Buffer): Buffer {
    const from = this.#held.length;
    const all = from === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const spans = this.#search(all, from);
    return this.#release(all, spans, all.length - Number(this.#automaton.depth[this.#state]));
  }

  end(): Buffer {
    this.#state = 0;
    return this.#release(this.#held, this.#search(this.#held, this.#held.length), this.#held.length);
  }

  #search(all: Buffer, from: number): Span[] {
    const { column, columns, next, match } = this.#automaton;
    const spans = this.#open;
    let state = this.#state;
    for (let at = from; at < all.length; at++) {
      state = next[state * columns + (column[all[at] as number] as number)] as number;
      if (match[state] !== 0) cover(spans, at + 1 - Number(match[state]), at + 1);
    }
    this.#state = state;
    if (spans.length > 0) this.found = true;
    return spans;
  }

  /** Everything before `until` can be in no later match; a match that begins there is marked now. */
  #release(all: Buffer, spans: readonly Span[], until: number): Buffer {
    this.#held = all.subarray(until);
    this.#open = spans
      .filter(({ end }) => end > until)
      .map(({ start, end, marked }) => ({
        start: Math.max(0, start - until),
        end: end - until,
        marked: marked || start < until,
      }));
    if (spans.length === 0) return this.#held.length === 0 ? all : all.subarray(0, until);
    const out: Buffer[] = [];
    let at = 0;
    for (const { start, end, marked } of spans) {
      if (start >= until) break;
      out.push(all.subarray(at, start));
      if (!marked) out.push(Buffer.from(redacted));
      at = Math.min(end, until);
    }
    out.push(all.subarray(at, until));
    return Buffer.concat(out);
  }
}

/** Overlapping matches become one, so that no end of either is left standing. */
function cover(spans: Span[], from: number, end: number): void {
  let start = from;
  let marked = false;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    marked ||= last.marked;
    spans.pop();
  }
  spans.push({ start, end, marked });
}
