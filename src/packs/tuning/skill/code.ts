// Code in skills is seldom whole: fragments of JavaScript, Python, shell, or something in between. So it is cut into
// words, strings, comments and marks, which works for fragments too, and calls are found by their brackets.
import type { Block } from "./skill.ts";

export interface Token {
  readonly kind: "word" | "string" | "comment" | "mark";
  readonly text: string;
  /** Line in the file. */
  readonly line: number;
  readonly endLine: number;
  /** Where in the block it begins. */
  readonly at: number;
  /** Columns of white space before the first token of its line. */
  readonly indent: number;
  /** Of a template: the expressions it puts in. */
  readonly holes: readonly string[];
}

export interface CallFound {
  readonly name: string;
  /** What stands before the last dot: `state.history` of `state.history.push(x)`. */
  readonly receiver: string;
  /** Indexes of its first token and of its closing bracket. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly endLine: number;
}

const hashComments = /^(python|py|bash|sh|shell|zsh|yaml|yml|ruby|rb|toml)$/;

export function isCode({ language }: Block): boolean {
  return !/^(json|jsonc|markdown|md|text|txt|yaml|yml|toml|diff|mermaid|html|css|csv|xml)$/.test(language);
}

export function isScript({ language }: Block): boolean {
  return /^(bash|sh|shell|zsh|console)$/.test(language);
}

const patterns =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>[fr]?"""[\s\S]*?(?:"""|$)|[fr]?'''[\s\S]*?(?:'''|$)|[fr]?"(?:\\.|[^"\\\n]){0,2000}"|[fr]?'(?:\\.|[^'\\\n]){0,2000}')|(?<template>`)|(?<hash>#[^\n]*)|(?<word>[A-Za-z_$][\w$]*|\d[\w.]*)|(?<mark>\.{3}|=>|\+=|&&|\|\||[=!<>]=+|\S)/g;

export function tokensIn(block: Block): readonly Token[] {
  const { text, line, language } = block;
  const tokens: Token[] = [];
  const starts = lineStarts(text);
  const add = (kind: Token["kind"], at: number, body: string) => {
    const holes = kind === "string" ? holesOf(body) : [];
    const first = lineAt(starts, at);
    const indent = /^[ \t]*/.exec(text.slice(starts[first]))?.[0].length ?? 0;
    const endLine = line + first + (body.match(/\n/g)?.length ?? 0);
    tokens.push({ kind, text: body, line: line + first, endLine, at, indent, holes });
  };
  const pattern = new RegExp(patterns);
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { comment, string, template, hash, word, mark } = match.groups ?? {};
    if (comment !== undefined && !hashComments.test(language)) add("comment", match.index, comment);
    else if (string !== undefined) add("string", match.index, string);
    else if (template !== undefined) {
      const end = templateEnd(text, match.index);
      add("string", match.index, text.slice(match.index, end));
      pattern.lastIndex = end;
    } else if (hash !== undefined && hashComments.test(language)) add("comment", match.index, hash);
    else if (word !== undefined) add("word", match.index, word);
    else {
      const one = mark ?? match[0][0] ?? "";
      add("mark", match.index, one);
      pattern.lastIndex = match.index + one.length;
    }
  }
  return tokens;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Behind the closing mark of a template; expressions inside may hold templates of their own. */
function templateEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith("${", at)) [depth, at] = [depth + 1, at + 1];
    else if (depth > 0 && text[at] === "{") depth++;
    else if (depth > 0 && text[at] === "}") depth--;
    else if (depth === 0 && text[at] === "`") return at + 1;
  }
  return text.length;
}

/** Expressions that a template of JavaScript or a formatted string of Python puts in. */
function holesOf(template: string): string[] {
  const opening = template.startsWith("`") ? "${" : "{";
  if (!/^[`f]/.test(template)) return [];
  const holes: string[] = [];
  for (let at = template.indexOf(opening); at >= 0; at = template.indexOf(opening, at + 1)) {
    let depth = 1;
    let end = at + opening.length;
    for (; end < template.length && depth > 0; end++)
      depth += template[end] === "{" ? 1 : template[end] === "}" ? -1 : 0;
    holes.push(template.slice(at + opening.length, end - 1));
  }
  return holes;
}

/** Calls of these functions, outermost first; definitions of them are none. */
export function callsTo(tokens: readonly Token[], name: RegExp): readonly CallFound[] {
  const found: CallFound[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    // With a space before the bracket it is prose more often than code.
    const isCall = next?.text === "(" && next.at === token.at + token.text.length;
    if (token.kind !== "word" || !isCall || !name.test(token.text)) continue;
    if (/^(function|def|class|interface)$/.test(tokens[at - 1]?.text ?? "")) continue;
    const to = closing(tokens, at + 1);
    const receiver = receiverBefore(tokens, at);
    const endLine = tokens[to]?.endLine ?? token.line;
    found.push({ name: token.text, receiver, from: at, to, line: token.line, endLine });
  }
  return found;
}

function receiverBefore(tokens: readonly Token[], at: number): string {
  const parts: string[] = [];
  let index = at;
  while (tokens[index - 1]?.text === "." && tokens[index - 2]?.kind === "word") {
    parts.unshift(tokens[index - 2]?.text ?? "");
    index -= 2;
  }
  return parts.join(".");
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

function closing(tokens: readonly Token[], open: number): number {
  const opening = tokens[open]?.text ?? "";
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.text === opening) depth++;
    else if (tokens[at]?.text === pairs[opening] && --depth === 0) return at;
  }
  return tokens.length - 1;
}

/** The content of a string token, without its quotes. */
export function stringValue({ text }: Token): string {
  return text.replace(/^[fr]?("""|'''|["'`])/, "").replace(/("""|'''|["'`])$/, "");
}
