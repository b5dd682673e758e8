// Sub-agents that cannot do what they are told: they may start no agents, and have the tools that their front matter lists.
import { callsTo } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import type { Seen } from "../see.ts";

export function diagnoseAgent(seen: Seen): Finding[] {
  return /-agent$/.test(seen.skill.kind) ? [...nested(seen), ...missingTools(seen)] : [];
}

const nestedSaid =
  /(?:^|[,;:] |\b(?:and|then|next|finally) )(spawn|launch|dispatch|start|delegate to)\b[^.\n]{0,40}\b(sub-?agents?|(another|other|more|further|additional) agents?|agents of (your|its) own)\b/i;

/** A list of tools with the one that starts agents in it: the host lets this one. */
function nested({ skill, sentences }: Seen): Finding[] {
  const allowed = toolList(skill.entry.front?.values.tools);
  if (allowed && (allowed.has("Task") || allowed.has("Agent") || allowed.has("*"))) return [];
  const said = sentences.find(({ text, isAdvice }) => isAdvice && nestedSaid.test(text));
  if (!said) return [];
  return [
    finding("AGT-004", { ...said, description: "a sub-agent is told to start agents", evidence: said.text }),
  ];
}

const tools =
  /^(Read|Write|Edit|MultiEdit|Glob|Grep|Bash|WebFetch|WebSearch|AskUserQuestion|NotebookEdit|TodoWrite)$/;

function missingTools({ skill, codes, sentences }: Seen): Finding[] {
  const { front } = skill.entry;
  const allowed = toolList(front?.values.tools);
  if (!front || !allowed || allowed.size === 0 || allowed.has("*")) return [];
  const used = new Set(codes.flatMap(({ tokens }) => callsTo(tokens, tools).map(({ name }) => name)));
  for (const { text, isAdvice } of sentences) {
    const [, tool] = isAdvice
      ? (/\b(?:use|with|via|call|using) (?:the )?`?(\w+)`? tool\b/i.exec(text) ?? [])
      : [];
    if (tool !== undefined && tools.test(tool)) used.add(tool);
  }
  const missing = [...used].filter((tool) => !allows(allowed, tool));
  if (missing.length === 0) return [];
  const line = lineOfKey(skill.entry.lines, front.line, /^tools\s*:/);
  return [
    finding("AGT-005", {
      file: skill.entry,
      line,
      endLine: line,
      description: `used and not listed: ${missing.join(", ")}`,
    }),
  ];
}

function allows(allowed: ReadonlySet<string>, tool: string): boolean {
  return allowed.has(tool) || (tool === "MultiEdit" && allowed.has("Edit"));
}

/** At commas and blanks, but not within brackets. */
function partsOf(given: string): string[] {
  let depth = 0;
  let part = "";
  const parts: string[] = [];
  for (const letter of given.slice(0, 20_000)) {
    if (letter === "(") depth++;
    if (letter === ")") depth = Math.max(0, depth - 1);
    if (depth > 0 || !/[,\s]/.test(letter)) part += letter;
    else {
      parts.push(part);
      part = "";
    }
  }
  return [...parts, part];
}

/** `Read, Bash(git add:*), Write` or a list of these. */
function toolList(given: unknown): Set<string> | undefined {
  const words =
    typeof given === "string" ? partsOf(given) : Array.isArray(given) ? given.map(String) : undefined;
  return (
    words && new Set(words.map((word) => (word.split("(", 1)[0] ?? "").trim()).filter((word) => word !== ""))
  );
}

export function lineOfKey(lines: readonly string[], from: number, key: RegExp): number {
  const at = lines.slice(from).findIndex((line) => key.test(line));
  return at < 0 ? from : from + at + 1;
}
