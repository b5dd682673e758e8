// Agents that fail: unhandled, unchecked, nested, without leave to use their tools, answering in every format.
import { callsTo, isCaught, isTried } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import { type AgentCall, isNegated, type Seen } from "../see.ts";

export function diagnoseAgent(seen: Seen): Finding[] {
  return [
    ...unhandled(seen),
    ...unhandledInProse(seen),
    ...unchecked(seen),
    ...manyKinds(seen),
    ...nested(seen),
    ...missingTools(seen),
    ...manyFormats(seen),
  ];
}

const failureSaid =
  /\b(fail(s|ed|ure|ures|ing)?|errors?|times? out|timed out|timeouts?|retry|retries|retried|crash(es|ed)?|no answer|does not (answer|return)|stuck|unavailable|gives? up|partial results?|come back (empty|with nothing)|exception)\b/i;
const agentSaid =
  /\b(sub-?agents?|agents?|workers?|tasks?|started|tried|again|once more|left out|skip\w*|report\w*)\b/i;

/** A sentence that tells what to do when one fails counts as handling it: skills are prose first. */
function isHandledIn(seen: Seen, call: AgentCall): boolean {
  return seen.sentences.some(
    ({ file, text, under }) =>
      file === call.code.file &&
      failureSaid.test(text) &&
      (agentSaid.test(text) ||
        under.some((title) => failureSaid.test(title)) ||
        /^(if|when|on)\b/i.test(text)),
  );
}

function unhandled(seen: Seen): Finding[] {
  const bare = seen.agentCalls.filter(
    (call) =>
      !isTried(call.code.tokens, call.from) &&
      !isCaught(call.code.tokens, call) &&
      !call.code.tokens.some(({ text }) => text === "allSettled") &&
      !isHandledIn(seen, call) &&
      !isInside(call, seen.agentCalls),
  );
  const severity = bare.length > 2 ? "high" : "medium";
  return firstOfEachFile(bare).map(({ code, line, endLine, name }) =>
    finding("AGT-001", {
      file: code.file,
      line,
      endLine,
      severity,
      description: `nothing is said for the case that \`${name}\` fails`,
    }),
  );
}

function isInside(call: AgentCall, calls: readonly AgentCall[]): boolean {
  return calls.some((other) => other.code === call.code && other.from < call.from && call.from < other.to);
}

function firstOfEachFile(calls: readonly AgentCall[]): AgentCall[] {
  return calls.filter((call, at) => calls.findIndex(({ code }) => code.file === call.code.file) === at);
}

const starts =
  /\b(spawn|launch|dispatch|fan out|start|kick off|delegate|hand (it|this|them|each|off))\b[^.]{0,60}\b(sub-?agents?|agents?|workers)\b/i;

/** "Fix failing tests" says nothing about an agent that fails. */
const worksSaid =
  /\b(sub-?agents?|agents?|workers?|teammates?|dispatch\w*|delegat\w*|spawn\w*|steps?|phases?|runs?|it)\b/i;

function unhandledInProse({ sentences, agentCalls }: Seen): Finding[] {
  const isHandled = sentences.some(
    ({ text, under }) =>
      failureSaid.test(text) &&
      (worksSaid.test(text) || under.some((title) => /agent|fail|error/.test(title))),
  );
  if (agentCalls.length > 0 || isHandled) return [];
  const said = sentences.find(({ text, isAdvice }) => isAdvice && starts.test(text));
  if (!said) return [];
  return [
    finding("AGT-001", {
      ...said,
      description: "agents are started, and nothing is said for the case that one fails",
      evidence: said.text,
    }),
  ];
}

const checks =
  /^(if|validate\w*|check\w*|assert\w*|schema\w*|safeParse|isArray|typeof|verify\w*|every|some|filter|ensure\w*|expect)$/i;
const checkSaid =
  /\b(check|validate|verify|confirm|compare|reject|inspect|make sure|ensure|review)\w*\b[^.]*\b(results?|outputs?|answers?|returns?|returned|repl(y|ies)|responses?|reports?|files?|findings?|each|exists?)\b/i;

function unchecked(seen: Seen): Finding[] {
  const bare = seen.agentCalls.filter(({ code, to, ...call }) => {
    const after = code.tokens
      .slice(to, to + 80)
      .some(({ kind, text }) => kind === "word" && checks.test(text));
    const said = seen.sentences.some(({ file, text }) => file === code.file && checkSaid.test(text));
    const isHere = !after && !said && !isInside({ code, to, ...call }, seen.agentCalls);
    return isHere && !answersLater({ code, to, ...call });
  });
  return firstOfEachFile(bare).map(({ code, line, endLine, name }) =>
    finding("AGT-002", {
      file: code.file,
      line,
      endLine,
      description: `what \`${name}\` answers is not looked at`,
    }),
  );
}

/** One in the background answers somewhere else. */
function answersLater({ code, from, to }: AgentCall): boolean {
  const words = code.tokens.slice(from, to).map(({ text }) => text);
  const at = words.findIndex((word) => /^run_in_background$/.test(word));
  if (at >= 0 && words[at + 2] === "true") return true;
  return words[0] === "spawn_agent" && /\bwait(_agent)?\b/.test(code.file.text);
}

