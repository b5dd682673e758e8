// The catalogue of patterns: what each one means, how sure heddle is of it, and what to do about it, with an example.
// A *proven* pattern is a fact about files (a link's target is missing, a document does not parse, a field is over its
// host's limit). A *suspected* one is read out of English or code, and counts only when an agent has confirmed it.
import type { diagnoses } from "../subjects.ts";

export type Diagnosis = (typeof diagnoses)[number];
export const severities = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];
export type Certainty = "proven" | "suspected";

export interface Pattern {
  readonly diagnosis: Diagnosis;
  readonly type: string;
  readonly certainty: Certainty;
  readonly severity: Severity;
  readonly title: string;
  readonly cause: string;
  readonly impact: string;
  readonly strategy: string;
  /** What a person or an agent does about it, with an example. */
  readonly advice: string;
  /** Patterns of one group that meet at one place are one fault, seen from two sides. */
  readonly group?: string;
}

function family(diagnosis: Diagnosis, type: string, certainty: Certainty) {
  return (
    severity: Severity,
    title: string,
    more: Omit<Pattern, "diagnosis" | "type" | "certainty" | "severity" | "title">,
  ) => ({ diagnosis, type, certainty, severity, title, ...more });
}

const context = family("context", "context_explosion", "suspected");
const dataflow = family("dataflow", "dataflow_break", "proven");
const agent = family("agent", "agent_failure", "suspected");
const front = family("docs", "doc_conflict", "proven");
const tokens = family("token_consumption", "token_consumption", "suspected");
const limits = family("token_consumption", "token_consumption", "proven");

export const patterns = {
  "CTX-001": context("medium", "history grows without a bound", {
    cause: "every turn adds to it and nothing is ever dropped",
    impact: "the context fills up, and the first instructions are the first to be lost",
    strategy: "sliding_window",
    advice:
      "Say how much is kept and what becomes of the rest, for example: keep the last ten turns, and a summary of what is older.",
    group: "growth",
  }),
  "CTX-003": context("medium", "the whole state is put into a prompt", {
    cause: "the state is serialized although a few fields are needed",
    impact: "each call grows with the state",
    strategy: "structured_state",
    advice:
      "Name the state's path and the two or three fields that count, for example: `status: running; the rest is in work/state.json`.",
    group: "embed",
  }),
  "DF-007": dataflow("medium", "a file is named that is not there", {
    cause: "it was moved, renamed or never written",
    impact: "the agent looks for it, then makes its content up",
    strategy: "repair_reference",
    advice:
      "Point to where the file is now, add it, or take the reference out, for example: `[style](references/style.md)` when the file lies in references/.",
  }),
  "DF-008": dataflow("high", "a JSON document contradicts itself or cannot be read", {
    cause: "it is not JSON, or its schema can be met by no document",
    impact: "whatever reads it fails, or checks nothing",
    strategy: "schema_enforcement",
    advice:
      'Make both sides agree, for example: a property in "required" must be in "properties" when "additionalProperties" is false.',
  }),
  "AGT-004": agent("medium", "a sub-agent is told to start agents", {
    cause: "its instructions start other agents",
    impact: "hosts do not let sub-agents start agents: that step does not happen",
    strategy: "flatten_nesting",
    advice:
      "Let whoever starts this agent start the others, for example: the command starts `reviewer` and `tester` one after the other.",
  }),
  "AGT-005": agent("medium", "a sub-agent uses a tool that it does not have", {
    cause: "its list of tools was not kept up",
    impact: "the call is refused, and the step does not happen",
    strategy: "allow_tool",
    advice: "Add the tool to the list, or take the step out, for example: `tools: Read, Grep, Write`.",
  }),
  "DOC-EMPTY-001": front("critical", "the skill says nothing", {
    cause: "there is no text below the front matter",
    impact: "an agent that loads it learns nothing",
    strategy: "explain",
    advice:
      "Write down what the agent is to do, step by step, for example: `1. Read the diff. 2. List what breaks callers. 3. …`",
  }),
  "DOC-FRONT-001": front("high", "the front matter cannot be read", {
    cause: "it is not valid YAML",
    impact: "hosts pass the skill over, or load it without its settings",
    strategy: "repair_front_matter",
    advice:
      'Put a value with a colon or a bracket into quotes, for example: `description: "Reviews code: style and bugs"`.',
  }),
  "DOC-FRONT-002": front("high", "the front matter lacks a key that hosts need", {
    cause: "`name` or `description` is missing",
    impact: "nothing tells the agent when to use the skill, and some hosts do not load it",
    strategy: "repair_front_matter",
    advice:
      "Say what it does and when to use it, for example: `description: Writes release notes from merged pull requests. Use it before a release.`",
  }),
  "DOC-FRONT-003": front("medium", "the name is not one that hosts take", {
    cause: "names have 1 to 64 lower-case letters, digits and hyphens",
    impact: "hosts that check it do not load the skill",
    strategy: "repair_front_matter",
    advice: "Give it the name of its folder, in that form, for example: `name: release-notes`.",
  }),
  "TKN-001": tokens("low", "the skill is larger than its makers advise", {
    cause: "what is needed now and then stands beside what is needed always",
    impact: "every use pays for all of it",
    strategy: "prompt_compression",
    advice:
      "Move what is needed now and then into files of its own and say when to read them, for example: `For a rollback, read references/rollback.md.`",
  }),
  "TKN-003": tokens("medium", "a file is read into a prompt", {
    cause: "the call to read stands inside the prompt's text",
    impact: "the file's whole text is paid for in every call",
    strategy: "path_reference",
    advice:
      "Name the path and let the agent read it, for example: `Read build.log, then explain the failure.`",
    group: "embed",
  }),
  "TKN-004": tokens("medium", "a list in the state grows without a bound", {
    cause: "items are added and none is ever dropped",
    impact: "the state is read whole in every step, and costs more each time",
    strategy: "sliding_window",
    advice:
      "Keep what the next step needs and count the rest, for example: the last five errors and their number.",
    group: "growth",
  }),
  "TKN-006": limits("medium", "a field is longer than hosts take", {
    cause: "it explains what the body explains again",
    impact: "hosts cut it off or refuse the skill",
    strategy: "prompt_compression",
    advice:
      "Say in one or two sentences what it does and when to use it, and leave the rest to the body; no rule can choose which words may go.",
  }),
  "TKN-007": limits("high", "a file includes itself", {
    cause: "its `@` references lead back to it",
    impact: "hosts load it until their limit, or refuse it",
    strategy: "repair_reference",
    advice: "Name one of the files without `@`, for example: `docs/rules.md` in code marks.",
  }),
  "TKN-008": limits("medium", "the file is longer than its host reads", {
    cause: "Codex reads 32 KiB of `AGENTS.md` and leaves the rest out",
    impact: "what stands at the end is never seen",
    strategy: "prompt_compression",
    advice:
      "Move parts into the folders that they are about, where each has its own AGENTS.md, for example: api/AGENTS.md.",
  }),
} as const satisfies Readonly<Record<string, Pattern>>;

export type PatternId = keyof typeof patterns;
