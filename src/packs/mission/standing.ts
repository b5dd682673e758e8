// Why a mission stands still: a code for programs, a sentence for people, and the command that goes on (M9).

import { type Hint, toCall } from "../../core/hint.ts";
import { decide, type Standing } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { wayOn } from "../../core/steps/halt.ts";
import { openQuestions } from "../../core/task.ts";
import { halting } from "../../protocols/verification.ts";
import { earlierTasks } from "./earlier.ts";
import { currentTask, openQuestion } from "./subjects.ts";

const goOn = toCall("mission");

export function standingOf(run: Run): Standing {
  return halted(run) ?? asked(run) ?? ruled(run);
}

function halted({ halt, usage }: Run): Standing | undefined {
  if (!halt) return undefined;
  const { code, reason: message } = halt;
  if (code === "budget")
    return {
      code,
      message,
      hint: [{ do: "resume", budgetUsd: Math.ceil(usage.costUsd * 2 + 1) }, ", then: ", goOn],
    };
  return { code, message, hint: wayOn(halt, goOn) };
}

/** A role that asks before there is a plan; what tasks ask is the rules' affair. */
function asked(run: Run): Standing | undefined {
  const [question] = openQuestions(run);
  if (!question || openQuestion(run)) return undefined;
  return { code: "question", message: question.text, hint: answering(question.id) };
}

const answering = (id: string): Hint => [{ do: "answer", question: id }, ", then: ", goOn];

function ruled(run: Run): Standing {
  const ruled = halting(run);
  if (!ruled) {
    const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
    return { code: "working", message: rule?.name ?? run.phase, hint: goOn };
  }
  return { ...ruled, ...particulars(run, ruled.code) };
}

function particulars(run: Run, code: string): Partial<Standing> {
  const question = openQuestion(run);
  if (question) return { message: question.text, hint: answering(question.id) };
  if (code === "phase_complete") return complete(run);
  return code === "task_failed" ? failure(run) : {};
}

/** What was skipped was not done, whoever verified the rest (M11). */
function complete(run: Run): Partial<Standing> {
  const earlier = earlierTasks(run).filter(({ state }) => state === "skipped");
  const present = [...run.tasks.all()].filter(({ state }) => state === "skipped");
  // A decomposition did them.
  if (run.completedPhases.includes("handed_over")) return {};
  const skipped = [...earlier.map(({ id }) => id), ...present.map(({ def }) => def.id)];
  if (skipped.length === 0) return {};
  const total = earlierTasks(run).length + run.tasks.size;
  const named = `${skipped.slice(0, 5).join(", ")}${skipped.length > 5 ? ", …" : ""}`;
  return {
    message: `Phase Complete: ${total - skipped.length} of ${total} tasks are done and verified, ${skipped.length} skipped (${named})`,
  };
}

function failure(run: Run): Partial<Standing> {
  const task = currentTask(run)?.task;
  if (!task) return {};
  const { id } = task.def;
  const force = task.failure?.retryable === false;
  return {
    message: `Task Failed: ${id}, after ${task.tries} tries: ${task.failure?.error ?? "it is held back"}`,
    hint: [{ do: "retry-task", task: id, force }, ", then: ", goOn],
  };
}
