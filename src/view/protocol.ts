// A protocol as people and programs read it: a table of its rules, a Mermaid state diagram, and plain data. Subjects
// are functions; what is shown of them is what they are about and which values they can have.
import type { Action, Protocol, Rule } from "../core/protocol.ts";
import type { Json } from "../core/run.ts";
import { hintText } from "./hint.ts";
import { oneLine } from "./safe.ts";

/** One line per rule, in the order in which they are tried. */
export function protocolTable(protocol: Protocol): string {
  const rows = protocol.rules.map((rule) => [
    rule.when.phase?.join(", ") ?? "any",
    conditionText(rule),
    actionText(protocol, rule.then),
    rule.name,
  ]);
  return aligned([["phase", "when", "then", "rule"], ...rows.map((row) => row.map(oneLine))]);
}

function conditionText({ when }: Rule): string {
  const conditions = Object.entries(when).filter(([subject]) => subject !== "phase");
  if (conditions.length === 0) return "otherwise";
  return conditions.map(([subject, wanted]) => `${subject}: ${wanted.join(" | ")}`).join(", ");
}

function actionText(protocol: Protocol, action: Action): string {
  switch (action.kind) {
    case "go":
      return action.counts === undefined ? `go ${action.to}` : `go ${action.to}, counts ${action.counts}`;
    case "job":
      return `${action.role} makes ${protocol.artifacts[action.makes] ?? action.makes}`;
    case "tasks":
      return "work on the tasks";
    case "ask":
      return `ask: ${action.question}`;
    case "wait":
      return `wait: ${hintText(action.hint)}`;
    case "halt":
      return `halt ${action.code}: ${hintText(action.hint)}`;
    case "end":
      return `end ${action.outcome}`;
  }
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Transitions only: what a phase waits for is its description. */
export function protocolMermaid(protocol: Protocol): string {
  const names = protocol.phases.map((phase) => phase.name);
  const id = (name: string) => (isPlainId(name) ? name : `phase${names.indexOf(name)}`);
  const [start] = names;
  const lines = ["stateDiagram-v2"];
  for (const { name, about } of protocol.phases) {
    if (!isPlainId(name)) lines.push(`  state "${escaped(name)}" as ${id(name)}`);
    lines.push(`  ${id(name)} : ${escaped(about)}`);
  }
  if (start !== undefined) lines.push(`  [*] --> ${id(start)}`);
  for (const { name: label, when, then } of protocol.rules) {
    if (then.kind !== "go") continue;
    const to = id(then.to);
    for (const from of when.phase ?? names) lines.push(`  ${id(from)} --> ${to} : ${escaped(label)}`);
  }
  for (const { name, end } of protocol.phases) if (end) lines.push(`  ${id(name)} --> [*]`);
  return `${lines.join("\n")}\n`;
}

/** Words that mean something to Mermaid where an id may stand. */
const mermaidWords =
  /^(?:as|class|classDef|click|default|direction|end|hide|note|scale|state|style|accTitle|accDescr)$/i;

function isPlainId(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && !mermaidWords.test(name) && !/^phase\d+$/.test(name);
}

/** Mermaid reads `#58;` as the character with that number, and would take these for its own syntax. */
function escaped(text: string): string {
  return oneLine(text).replace(/[#;:"<>{}[\]%&\\]/g, (character) => `#${character.charCodeAt(0)};`);
}

export function protocolJson(protocol: Protocol): Json {
  const { name, about, phases, artifacts, given = [], counters, rules, graph = null } = protocol;
  const subjects = Object.entries(protocol.subjects).map(([subject, each]) => [
    subject,
    { about: each.about, values: each.values, artifact: each.artifact ?? null },
  ]);
  return {
    name,
    about,
    phases: phases.map((phase) => ({ name: phase.name, about: phase.about, end: phase.end ?? false })),
    artifacts,
    given,
    subjects: Object.fromEntries(subjects),
    counters,
    graph: graph && { ...(graph.opens !== undefined && { opens: graph.opens }), runs: graph.runs },
    rules: rules.map(({ name: sentence, when, then }) => ({ name: sentence, when, then })),
  };
}
