// What an executor is given: the task's bundle for its own workspace, with the skill, what went wrong before, and where
// its proposal belongs. One file tells it everything (X4, X7).

import type { Problem } from "../../core/problem.ts";
import type { Head, Task } from "../../core/run.ts";
import type { Question } from "../../core/run-parts.ts";
import type { ExecutorOrder } from "../../orders/contract.ts";
import { baselineNotes } from "../../work/evidence/baseline-notes.ts";
import { taskBundle } from "./task-bundle.ts";

export function executorBundle(
  run: Head,
  task: Task,
  { target, result, skill, diff, red, socket, ...before }: ExecutorOrder,
): { readonly text: string; readonly plain: string } | { readonly problems: readonly Problem[] } {
  const made = taskBundle({ ...run, targetDir: target }, task, before);
  if (made.problems) return { problems: made.problems };
  const { bundle } = made;
  const previous = bundle.previous_attempt && {
    ...bundle.previous_attempt,
    attempt: task.attempts - 1,
    diff,
    red,
  };
  const answers = run.questions.filter((each) => each.about === task.def.id && each.answer !== null);
  const whole = {
    ...bundle,
    previous_attempt: previous,
    attempt: task.attempts,
    skill: skill.text,
    answers: answers.map(({ text, answer }: Question) => ({ question: text, answer })),
    baseline: baselineNotes(run, task.def),
    execution: { result, workspace: target, socket },
  };
  return { text: text(whole), plain: text({ ...bundle, target_dir: run.targetDir }) };
}

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
