// The verifier's judgement (D11, D12): every task judged once, and a verdict that follows from the dimensions.
// The shape of the file is in `task-validation.ts`, its rendering in `task-validation-report.ts`.
import { type Problem, problem } from "../../../core/problem.ts";
import { type Checked, checkArtifact, type Known } from "../../../protocols/check-artifact.ts";
import { placeOf, type Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import {
  dimensionNames,
  type JudgedTask,
  type TaskValidation,
  taskValidation,
  type Verdict,
} from "../artifacts/task-validation.ts";
import { suggester } from "./suggestion.ts";

export interface TaskValidationInput extends Source {
  /** The ids of all tasks in the plan. */
  readonly tasks: Known;
}

/** Any FAIL blocks; any PARTIAL leaves notes. */
export function verdictOf(tasks: readonly Pick<JudgedTask, "dimensions">[]): Verdict {
  return verdictFrom(
    new Set(tasks.flatMap(({ dimensions }) => dimensionNames.map((name) => dimensions[name].score))),
  );
}

function verdictFrom(scores: ReadonlySet<unknown>): Verdict {
  if (scores.has("FAIL")) return "BLOCKED";
  return scores.has("PARTIAL") ? "READY_WITH_NOTES" : "READY";
}

export function checkTaskValidation(input: TaskValidationInput): Checked<TaskValidation> {
  return checkArtifact(taskValidation, input, (root) => [
    ...judgedOnce(root.at("tasks"), input.tasks),
    ...judgements(root).flatMap(missingSuggestion),
    ...root.at("tasks").items.flatMap(notJudged),
    ...contradiction(root),
  ]);
}

function judgedOnce(list: Spot, tasks: Known): Problem[] {
  if (!list.isList) return [];
  const suggest = suggester(tasks);
  const seen = new Set<string>();
  const wrong = list.items.flatMap((entry) => {
    const id = entry.at("task_id");
    if (id.text === undefined) return [];
    if (!tasks.has(id.text)) {
      const hint = suggest(id.text, "remove this entry, or name a task of the plan");
      return [id.problem("unknown-task", `the judgement names unknown task ${shown(id.text)}`, hint)];
    }
    if (seen.has(id.text)) {
      return [
        id.problem("judged-twice", `task ${shown(id.text)} is judged twice`, "keep one of the two entries"),
      ];
    }
    seen.add(id.text);
    return [];
  });
  const missing = [...tasks.keys()]
    .filter((id) => !seen.has(id))
    .map((id) =>
      list.problem(
        "not-judged",
        `task ${shown(id)} is not judged`,
        `add an entry with \`"task_id": "${id}"\``,
      ),
    );
  return wrong.concat(missing);
}

interface Judgement {
  readonly task: string;
  readonly dimension: string;
  readonly spot: Spot;
  readonly score: unknown;
}

function judgements(root: Spot): Judgement[] {
  return root.at("tasks").items.flatMap((entry) =>
    dimensionNames.map((dimension) => {
      const spot = entry.at("dimensions").at(dimension);
      return { task: shown(entry.at("task_id").value), dimension, spot, score: spot.at("score").value };
    }),
  );
}

function missingSuggestion({ task, dimension, spot, score }: Judgement): Problem[] {
  const needed = score === "PARTIAL" || score === "FAIL";
  if (!needed || (spot.at("suggestion").text ?? "").trim() !== "") return [];
  const message = `the ${score} of ${task} on \`${dimension}\` comes without a suggestion`;
  return [spot.problem("missing-suggestion", message, "say in `suggestion` what to change in the task")];
}

/** A task to which nothing applies was not judged. */
function notJudged(entry: Spot): Problem[] {
  const dimensions = entry.at("dimensions");
  const scores = dimensionNames.map((name) => dimensions.at(name).at("score").text);
  if (scores.some((score) => score !== "N-A")) return [];
  const message = `every dimension of task ${shown(entry.at("task_id").value)} is N-A: it was not judged`;
  return [
    dimensions.problem("not-judged", message, "judge at least the specification, viability and criteria"),
  ];
}

const NAMED = 10;

function contradiction(root: Spot): Problem[] {
  const claimed = root.at("verdict");
  if (claimed.text === undefined || !["READY", "READY_WITH_NOTES", "BLOCKED"].includes(claimed.text))
    return [];
  const all = judgements(root);
  const computed = verdictFrom(new Set(all.map(({ score }) => score)));
  if (claimed.text === computed) return [];
  const decisive = computed === "BLOCKED" ? "FAIL" : "PARTIAL";
  const grounds = computed === "READY" ? [] : all.filter(({ score }) => score === decisive);
  const because = grounds
    .slice(0, NAMED)
    .map(({ task, dimension }) => `${task} has ${decisive} on \`${dimension}\``);
  const more = grounds.length > NAMED ? [`and ${grounds.length - NAMED} more`] : [];
  const reasons = grounds.length > 0 ? [...because, ...more].join(", ") : "no dimension is PARTIAL or FAIL";
  return [
    problem(
      "verdict-contradicts",
      `the verdict is \`${claimed.text}\`, but the dimensions make it \`${computed}\`: ${reasons}`,
      {
        place: placeOf(claimed.source, claimed.pointer),
        hint: `write \`"verdict": "${computed}"\`, or correct the scores`,
      },
    ),
  ];
}
