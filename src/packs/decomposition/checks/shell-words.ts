// Splits a command into shell words, far enough to know that a shell could read it. Words stay as written, quotes
// included; nothing is expanded or run.

export type ShellWords =
  | { readonly words: readonly string[] }
  | { readonly fault: string; readonly offset: number };

/** Something that was opened and must be closed. */
interface Nesting {
  readonly opener: string;
  readonly closer: string;
  readonly offset: number;
  /** Commands nest anything, double quotes only `$(`, `${` and backticks, single quotes nothing. */
  readonly holds: "commands" | "expansions" | "nothing";
  readonly escapes: boolean;
}

const openers: Readonly<Record<string, Pick<Nesting, "closer" | "holds" | "escapes">>> = {
  "$(": { closer: ")", holds: "commands", escapes: true },
  "${": { closer: "}", holds: "commands", escapes: true },
  "`": { closer: "`", holds: "commands", escapes: true },
  "(": { closer: ")", holds: "commands", escapes: true },
  '"': { closer: '"', holds: "expansions", escapes: true },
  "$'": { closer: "'", holds: "nothing", escapes: true },
  "'": { closer: "'", holds: "nothing", escapes: false },
};
const expansions = new Set(["$(", "${", "`"]);
const joiners = new Set(["&&", "||", "|", "|&"]);

/** Never throws; takes time in proportion to the command's length. */
export function shellWords(command: string): ShellWords {
  const words: string[] = [];
  const open: Nesting[] = [];
  let start = -1;
  let hereDocument = false;
  for (let at = 0; at < command.length; at++) {
    const character = command[at] ?? "";
    const inside = open.at(-1);
    if (!inside && /\s/.test(character)) {
      if (start >= 0) words.push(command.slice(start, at));
      start = -1;
      // What follows is text for the command and need not be shell at all.
      if (character === "\n" && hereDocument) break;
      continue;
    }
    if (!inside && start < 0 && character === "#") {
      at = endOfLine(command, at) - 1;
      continue;
    }
    if (start < 0) start = at;
    const opener = openerAt(command, at, inside);
    if (character === "\\" && inside?.escapes !== false) {
      if (at + 1 === command.length) return { fault: "ends with a backslash", offset: at };
      at++;
    } else if (character === inside?.closer) {
      open.pop();
    } else if (opener) {
      open.push(opener);
      at += opener.opener.length - 1;
    } else if (!inside && command.startsWith("<<", at)) {
      if (command[at + 2] !== "<") hereDocument = true;
      at += hereDocument ? 1 : 2;
    }
  }
  if (start >= 0) words.push(command.slice(start));
  const unclosed = open.at(-1);
  if (unclosed) return { fault: `has an unclosed \`${unclosed.opener}\``, offset: unclosed.offset };
  return joined(words, command);
}

function endOfLine(command: string, from: number): number {
  const end = command.indexOf("\n", from);
  return end < 0 ? command.length : end;
}

function openerAt(command: string, at: number, inside: Nesting | undefined): Nesting | undefined {
  if (inside?.holds === "nothing") return undefined;
  const two = command.slice(at, at + 2);
  const opener = Object.hasOwn(openers, two) ? two : (command[at] ?? "");
  const kind = Object.hasOwn(openers, opener) ? openers[opener] : undefined;
  if (!kind || (inside?.holds === "expansions" && !expansions.has(opener))) return undefined;
  return { ...kind, opener, offset: at };
}

function joined(words: readonly string[], command: string): ShellWords {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return { fault: "holds no command", offset: 0 };
  if (joiners.has(first)) return { fault: `begins with \`${first}\``, offset: 0 };
  if (joiners.has(last)) return { fault: `ends with \`${last}\``, offset: command.length };
  return { words };
}
