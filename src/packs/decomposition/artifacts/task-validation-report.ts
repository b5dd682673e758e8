// reports/task-validation-report.md: the judgement for people (D11). What agents wrote is text here, never markup.
// Nothing is judged here: the verdict is computed in `check-task-validation.ts`.
import { visible } from "../../../protocols/document.ts";
import { verdictOf } from "../checks/check-task-validation.ts";
import { dimensionNames, type JudgedTask, type TaskValidation } from "./task-validation.ts";

const titles = {
  spec: "Specification",
  phase: "Phase",
  strategy: "Strategy",
  preferences: "Preferences",
  viability: "Viability",
  criteria: "Criteria",
} as const;

export function renderTaskValidation(value: TaskValidation): string {
  const counts = { READY: 0, READY_WITH_NOTES: 0, BLOCKED: 0 };
  for (const task of value.tasks) counts[verdictOf([task])]++;
  const lines = [
    "# Task validation",
    "",
    `Verdict: **${verdictOf(value.tasks)}**`,
    "",
    inline(value.summary),
    "",
    `${value.tasks.length} tasks: ${counts.READY} without notes, ${counts.READY_WITH_NOTES} with notes, ${counts.BLOCKED} failing.`,
    "",
    ...section(
      "Issues",
      value.issues.map((issue) => `- ${inline(typeof issue === "string" ? issue : issue.message)}`),
    ),
    ...section("Violated preferences", value.tasks.flatMap(preferenceViolation)),
    "## Overview",
    "",
    `| Task | ${dimensionNames.map((name) => titles[name]).join(" | ")} |`,
    `|---|${"---|".repeat(dimensionNames.length)}`,
    ...value.tasks.map(
      (task) =>
        `| ${task.task_id} | ${dimensionNames.map((name) => task.dimensions[name].score).join(" | ")} |`,
    ),
    "",
    ...value.tasks.flatMap(taskLines),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, "", ...lines, ""];
}

function preferenceViolation({ task_id, dimensions: { preferences } }: JudgedTask): string[] {
  const violated = preferences.score === "FAIL" || preferences.score === "PARTIAL";
  return violated ? [`- ${task_id} (${preferences.score}): ${inline(preferences.evidence)}`] : [];
}

function taskLines({ task_id, dimensions }: JudgedTask): string[] {
  const judged = dimensionNames.flatMap((name) => {
    const { score, evidence, suggestion = "" } = dimensions[name];
    const line = `- ${titles[name]}: **${score}**. ${inline(evidence)}`;
    return suggestion.trim() === "" ? [line] : [line, `  - Suggestion: ${inline(suggestion)}`];
  });
  return [`## ${task_id}`, "", ...judged, ""];
}

/** On one line, and with the characters that Markdown and HTML would act on made harmless. */
function inline(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim()).replace(
    /[\\`*_[\]<>|#]/g,
    (character) => `\\${character}`,
  );
}
