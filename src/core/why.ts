// Why a task, or the whole run, stands where it stands: the reasons as sentences, the last one with what to type.

import { becauseOf } from "./artifact.ts";
import { baselineSentences, isExcused, seenBefore } from "./baseline.ts";
import type { Hint } from "./hint.ts";
import { afterHalt, goOnHint, type Idle, idleSentence } from "./idle.ts";
import { whyNoPlace } from "./machines/placement.ts";
import { decide } from "./protocol.ts";
import { judgingSentence, placeInQueue } from "./queue.ts";
import { type Run, type Stage, type Task, taskOf } from "./run.ts";
import { commandOf, hintOf } from "./steps/phase.ts";
import { causesOf } from "./steps/task.ts";
import { isReady, isSettled, statusOf } from "./task.ts";

export interface Why {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly hint: Hint | null;
}

/** `idle`: nobody works on the run, as the host saw it. */
export function whyTask(run: Run, task: Task, idle?: Idle): Why {
  const status = statusOf(task);
  switch (status) {
    case "pending":
      return isReady(task) ? whyNotStarted(run, task) : whyWaiting(run, task);
    case "running":
      return whyRunning(run, task, idle);
    case "complete":
      return {
        status,
        reasons: [doneBy(task), ...againstBaseline(run, task), ...judgedOtherwise(task), ...verified(task)],
        hint: null,
      };
    case "failed":
      return whyFailed(run, task);
    case "blocked":
      return whyBlocked(run, task);
    case "skipped":
      return { status, reasons: [`it was skipped: ${task.skipReason}`], hint: null };
  }
}

function whyNotStarted(run: Run, task: Task): Why {
  const { id } = task.def;
  const reasons = ["all its dependencies are settled: it is ready"];
  if (task.failure) reasons.push(`attempt ${task.attempts} failed: ${task.failure.error}`);
  if (task.notBeforeMs > run.runMs)
    reasons.push(
      `it is left alone for ${Math.ceil((task.notBeforeMs - run.runMs) / 1000)} s of the run's time`,
    );
  const asks = run.questions.find((each) => each.about === id && each.answer === null);
  if (asks)
    return {
      status: "pending",
      reasons: [...reasons, `its agent asks: ${asks.text}`],
      hint: { do: "answer", question: asks.id },
    };
  if (run.halt)
    return {
      status: "pending",
      reasons: [...reasons, `the run is halted: ${run.halt.reason}`],
      hint: afterHalt(run, run.halt),
    };
  reasons.push(...whyNoPlace(run, task));
  // A host drives its own loop: no orchestrator ever worked on the run, and yet tasks were begun.
  const { running, complete, failed } = run.counts;
  const isHosted = run.epoch === 0 && running + complete + failed > 0;
  const hint: Hint = isHosted ? { do: "start-task", task: id } : commandOf(run);
  return { status: "pending", reasons, hint };
}

function whyWaiting(run: Run, task: Task): Why {
  const open = task.def.dependsOn.map((id) => taskOf(run, id)).filter((each) => !isSettled(each));
  const reasons = open.map(
    (each) => `it waits for ${each.def.id} (${each.def.name}), which is ${statusOf(each)}`,
  );
  return { status: "pending", reasons, hint: { do: "why", task: open[0]?.def.id ?? task.def.id } };
}

const stages: { readonly [S in Stage]: string } = {
  preparing: "its workspace is being prepared",
  working: "its agent is at work",
  repairing: "its result could not be read, and an agent is fixing it",
  checking: "heddle runs its acceptance commands",
  reviewing: "another agent judges its work",
  integrating: "it is being merged",
};

/** Where it stands in the queue, when that is what it waits for. */
function standing(run: Run, task: Task): string {
  const { attempt } = task;
  if (attempt?.stage !== "integrating") return stages[attempt?.stage ?? "working"];
  const before = run.queue.slice(0, run.queue.indexOf(task.def.id));
  if (before.length > 0 && placeInQueue(run, task).needs === "nothing")
    return `it is verified, and is merged after ${before.join(", ")}`;
  return stages.integrating;
}

