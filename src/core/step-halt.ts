// Halting, resuming, and the questions that a person answers.
import { accept, refuse, type Step, type Steps } from "./answer.ts";
import type { Fact } from "./fact.ts";
import type { InputOf } from "./input.ts";
import type { Halt } from "./parts.ts";
import { closest, problem } from "./problem.ts";
import type { Run } from "./run.ts";

/** What takes a halted run on. */
export function wayOn({ code }: Pick<Halt, "code">): string {
  if (code === "budget") return "heddle resume --budget <usd>";
  return code === "agent" ? "heddle doctor, then: heddle resume" : "heddle resume";
}

export const haltSteps: Steps<"halt" | "confirm-halt" | "resume" | "ask" | "answer"> = {
  halt: (run, { reason, code = "operator", now = false }) => {
    if (run.halt && (run.halt.now || !now))
      return refuse(
        problem("halted-already", `the run was halted at ${run.halt.requestedAt}: ${run.halt.reason}`, {
          hint: "heddle resume",
        }),
      );
    return accept({ kind: "halt-requested", code, reason, now });
  },
  "confirm-halt": (run) =>
    run.halt
      ? accept({ kind: "halt-confirmed", running: [...run.running] })
      : refuse(problem("not-halted", "no halt was requested", { hint: "heddle halt" })),
  resume,
  ask: (run, { id, text, options, about }) =>
    run.questions.some((each) => each.id === id)
      ? accept()
      : accept({ kind: "question-asked", id, text, options, about }),
  answer: (run, { id, answer }) => {
    const question = run.questions.find((each) => each.id === id);
    if (!question) {
      const open = run.questions.filter((each) => each.answer === null).map((each) => each.id);
      const meant = closest(id, open) ?? open[0];
      return refuse(
        problem("unknown-question", `question \`${id}\` was never asked`, {
          hint: meant ? `heddle answer ${meant} "<text>"` : "heddle status shows open questions",
        }),
      );
    }
    if (question.answer === answer) return accept();
    if (question.answer !== null)
      return refuse(
        problem("answered-already", `question \`${id}\` was answered: ${question.answer}`, {
          hint: "heddle history",
        }),
      );
    return accept({ kind: "question-answered", id, answer });
  },
};

/** Clears what an operator made; a crossed budget is raised instead (C10). */
function resume(run: Run, { stopFile, budgetUsd }: InputOf<"resume">): Step {
  if (!run.halt && !stopFile)
    return refuse(problem("not-halted", "the run is not halted", { hint: "heddle status" }));
  const facts: Fact[] = [];
  if (run.halt?.code === "budget") {
    if (budgetUsd === undefined || budgetUsd <= run.usage.costUsd)
      return refuse(
        problem("budget", `the run is halted by its budget: ${run.halt.reason}`, {
          hint: `heddle resume --budget ${Math.ceil(run.usage.costUsd * 2 + 1)}`,
        }),
      );
  }
  if (budgetUsd !== undefined) {
    const policy = { runBudgetUsd: budgetUsd, taskBudgetUsd: Math.max(budgetUsd, run.policy.taskBudgetUsd) };
    facts.push({ kind: "overridden", reason: `budget set to $${budgetUsd}`, phase: null, tasks: {}, policy });
  }
  facts.push({ kind: "resumed", reason: run.halt?.reason ?? "stop_file", stopFile });
  return accept(...facts);
}
