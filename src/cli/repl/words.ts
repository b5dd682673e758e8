// From a line to words, as a shell would split it, and from the REPL's own names to the commands they stand for.

export interface Word {
  readonly text: string;
  /** Where it begins in the line. */
  readonly from: number;
}

/** Quotes keep words together, a backslash takes the next character as it is. A quote that stays open ends at the end. */
export function wordsOf(line: string): Word[] {
  const words: Word[] = [];
  let [text, from, quote]: [string, number, string] = ["", -1, ""];
  const close = () => {
    if (from >= 0) words.push({ text, from });
    [text, from] = ["", -1];
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (quote === "" && /\s/.test(character)) {
      close();
      continue;
    }
    if (from < 0) from = at;
    if (character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (character === "\\" && quote !== "'" && at + 1 < line.length) text += line[++at];
    else text += character;
  }
  close();
  return words;
}

/** Names of the REPL for what the command line says in more words. */
const others: Readonly<Record<string, (rest: readonly string[]) => readonly string[]>> = {
  override: (rest) => {
    const flags = rest.findIndex((word) => word.startsWith("--"));
    const reason = flags < 0 ? rest : rest.slice(0, flags);
    return ["next", "--override", reason.join(" "), ...(flags < 0 ? [] : rest.slice(flags))];
  },
  log: (rest) => (rest.length === 0 ? ["history", "--last", "20"] : ["log", ...rest]),
  exit: () => ["quit"],
  "?": () => ["help"],
};

export const otherNames = ["override", "quit"];

export function asCommand(line: string): readonly string[] {
  const [name = "", ...rest] = wordsOf(line.replace(/^(?:\/|heddle\s)\s*/, "")).map(({ text }) => text);
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  return other ? other(rest) : [name, ...rest].filter((word) => word !== "");
}

export const isCommand = (line: string) => /^(?:\/|heddle\s)/.test(line);