function whyRunning(run: Run, task: Task, idle: Idle | undefined): Why {
  const { id } = task.def;
  const own = task.attempt?.driver === "engine";
  if (own && idle)
    return {
      status: "running",
      reasons: [idleSentence(idle), `attempt ${task.attempts} stands still: ${standing(run, task)}`],
      hint: goOnHint(run),
    };
  const who = own ? `heddle works on it, ${standing(run, task)}` : "a host said that it started";
  const on = task.attempt?.machine === undefined ? "" : `, on ${task.attempt.machine}`;
  const reasons = [`${who}: attempt ${task.attempts}${on}, since ${task.startedAt}`];
  return {
    status: "running",
    reasons,
    hint: { do: own ? "attach" : "complete-task", task: id },
  };
}

function whyFailed(run: Run, task: Task): Why {
  const { id } = task.def;
  const { error = "", category = "unknown", retryable = true } = task.failure ?? {};
  const reasons = [`attempt ${task.attempts} failed (${category}): ${error}`, ...redBefore(run, task)];
  if (task.dependents.length > 0) reasons.push(`it holds up ${task.dependents.slice(0, 8).join(", ")}`);
  return { status: "failed", reasons, hint: { do: "retry-task", task: id, force: !retryable } };
}

/** So that nobody looks for what a task broke where it was broken before. */
function redBefore(run: Run, { evidence }: Task): string[] {
  return (evidence?.checks ?? [])
    .filter(({ ok, command }) => !ok && seenBefore(run, command)?.result === "red")
    .map(({ command }) => `\`${command}\` was red before the work began, too`);
}

function whyBlocked(run: Run, task: Task): Why {
  const causes = causesOf(run, task);
  const reasons = causes.map((cause) =>
    cause.state === "failed"
      ? `${cause.def.id} failed: ${cause.failure?.error}`
      : `the verification of ${cause.def.id} says ${cause.verification?.recommendation}`,
  );
  const first = causes[0]?.def.id ?? task.def.id;
  return {
    status: "blocked",
    reasons,
    hint: [{ do: "retry-task", task: first }, ", or: ", { do: "skip-task", task: first }],
  };
}

function doneBy(task: Task): string {
  if (task.done === "verified") return "heddle saw its acceptance commands pass";
  if (task.done === "adopted") return "a person's edit of state.json was adopted";
  return "a host claimed it: heddle has not verified it";
}

/** What the base says about the commands that judge it. */
function againstBaseline(run: Run, { def, evidence }: Task): string[] {
  const excused = (evidence?.checks ?? []).filter(isExcused);
  const before = def.criteria.flatMap(({ command }) => seenBefore(run, command) ?? []);
  const green = before.filter(({ result }) => result === "green");
  const isAll = def.criteria.length > 0 && green.length === def.criteria.length;
  return [
    ...excused.map(({ command, excused: why }) => `\`${command}\` was red before, and still is: ${why}`),
    ...green.map(({ command }) => `\`${command}\` was green before the work: it proves nothing about it`),
    ...(isAll && green.length > 1 ? ["all its commands were green before the work"] : []),
  ];
}

function judgedOtherwise({ evidence }: Task): string[] {
  return evidence?.judging ? [judgingSentence(evidence.judging)] : [];
}

function verified({ verification }: Task): string[] {
  return verification ? [`a verifier said ${verification.verdict}, ${verification.recommendation}`] : [];
}

export function whyRun(run: Run, idle?: Idle): Why {
  const why = whyPhase(run);
  if (!idle) return why;
  return { ...why, reasons: [...why.reasons, idleSentence(idle)], hint: goOnHint(run) };
}

function whyPhase(run: Run): Why {
  const { halt, questions } = run;
  const base = baselineSentences(run);
  if (halt) {
    const reasons = [`it is halted since ${halt.requestedAt}: ${halt.reason}`];
    return { status: run.phase, reasons, hint: afterHalt(run, halt) };
  }
  const open = questions.find((question) => question.answer === null);
  if (open)
    return {
      status: run.phase,
      reasons: [`it asks: ${open.text}`],
      hint: { do: "answer", question: open.id },
    };
  const { rule, saw } = decide(run.protocol, { run, request: null, digests: {} });
  if (!rule) return { status: run.phase, reasons: ["no rule says how to go on"], hint: null };
  const reasons = [rule.name, ...becauseOf(run, rule, saw), ...base];
  return { status: run.phase, reasons, hint: hintOf(run, rule.then) };
}
