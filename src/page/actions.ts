// What can be done about a run, a halt or a task, each with the command that does the same in the terminal. Nothing is offered that
// the core would refuse.
import { toCall } from "../core/hint.ts";
import type { Choice } from "../core/protocol.ts";
import type { Run, Task } from "../core/run.ts";
import type { Halt } from "../core/run-parts.ts";
import { statusOf } from "../core/task.ts";
import { hintText } from "../view/hint.ts";
import type { Action } from "./model.ts";

export function runActions(run: Run, isEnded: boolean): Action[] {
  if (run.archived || isEnded) return [];
  if (run.halt) return resumeActions(run, run.halt);
  return [
    {
      ...{ do: "halt", label: "Halt", words: "optional", asks: "why" },
      command: hintText({ do: "halt" }),
    },
  ];
}

export function resumeActions(run: Run, { code }: Pick<Halt, "code">): Action[] {
  if (code === "budget") {
    const amountUsd = Math.ceil(run.usage.costUsd * 2 + 1);
    return [
      {
        ...{ do: "raise-budget", label: "Raise the budget", words: "none", amountUsd },
        command: hintText({ do: "resume", budgetUsd: amountUsd }),
      },
    ];
  }
  const resume: Action = {
    ...{ do: "resume", label: "Clear the halt", words: "none" },
    command: hintText({ do: "resume" }),
  };
  if (code !== "baseline") return [resume];
  return [
    resume,
    {
      ...{
        do: "override",
        label: "Go on without checking the base",
        words: "required",
        asks: "why",
        grave: true,
      },
      command: hintText({ do: "resume", skipBaseline: true }),
    },
  ];
}

export function choiceActions(choices: readonly Choice[]): Action[] {
  return choices.map(({ kind, label, reason, command }) => ({
    ...{ do: kind, label, words: reason, asks: "why", grave: kind === "accept" },
    command: hintText(
      toCall(
        command("<why>")
          .join(" ")
          .replace(/=(<why>)/, '="$1"'),
      ),
    ),
  }));
}

export function overrideActions(ways: readonly string[]): Action[] {
  return ways.map((to) => ({
    ...{ do: "override", label: `Override: go on to ${to}`, words: "required", asks: "why", grave: true, to },
    command: hintText({ do: "override", to: [to] }),
  }));
}

export function taskActions(run: Run, task: Task): Action[] {
  const { id } = task.def;
  const status = statusOf(task);
  const actions: Action[] = [];
  const isFinal = task.failure?.retryable === false;
  const isHosts = status === "running" && task.attempt?.driver === "host";
  if (status === "failed" || status === "blocked" || isHosts)
    actions.push({
      ...{ do: "retry", label: "Retry", task: id, asks: "advice for the next attempt" },
      // Of a blocked one, those that it waits for are retried.
      words: status === "blocked" ? "none" : "optional",
      ...((isFinal || isHosts) && { grave: true }),
      command: hintText({ do: "retry-task", task: id, force: isFinal }),
    });
  if (status === "pending" || status === "blocked" || status === "failed")
    actions.push({
      ...{ do: "skip", label: "Skip", words: "required", asks: "why", grave: true, task: id },
      command: hintText({ do: "skip-task", task: id }),
    });
  if (status === "complete" && task.commit !== null && run.branch)
    actions.push({
      ...{ do: "undo", label: "Undo its change", words: "required", asks: "why", grave: true, task: id },
      command: hintText(toCall(`undo ${id}`)),
    });
  if (status !== "complete" && status !== "skipped")
    actions.push({
      ...{ do: "comment", label: "Comment", words: "required", asks: "what the next attempt should know" },
      ...{ task: id, command: hintText(toCall(`comment ${id} "<text>"`)) },
    });
  return actions;
}
