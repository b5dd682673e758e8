// A mission as a specification: what a decomposition is given when a plan is handed over to it. Every step and everything
// that must be true is a numbered requirement, so that the plan that is made of it can be held against it.
import type { MissionPlan } from "./artifacts/plan.ts";
import type { MissionResearch } from "./artifacts/research.ts";

export interface MissionSaid {
  readonly context: string;
  readonly research: MissionResearch | undefined;
  readonly plan: MissionPlan;
}

export function missionSpec({ context, research, plan }: MissionSaid): string {
  const { objective, tasks, must_haves: musts } = plan;
  const steps = tasks.map(
    ({ title, description, files, verification_cmd: command }, at) =>
      `- REQ-${at + 1}: ${line(title)}. ${line(description)}${filesText(files)} Shown by: \`${line(command)}\``,
  );
  const truths = musts.map(
    ({ truth, evidence_required: evidence }, at) =>
      `- REQ-${tasks.length + at + 1}: ${line(truth)}. Shown by: ${line(evidence)}`,
  );
  const sections = [
    `# ${line(objective)}`,
    section("What is to be done", steps),
    section("What must be true at the end", truths),
    ...(research ? [section("What was found out", found(research))] : []),
    `## What it is about\n\n${indented(context)}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

const line = (text: string) => text.trim().replace(/\s+/g, " ");

const filesText = (files: readonly string[]) =>
  files.length === 0 ? "" : ` Files: ${files.map((file) => `\`${file}\``).join(", ")}.`;

const section = (title: string, lines: readonly string[]) => `## ${title}\n\n${lines.join("\n")}`;

function found({ knowledge, recommendations = [], risks = [] }: MissionResearch): string[] {
  const said = (value: unknown) => line(typeof value === "string" ? value : JSON.stringify(value));
  return [
    ...knowledge.map(({ topic, findings, constraints = [] }) =>
      [`- ${said(topic)}: ${said(findings)}`, ...constraints.map((each) => `  - ${said(each)}`)].join("\n"),
    ),
    ...recommendations.map((each) => `- Recommended: ${said(each)}`),
    ...risks.map((each) => `- Risk: ${said(each)}`),
  ];
}

/** The person's own headings stay below ours. */
const indented = (context: string) => context.trim().replace(/^(#+ )/gm, "##$1");
