// What a diagnosis says: a finding, and the catalogue of patterns with what each one means and which strategy mends it.
import { diagnoses } from "../protocols/tuning/subjects.ts";
import type { Lines, SkillFile } from "./skill.ts";

export { diagnoses };
export type Diagnosis = (typeof diagnoses)[number];
export const severities = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

export interface Pattern {
  readonly diagnosis: Diagnosis;
  readonly type: string;
  readonly severity: Severity;
  readonly title: string;
  readonly cause: string;
  readonly impact: string;
  readonly strategy: string;
  /** Patterns of one group that meet at one place are one fault, seen from two sides. */
  readonly group?: string;
}

export interface Finding extends Lines {
  readonly id: string;
  readonly pattern: PatternId;
  readonly diagnosis: Diagnosis;
  readonly type: string;
  readonly severity: Severity;
  readonly file: string;
  readonly description: string;
  readonly evidence: string;
  readonly rootCause: string;
  readonly impact: string;
  readonly strategy: string;
  /** Other patterns that name the same place. */
  readonly related: readonly PatternId[];
}

function family(diagnosis: Diagnosis, type: string) {
  return (
    severity: Severity,
    title: string,
    more: Omit<Pattern, "diagnosis" | "type" | "severity" | "title">,
  ) => ({
    diagnosis,
    type,
    severity,
    title,
    ...more,
  });
}

const context = family("context", "context_explosion");
const memory = family("memory", "memory_loss");
const dataflow = family("dataflow", "dataflow_break");
const agent = family("agent", "agent_failure");
const redundancy = family("docs", "doc_redundancy");
const conflict = family("docs", "doc_conflict");
const tokens = family("token_consumption", "token_consumption");

