// Lists and texts that only grow, and prompts with something put in: seen by two diagnoses, each in its own light.
import { callsTo, type Token } from "../code.ts";
import { agentNames, type Code } from "../see.ts";
import type { Lines } from "../skill.ts";

export interface Growth extends Lines {
  /** `state.history` of `state.history.push(…)`. */
  readonly name: string;
}

const cuts =
  /^(slice|shift|splice|pop|popleft|truncate\w*|trim\w*|summar\w*|compact\w*|prune\w*|keep_?last|take_?last|deque)$/i;

/** What is added to in this code, when nothing in it ever cuts anything. */
export function growthIn({ tokens }: Code): Growth[] {
  if (tokens.some(({ kind, text }) => kind === "word" && cuts.test(text)) || hasNegativeSlice(tokens))
    return [];
  const pushed = callsTo(tokens, /^(push|concat|append|extend|unshift)$/)
    .filter(({ receiver, from }) => receiver !== "" && !isMadeHere(tokens, receiver, from))
    .map(({ receiver, line, endLine }) => ({ name: receiver, line, endLine }));
  return [...pushed, ...tokens.flatMap((token, at) => addedOrSpread(tokens, token, at))];
}

/** `const parts = []` and no loop before the call: it is made anew each time, and grows no further. */
function isMadeHere(tokens: readonly Token[], name: string, call: number): boolean {
  const made = tokens.findLastIndex(
    ({ text }, at) =>
      at < call && text === name && tokens[at + 1]?.text === "=" && tokens[at + 2]?.text === "[",
  );
  return made >= 0 && !tokens.slice(made, call).some(({ text }) => /^(for|while|do|forEach|map)$/.test(text));
}

/** `history[-10:]` and `del history[:-10]` of Python. */
function hasNegativeSlice(tokens: readonly Token[]): boolean {
  const texts = tokens.map(({ text }) => text);
  return texts.some((text, at) => {
    if (text !== "[") return false;
    const inside = texts.slice(at + 1, at + 4);
    return (inside[0] === "-" && inside[2] === ":") || (inside[0] === ":" && inside[1] === "-");
  });
}

function addedOrSpread(tokens: readonly Token[], { text, line }: Token, at: number): Growth[] {
  if (text === "+=" && !/^\d/.test(tokens[at + 1]?.text ?? ""))
    return [{ name: nameBefore(tokens, at), line, endLine: line }];
  if (text !== "..." || tokens[at - 1]?.text !== "[") return [];
  let end = at + 1;
  while (tokens[end + 1]?.text === "." && tokens[end + 2]?.kind === "word") end += 2;
  // `[...list]` is a copy; only with something behind it does it grow.
  if (tokens[end + 1]?.text !== ",") return [];
  const name = tokens.slice(at + 1, end + 1).map((token) => token.text);
  return [{ name: name.join(""), line, endLine: line }];
}

function nameBefore(tokens: readonly Token[], at: number): string {
  let start = at - 1;
  while (tokens[start - 1]?.text === "." && tokens[start - 2]?.kind === "word") start -= 2;
  return tokens
    .slice(Math.max(0, start), at)
    .map(({ text }) => text)
    .join("");
}

/** Strings that an agent will be given: arguments of agents, and what is named a prompt. */
export function promptsIn({ tokens }: Code): Token[] {
  const calls = callsTo(tokens, agentNames);
  return tokens.filter((token, at) => {
    if (token.kind !== "string" || token.holes.length === 0) return false;
    if (calls.some(({ from, to }) => from < at && at < to)) return true;
    const before = tokens.slice(Math.max(0, at - 3), at).map(({ text }) => text);
    return before.some((word) => /prompt|instruction|message/i.test(word));
  });
}

/** What an expression computes: the words of the texts inside it say nothing about that, their holes do. */
export function withoutTexts(hole: string): string {
  const holes = [...hole.matchAll(/`[^`]{0,400}\$\{([^}]{0,400})\}[^`]{0,400}`/g)].map(
    ([, inner = ""]) => inner,
  );
  return `${hole.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, "''")} ${holes.join(" ")}`;
}

export function holdsRead(hole: string): boolean {
  return /\b(Read|readFile|readFileSync|read_file|read_text|open|cat)\s*\(/.test(hole);
}
