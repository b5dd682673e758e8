// The code that a finding is about, and edits inside it.
import { callsTo, type Token, tokensIn } from "../code.ts";
import { type Case, type Change, indentOf, withLines } from "../fix.ts";
import type { Block, SkillFile } from "../skill.ts";

export interface Spot {
  readonly file: SkillFile;
  readonly block: Block;
  readonly tokens: readonly Token[];
  readonly isPython: boolean;
}

export function spotOf({ finding, file }: Case): Spot | undefined {
  const block = file.blocks.find(({ line, endLine }) => line <= finding.line && finding.line <= endLine);
  return block && { file, block, tokens: tokensIn(block), isPython: /^py/.test(block.language) };
}

/** The file with another text in the block; a block in a list stays indented as it was. */
export function withBlock({ file, block }: Spot, text: string): Change {
  const raw = indentOf(file.lines[block.line - 1] ?? "");
  const indent = raw.slice(0, raw.length - indentOf(block.text.split("\n")[0] ?? "").length);
  return withLines(
    file,
    block,
    text.split("\n").map((line) => (line === "" ? line : indent + line)),
  );
}

export interface Part {
  readonly from: number;
  readonly to: number;
}

export function replaced(text: string, { from, to }: Part, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

/** Where `${hole}` stands in the block. */
export function holeIn({ block, isPython }: Spot, hole: string): Part | undefined {
  const whole = isPython ? `{${hole}}` : `\${${hole}}`;
  const from = block.text.indexOf(whole);
  return from < 0 ? undefined : { from, to: from + whole.length };
}

/** The first name in code marks. */
export function nameIn(description: string): string {
  return /`([^`]+)`/.exec(description)?.[1] ?? "";
}

/** The variable that a call's result goes to, and the line where the call ends. */
export function assigned(
  { tokens }: Spot,
  names: RegExp,
  line: number,
): { readonly name: string; readonly endLine: number } | undefined {
  const call = callsTo(tokens, names).find((each) => each.line <= line && line <= each.endLine);
  if (!call) return undefined;
  let at = call.from - 1;
  while (/^(await|\.|JSON|json)$/.test(tokens[at]?.text ?? "")) at--;
  const name = tokens[at - 1];
  return tokens[at]?.text === "=" && name?.kind === "word"
    ? { name: name.text, endLine: call.endLine }
    : undefined;
}