export const patterns = {
  "CTX-001": context("high", "history grows without a bound", {
    cause: "every turn adds to it and nothing is ever dropped",
    impact: "the context fills up, and the first instructions are the first to be lost",
    strategy: "sliding_window",
    group: "growth",
  }),
  "CTX-002": context("medium", "whole content is handed over instead of its path", {
    cause: "the text of a file is copied into a prompt or read ahead of need",
    impact: "the same text is paid for in every call that carries it",
    strategy: "path_reference",
    group: "embed",
  }),
  "CTX-003": context("medium", "the whole state is put into a prompt", {
    cause: "the state is serialized although a few fields are needed",
    impact: "each call grows with the state",
    strategy: "structured_state",
    group: "embed",
  }),
  "CTX-004": context("medium", "a long phase says nothing about summarizing", {
    cause: "the phase is long and nothing in it is condensed before the next one",
    impact: "later phases start with a full context",
    strategy: "context_summarization",
    group: "size",
  }),
  "CTX-005": context("high", "an agent returns whole content", {
    cause: "the result carries the text itself instead of a path and a summary",
    impact: "the caller's context grows by everything that its agents read or wrote",
    strategy: "path_reference",
  }),
  "MEM-001": memory("high", "constraints of the first phase are not carried on", {
    cause: "a later phase neither repeats nor names them",
    impact: "they are forgotten as soon as the first phase has left the context",
    strategy: "constraint_injection",
    group: "constraints",
  }),
  "MEM-002": memory("medium", "a task's prompt has no constraints", {
    cause: "the prompt says what to do and not what must hold",
    impact: "the agent is free to break what was agreed",
    strategy: "constraint_injection",
    group: "constraints",
  }),
  "MEM-003": memory("low", "no checkpoint between many phases", {
    cause: "no phase says what is to be saved before the next",
    impact: "an interruption loses all of it",
    strategy: "checkpoint_restore",
  }),
  "MEM-004": memory("medium", "the state has no place for the original request", {
    cause: "no field holds constraints, requirements or the goal",
    impact: "they live in the conversation only, and go when it is cut",
    strategy: "state_constraints_field",
  }),
  "MEM-005": memory("medium", "many phases and no check of the result", {
    cause: "nothing compares the result with what was asked for",
    impact: "a drift from the goal is noticed by nobody",
    strategy: "goal_embedding",
  }),
  "DF-001": dataflow("high", "state is kept in several places", {
    cause: "three or more files are written as the state",
    impact: "they come to differ, and nobody knows which one is true",
    strategy: "state_centralization",
  }),
  "DF-002": dataflow("medium", "one field has two names", {
    cause: "the same thing is spelled differently in different places",
    impact: "what one phase writes the next does not find",
    strategy: "field_normalization",
  }),
  "DF-003": dataflow("medium", "parsed and not validated", {
    cause: "the shape of the document is taken for granted",
    impact: "a truncated or wrong document goes on as if it were right",
    strategy: "schema_enforcement",
  }),
  "DF-004": dataflow("low", "types are declared and never checked", {
    cause: "an interface documents a shape that nothing enforces",
    impact: "documents drift from it unnoticed",
    strategy: "schema_enforcement",
  }),
  "DF-005": dataflow("high", "an autonomous skill without a state schema", {
    cause: "the loop decides by a state whose fields are written down nowhere",
    impact: "each action guesses, and the loop goes wrong or round",
    strategy: "structured_state",
  }),
  "DF-006": dataflow("low", "written and never read", {
    cause: "a file is made that nothing uses",
    impact: "work and tokens for nothing",
    strategy: "eliminate_intermediate_files",
  }),
  "DF-007": dataflow("medium", "a file is named that is not there", {
    cause: "it was moved, renamed or never written",
    impact: "the agent looks for it, then makes its content up",
    strategy: "repair_reference",
  }),
  "AGT-001": agent("medium", "an agent's failure is not handled", {
    cause: "nothing says what happens when it fails or does not answer",
    impact: "the skill stops half-way, or goes on without the result",
    strategy: "error_wrapping",
  }),
  "AGT-002": agent("medium", "an agent's result is not checked", {
    cause: "it is used as it comes",
    impact: "an empty or wrong answer goes on as if it were right",
    strategy: "result_validation",
  }),
  "AGT-003": agent("low", "many kinds of agents", {
    cause: "more than three kinds work in one autonomous loop",
    impact: "more prompts to keep in line than anybody does",
    strategy: "consolidation",
  }),
  "AGT-004": agent("high", "an agent is told to start agents", {
    cause: "a call is nested in the prompt of another",
    impact: "most hosts refuse it, and where it works nobody sees what fails inside",
    strategy: "flatten_nesting",
  }),
  "AGT-005": agent("medium", "a tool is used that the front matter does not allow", {
    cause: "the list of tools was not kept up",
    impact: "the call is refused, or a person is asked each time",
    strategy: "allow_tool",
  }),
  "AGT-006": agent("medium", "agents answer in many formats", {
    cause: "more than two formats are asked for",
    impact: "each needs a reader of its own, and one is forgotten",
    strategy: "consolidation",
  }),
  "DOC-RED-001": redundancy("high", "a type is defined in more than one file", {
    cause: "it was copied",
    impact: "the copies come to differ",
    strategy: "consolidate_to_ssot",
  }),
  "DOC-RED-002": redundancy("high", "a mapping is hard-coded in a phase", {
    cause: "what belongs into one table stands in the instructions of an action",
    impact: "a change is made in one place and missed in the others",
    strategy: "centralize_mapping_config",
  }),
  "DOC-RED-003": redundancy("medium", "the same text stands twice", {
    cause: "it was copied",
    impact: "it is paid for twice, and the copies come to differ",
    strategy: "consolidate_to_ssot",
  }),
  "DOC-CON-001": conflict("critical", "one name is defined in two ways", {
    cause: "two places define it and do not agree",
    impact: "which one counts depends on what the agent read last",
    strategy: "reconcile_conflicting_definitions",
  }),
  "DOC-CON-002": conflict("medium", "a table and its description differ", {
    cause: "names in the JSON file are missing in the document that describes them",
    impact: "the agent picks what nothing explains",
    strategy: "reconcile_conflicting_definitions",
  }),
  "DOC-CON-003": conflict("high", "one limit has two values", {
    cause: "it was changed in one place only",
    impact: "the loop ends too early or too late",
    strategy: "reconcile_conflicting_definitions",
  }),
  "DOC-FRONT-001": conflict("high", "the front matter cannot be read", {
    cause: "it is not valid YAML",
    impact: "hosts pass the skill over, or load it without its settings",
    strategy: "repair_front_matter",
  }),
  "DOC-FRONT-002": conflict("medium", "the front matter lacks a key that hosts need", {
    cause: "`name` or `description` is missing",
    impact: "nothing tells the agent when to use the skill",
    strategy: "repair_front_matter",
  }),
  "TKN-001": tokens("medium", "a file is too large to be loaded at once", {
    cause: "what is needed now and then stands beside what is needed always",
    impact: "every use pays for all of it",
    strategy: "prompt_compression",
    group: "size",
  }),
  "TKN-002": tokens("medium", "the state has many fields", {
    cause: "more than fifteen fields are kept",
    impact: "each action reads and rewrites all of them",
    strategy: "state_field_reduction",
  }),
  "TKN-003": tokens("high", "a file is read into a prompt", {
    cause: "the call to read stands inside the prompt's text",
    impact: "the file's whole text is paid for in every call",
    strategy: "path_reference",
    group: "embed",
  }),
  "TKN-004": tokens("high", "a list in the state grows without a bound", {
    cause: "items are added and none is ever dropped",
    impact: "the state is read whole in every step, and costs more each time",
    strategy: "sliding_window",
    group: "growth",
  }),
  "TKN-005": tokens("medium", "written, then read back at once", {
    cause: "a file is used to pass what is at hand",
    impact: "the text is paid for twice",
    strategy: "context_passing",
  }),
  "TKN-006": tokens("medium", "the description is too long", {
    cause: "it explains what the body explains again",
    impact: "hosts keep every description in context all the time, and cut long ones off",
    strategy: "prompt_compression",
  }),
  "TKN-007": tokens("high", "a file includes itself", {
    cause: "its `@` references lead back to it",
    impact: "hosts load it until their limit, or refuse it",
    strategy: "repair_reference",
  }),
} as const satisfies Readonly<Record<string, Pattern>>;

export type PatternId = keyof typeof patterns;

export interface Found extends Lines {
  readonly file: SkillFile;
  readonly description: string;
  readonly severity?: Severity;
  readonly evidence?: string;
}

export function finding(pattern: PatternId, found: Found): Finding {
  const { file, line, endLine, description } = found;
  const { diagnosis, type, severity, cause, impact, strategy } = patterns[pattern] as Pattern;
  return {
    id: "",
    pattern,
    diagnosis,
    type,
    severity: found.severity ?? severity,
    file: file.path,
    line,
    endLine,
    description,
    evidence: cut(found.evidence ?? file.lines.slice(line - 1, Math.min(endLine, line + 2)).join("\n")),
    rootCause: cause,
    impact,
    strategy,
    related: [],
  };
}

function cut(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 300 ? `${trimmed.slice(0, 299)}…` : trimmed;
}
