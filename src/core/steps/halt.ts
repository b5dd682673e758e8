// Halting, resuming, and the questions that a person answers.
import { accept, refuse, type Step, type Steps } from "../answer.ts";
import type { Fact } from "../fact.ts";
import type { Deed, Hint } from "../hint.ts";
import type { InputOf } from "../input.ts";
import { closest, problem } from "../problem.ts";
import type { Run } from "../run.ts";
import type { Halt } from "../run-parts.ts";

/** What takes a halted run on: `command` is the one that works on it, and goes on after most halts by itself (X27). */
export function wayOn({ code }: Pick<Halt, "code">, command: Deed): Hint {
  if (code === "budget") return { do: "resume", budgetUsd: null };
  if (code === "place")
    return ["put it back, then: ", command, "; to continue without it: ", { do: "resume" }];
  if (code === "baseline")
    return ["fix it, then: ", command, "; to continue regardless: ", { do: "resume", skipBaseline: true }];
  if (code === "agent") return [{ do: "examine-machine" }, ", then: ", command];
  return goesOnAfter.has(code) ? command : [{ do: "resume" }, ", then: ", command];
}

/** Halts that the same command clears: a person's own, and what may be well again by now. */
export const goesOnAfter: ReadonlySet<Halt["code"]> = new Set<Halt["code"]>([
  "operator",
  "job",
  "baseline",
  "disk",
  "agent",
]);

export const haltSteps: Steps<"halt" | "confirm-halt" | "resume" | "ask" | "answer"> = {
  halt: (run, { reason, code = "operator", now = false, interrupted }) => {
    if (run.halt && (run.halt.now || !now))
      return refuse(
        problem("halted-already", `the run was halted at ${run.halt.requestedAt}: ${run.halt.reason}`, {
          hint: { do: "show-status" },
        }),
      );
    return accept({ kind: "halt-requested", code, reason, now, ...(interrupted && { interrupted }) });
  },
  "confirm-halt": (run) =>
    run.halt
      ? accept({ kind: "halt-confirmed", running: [...run.running] })
      : refuse(problem("not-halted", "no halt was requested", { hint: { do: "halt" } })),
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
          hint: meant ? { do: "answer", question: meant } : [{ do: "show-status" }, " shows open questions"],
        }),
      );
    }
    if (question.answer === answer) return accept();
    if (question.answer !== null && question.used)
      return refuse(
        problem(
          "answered-already",
          `question \`${id}\` was answered: ${question.answer}; the answer was used already`,
          {
            hint: { do: "show-history" },
          },
        ),
      );
    return accept({ kind: "question-answered", id, answer });
  },
};

/** Clears what an operator made; a crossed budget is raised instead (C10). */
function resume(run: Run, { stopFile, budgetUsd, only }: InputOf<"resume">): Step {
  if (only !== undefined && run.halt?.code !== only) return accept();
  if (!run.halt && !stopFile)
    return refuse(problem("not-halted", "the run is not halted", { hint: { do: "show-status" } }));
  const facts: Fact[] = [];
  if (run.halt?.code === "budget") {
    if (budgetUsd === undefined || budgetUsd <= run.usage.costUsd)
      return refuse(
        problem("budget", `the run is halted by its budget: ${run.halt.reason}`, {
          hint: { do: "resume", budgetUsd: Math.ceil(run.usage.costUsd * 2 + 1) },
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
