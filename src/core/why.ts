// Why a task, or the whole run, stands where it stands: the reasons as sentences, the last one with what to type.
import { decide } from "./protocol.ts";
import { placeInQueue } from "./queue.ts";
import { type Run, type Stage, type Task, taskOf } from "./run.ts";
import { wayOn } from "./step-halt.ts";
import { hintOf } from "./step-phase.ts";
import { causesOf } from "./step-task.ts";
import { isReady, isSettled, statusOf } from "./task.ts";

export interface Why {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly hint: string | null;
}

export function whyTask(run: Run, task: Task): Why {
  const status = statusOf(task);
  switch (status) {
    case "pending":
      return isReady(task) ? whyNotStarted(run, task) : whyWaiting(run, task);
    case "running":
      return whyRunning(run, task);
    case "complete":
      return { status, reasons: [doneBy(task), ...verified(task)], hint: null };
    case "failed":
      return whyFailed(task);
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
      hint: `heddle answer ${asks.id} "<text>"`,
    };
  if (run.halt)
    return {
      status: "pending",
      reasons: [...reasons, `the run is halted: ${run.halt.reason}`],
      hint: "heddle resume",
    };
  return { status: "pending", reasons, hint: `heddle state start-task ${id}` };
}

function whyWaiting(run: Run, task: Task): Why {
  const open = task.def.dependsOn.map((id) => taskOf(run, id)).filter((each) => !isSettled(each));
  const reasons = open.map(
    (each) => `it waits for ${each.def.id} (${each.def.name}), which is ${statusOf(each)}`,
  );
  return { status: "pending", reasons, hint: `heddle why ${open[0]?.def.id}` };
}

const stages: { readonly [S in Stage]: string } = {
  preparing: "its workspace is being prepared",
  working: "its agent is at work",
  repairing: "its result could not be read, and is being mended",
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

function whyRunning(run: Run, task: Task): Why {
  const { id } = task.def;
  const own = task.attempt?.driver === "engine";
  const who = own ? `heddle works on it, ${standing(run, task)}` : "a host said that it started";
  const reasons = [`${who}: attempt ${task.attempts}, since ${task.startedAt}`];
  return {
    status: "running",
    reasons,
    hint: own ? `heddle attach ${id}` : `heddle state complete-task ${id}`,
  };
}

function whyFailed(task: Task): Why {
  const { id } = task.def;
  const { error = "", category = "unknown", retryable = true } = task.failure ?? {};
  const reasons = [`attempt ${task.attempts} failed (${category}): ${error}`];
  if (task.dependents.length > 0) reasons.push(`it holds up ${task.dependents.slice(0, 8).join(", ")}`);
  return { status: "failed", reasons, hint: `heddle state retry-task ${id}${retryable ? "" : " --force"}` };
}

function whyBlocked(run: Run, task: Task): Why {
  const causes = causesOf(run, task);
  const reasons = causes.map((cause) =>
    cause.state === "failed"
      ? `${cause.def.id} failed: ${cause.failure?.error}`
      : `the verification of ${cause.def.id} says ${cause.verification?.recommendation}`,
  );
  const first = causes[0]?.def.id;
  return {
    status: "blocked",
    reasons,
    hint: `heddle state retry-task ${first}, or: heddle state skip-task ${first} "<why>"`,
  };
}

function doneBy(task: Task): string {
  if (task.done === "verified") return "heddle saw its acceptance commands pass";
  if (task.done === "adopted") return "a person's edit of state.json was adopted";
  return "a host claimed it: heddle has not verified it";
}

function verified({ verification }: Task): string[] {
  return verification ? [`a verifier said ${verification.verdict}, ${verification.recommendation}`] : [];
}

export function whyRun(run: Run): Why {
  const { halt, questions } = run;
  if (halt) {
    const reasons = [`it is halted since ${halt.requestedAt}: ${halt.reason}`];
    return { status: run.phase, reasons, hint: wayOn(halt) };
  }
  const open = questions.find((question) => question.answer === null);
  if (open)
    return {
      status: run.phase,
      reasons: [`it asks: ${open.text}`],
      hint: `heddle answer ${open.id} "<text>"`,
    };
  const { rule } = decide(run.protocol, { run, request: null, digests: {} });
  if (!rule) return { status: run.phase, reasons: ["no rule says how to go on"], hint: null };
  return { status: run.phase, reasons: [rule.name], hint: hintOf(run, rule.then) };
}