function manyKinds({ agentCalls, isAutonomous }: Seen): Finding[] {
  const kinds = new Map<string, AgentCall>();
  for (const call of agentCalls) {
    const words = call.code.tokens.slice(call.from, call.to);
    const at = words.findIndex(({ text }) =>
      /^["']?(subagent_type|agent_type|agentType|agent)["']?$/.test(text),
    );
    const kind = words[at + 2];
    if (at >= 0 && kind?.kind === "string" && !kinds.has(kind.text)) kinds.set(kind.text, call);
  }
  const fourth = [...kinds.values()][3];
  if (!isAutonomous || !fourth) return [];
  const { code, line, endLine } = fourth;
  return [
    finding("AGT-003", {
      file: code.file,
      line,
      endLine,
      description: `${kinds.size} kinds of agents in one loop`,
    }),
  ];
}

const nestedCall = /\b(Task|Agent)\s*\(|subagent_type/;
const nestedSaid =
  /\b(spawn|launch|dispatch|start|delegate to|use)\b[^.\n]{0,40}\b(sub-?agents?|(another|other|more|further|own|additional) agents?|agents of (your|its) own)\b/i;

function nested({ agentCalls, skill, sentences }: Seen): Finding[] {
  const inPrompts = agentCalls.flatMap(({ code, prompts }) =>
    prompts.flatMap((token) => {
      const at = token.text
        .split("\n")
        .findIndex((line) => nestedCall.test(line) || (nestedSaid.test(line) && !isNegated(line)));
      if (at < 0) return [];
      const line = token.line + at;
      return [
        finding("AGT-004", {
          file: code.file,
          line,
          endLine: line,
          description: "the prompt tells the agent to start another",
        }),
      ];
    }),
  );
  const isAgent = /-agent$/.test(skill.kind);
  const said = isAgent
    ? sentences.find(({ text, isAdvice }) => isAdvice && nestedSaid.test(text))
    : undefined;
  if (!said) return inPrompts;
  return [
    ...inPrompts,
    finding("AGT-004", { ...said, description: "a sub-agent is told to start agents", evidence: said.text }),
  ];
}

const tools =
  /^(Read|Write|Edit|MultiEdit|Glob|Grep|Bash|WebFetch|WebSearch|Task|Agent|AskUserQuestion|NotebookEdit|TodoWrite)$/;

function missingTools({ skill, codes, sentences, agentCalls }: Seen): Finding[] {
  const { front } = skill.entry;
  const given = front?.values["allowed-tools"] ?? front?.values.tools;
  const allowed = toolList(given);
  if (!front || !allowed || allowed.has("*")) return [];
  const used = new Set(codes.flatMap(({ tokens }) => callsTo(tokens, tools).map(({ name }) => name)));
  if (agentCalls.some(({ name }) => /^(Task|Agent)$/.test(name))) used.add("Task");
  for (const { text, isAdvice } of sentences) {
    const [, tool] = isAdvice
      ? (/\b(?:use|with|via|call|using) (?:the )?`?(\w+)`? tool\b/i.exec(text) ?? [])
      : [];
    if (tool !== undefined && tools.test(tool)) used.add(tool);
  }
  const missing = [...used].filter(
    (tool) => !allows(allowed, tool) && !(tool === "Agent" && used.has("Task")),
  );
  if (missing.length === 0) return [];
  const line = lineOfKey(skill.entry.lines, front.line, /^(allowed-tools|tools)\s*:/);
  return [
    finding("AGT-005", {
      file: skill.entry,
      line,
      endLine: line,
      description: `used and not allowed: ${missing.join(", ")}`,
    }),
  ];
}

function allows(allowed: ReadonlySet<string>, tool: string): boolean {
  if (tool === "Task" || tool === "Agent") return allowed.has("Task") || allowed.has("Agent");
  return allowed.has(tool) || (tool === "MultiEdit" && allowed.has("Edit"));
}

/** `Read, Bash(git add:*), Write` or a list of these. */
export function toolList(given: unknown): Set<string> | undefined {
  const words =
    typeof given === "string"
      ? given.split(/,(?![^(]*\))|\s+(?![^(]*\))/)
      : Array.isArray(given)
        ? given.map(String)
        : undefined;
  return (
    words && new Set(words.map((word) => word.trim().replace(/\(.*$/, "")).filter((word) => word !== ""))
  );
}

export function lineOfKey(lines: readonly string[], from: number, key: RegExp): number {
  const at = lines.slice(from).findIndex((line) => key.test(line));
  return at < 0 ? from : from + at + 1;
}

export const formats =
  /\b(?:return|reply|respond|answer|output|report|responds?|results?)\b[^.\n]{0,50}?\b(JSON|YAML|XML|Markdown|CSV|plain text|TOML|HTML|numbered list|bullet(?:ed)? list|table)\b/gi;

/** Each format that agents are asked to answer in, and where it is first. */
export function formatsIn({ agentCalls }: Seen): ReadonlyMap<string, { call: AgentCall; line: number }> {
  const found = new Map<string, { call: AgentCall; line: number }>();
  for (const call of agentCalls)
    for (const token of call.prompts)
      for (const [at, text] of token.text.split("\n").entries())
        for (const [, format = ""] of text.matchAll(formats)) {
          const name = format.toLowerCase();
          if (!found.has(name)) found.set(name, { call, line: token.line + at });
        }
  return found;
}

function manyFormats(seen: Seen): Finding[] {
  const found = formatsIn(seen);
  const third = [...found.values()][2];
  if (!third) return [];
  const { call, line } = third;
  return [
    finding("AGT-006", {
      file: call.code.file,
      line,
      endLine: line,
      description: `agents answer in ${[...found.keys()].join(", ")}`,
    }),
  ];
}
