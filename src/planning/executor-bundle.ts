// What an executor is given: the task's bundle for its own workspace, with the skill, what went wrong before, and where
// its proposal belongs. One file tells it everything (X4, X7).
import type { Question } from "../core/parts.ts";
import type { Problem } from "../core/problem.ts";
import type { Run, Task } from "../core/run.ts";
import type { Skill } from "./planning-bundle.ts";
import { taskBundle } from "./task-bundle.ts";

/** Of the attempt before, if there was one: its change as a patch, and the commands that were red. */
export interface Before {
  readonly diff: string | null;
  readonly red: readonly Readonly<Record<string, unknown>>[];
}

export interface ExecutorOrder extends Before {
  /** Where the agent works, in place of the target. */
  readonly target: string;
  readonly result: string;
  readonly skill: Skill;
  /** Whether heddle can be called from inside, over the attempt's socket. */
  readonly socket: boolean;
}

export function executorBundle(
  run: Run,
  task: Task,
  { target, result, skill, diff, red, socket }: ExecutorOrder,
): { readonly text: string; readonly plain: string } | { readonly problems: readonly Problem[] } {
  const made = taskBundle({ ...run, targetDir: target }, task);
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
    execution: { result, workspace: target, socket },
  };
  return { text: text(whole), plain: text({ ...bundle, target_dir: run.targetDir }) };
}

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
