// Attack strings for a regular expression, made of its own alphabet: every character that its atoms accept, pairs of
// them, and what its groups match, repeated without end and followed by what makes the whole fail. What is searched for
// is backtracking: each of two quantifiers, or a search from each position, may take the same characters.

export interface RegexAttack {
  readonly head: string;
  readonly piece: string;
  readonly tail: string;
}

export function grown({ head, piece, tail }: RegexAttack, size: number): string {
  return head + piece.repeat(Math.ceil(size / piece.length)) + tail;
}

export function attacksOn(pattern: RegExp): RegexAttack[] {
  const whole = sampleOf(pattern.source);
  // A literal beginning is needed to get beyond it; without it the rest is never tried.
  const cuts = [2, 4, 8, 14]
    .filter((length) => length < whole.length)
    .map((length) => whole.slice(0, length));
  const heads = ["", ...new Set(cuts)];
  const single = piecesOf(pattern.source).flatMap((piece) =>
    heads.map((head) => ({ head, piece, tail: "\u0001" })),
  );
  // Words that must follow each other, all but the last ones, again and again.
  const chains = Array.from({ length: Math.min(whole.length, 80) }, (_, at) => `${whole.slice(0, at + 1)} `);
  const plain = [...new Set(chains)].map((piece) => ({ head: "", piece, tail: "\n\u0001" }));
  return [...single, ...plain];
}

function piecesOf(source: string): string[] {
  const characters = [...new Set(atomsOf(source).map(({ sample }) => sample))].filter((each) => each !== "");
  // The characters of words say little; those of classes and the marks are what quantifiers stand on.
  const telling = characters.filter((each) => !/[b-z]/i.test(each)).slice(0, 10);
  const pairs = telling.flatMap((a) => telling.map((b) => a + b));
  const groups = groupsOf(source)
    .map(sampleOf)
    .filter((each) => each.length > 1);
  return [...new Set([...telling, ...characters.slice(0, 6), ...pairs, ...groups.slice(0, 12)])];
}

interface Atom {
  readonly sample: string;
  readonly end: number;
}

const classes: Readonly<Record<string, string>> = {
  ...{
    d: "1",
    D: "x",
    w: "a",
    W: "-",
    s: " ",
    S: "x",
    n: "\n",
    r: "\r",
    t: "\t",
    f: "\f",
    v: "\v",
    b: "",
    B: "",
  },
};

function escapeAt(source: string, at: number): Atom {
  const letter = source[at + 1] ?? "";
  const [hex] = /^(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2})/i.exec(source.slice(at + 1)) ?? [];
  if (hex)
    return {
      sample: String.fromCodePoint(Number.parseInt(hex.replace(/[ux{}]/g, ""), 16)),
      end: at + 1 + hex.length,
    };
  const [property] = /^[pP]\{[^}]*\}/.exec(source.slice(at + 1)) ?? [];
  if (property) return { sample: property.startsWith("p") ? "A" : " ", end: at + 1 + property.length };
  if (/[1-9]/.test(letter)) return { sample: "", end: at + 2 };
  const [named] = /^k<[^>]*>/.exec(source.slice(at + 1)) ?? [];
  if (named) return { sample: "", end: at + 1 + named.length };
  return { sample: classes[letter] ?? letter, end: at + 2 };
}

/** Every character that one atom accepts by itself: of a class, the first few that it names, or one that it does not. */
function characterClass(
  source: string,
  at: number,
): { readonly samples: readonly string[]; readonly end: number } {
  let end = at + 1;
  const negated = source[end] === "^";
  if (negated) end++;
  const samples: string[] = [];
  for (let first = true; end < source.length && (first || source[end] !== "]"); first = false) {
    const atom = source[end] === "\\" ? escapeAt(source, end) : { sample: source[end] ?? "", end: end + 1 };
    samples.push(atom.sample);
    end = atom.end;
  }
  if (!negated) return { samples: samples.filter((each) => each !== "").slice(0, 6), end: end + 1 };
  const others = ["a", " ", "1", "x", "-", "\n", "."].filter((each) => !samples.includes(each));
  return { samples: others.slice(0, 3), end: end + 1 };
}

function atomsOf(source: string): Atom[] {
  const found: Atom[] = [];
  for (let at = 0; at < source.length; ) {
    const character = source[at] ?? "";
    if (character === "\\") {
      const atom = escapeAt(source, at);
      found.push(atom);
      at = atom.end;
    } else if (character === "[") {
      const { samples, end } = characterClass(source, at);
      found.push(...samples.map((sample) => ({ sample, end })));
      at = end;
    } else {
      if (character === ".") found.push({ sample: "a", end: at + 1 });
      else if (!/[()|?*+^${}]/.test(character)) found.push({ sample: character, end: at + 1 });
      at++;
    }
  }
  return found;
}

function groupsOf(source: string): string[] {
  const groups: string[] = [];
  const open: number[] = [];
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") at = characterClass(source, at).end - 1;
    else if (source[at] === "(") open.push(at);
    else if (source[at] === ")")
      groups.push(source.slice((open.pop() ?? 0) + 1, at).replace(/^\?(?:[:=!]|<[=!]|<\w+>)/, ""));
  }
  return groups;
}

/** Something that the expression matches, roughly: the first of every choice, one of every repetition. */
function sampleOf(source: string): string {
  let text = "";
  const depth = 0;
  for (let at = 0; at < source.length; ) {
    const character = source[at] ?? "";
    if (character === "|" && depth === 0) return text;
    if (character === "(") {
      const [kind = ""] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at)) ?? [];
      const end = closing(source, at);
      if (!/[=!]$/.test(kind)) text += sampleOf(source.slice(at + kind.length, end));
      at = end + 1;
    } else if (character === "\\") {
      const atom = escapeAt(source, at);
      text += atom.sample;
      at = atom.end;
    } else if (character === "[") {
      const { samples, end } = characterClass(source, at);
      text += samples[0] ?? "";
      at = end;
    } else {
      const [bounds] = /^\{\d+(?:,\d*)?\}/.exec(source.slice(at)) ?? [];
      if (bounds) at += bounds.length;
      else {
        if (character === ".") text += "a";
        else if (!/[?*+^$)]/.test(character)) text += character;
        at++;
      }
    }
  }
  return text;
}

function closing(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") at = characterClass(source, at).end - 1;
    else if (source[at] === "(") depth++;
    else if (source[at] === ")" && --depth === 0) return at;
  }
  return source.length;
}
