// A run that nobody works on, and that is not at its end: since when, whether its orchestrator was killed, and what to type
// (X26), and whether an orchestrator is done with it. Whether a process lives is for the host to see; this is what it means.

import { type Hint, joined } from "./hint.ts";
import { hasPlace } from "./machines/placement.ts";
import { next } from "./next.ts";
import { decide, hasArrived } from "./protocol.ts";
import { type Run, taskOf } from "./run.ts";
import type { Halt } from "./run-parts.ts";
import { wayOn } from "./steps/halt.ts";
import { asksSomething } from "./steps/job.ts";
import { commandOf } from "./steps/phase.ts";
import { isReady, openQuestions } from "./task.ts";

export interface Idle {
  /** The last that was heard of an orchestrator. */
  readonly since: string;
  /** It did not let go of the run: a kill, a power cut. */
  readonly killed: boolean;
}

/** Whether an orchestrator has worked on it, and another would have something to do. */
export function canBeIdle({ epoch, phase, protocol, archived, job, running }: Run): boolean {
  const isOver = protocol.phases.some((each) => each.end === true && each.name === phase);
  return epoch > 0 && !archived && (!isOver || job !== null || running.length > 0);
}

export function idleSentence({ since, killed }: Idle): string {
  return `nobody is working on it: no orchestrator has been running since ${since}${killed ? ", when it was killed" : ""}`;
}

/** What to type after a halt. A host that drives the loop itself clears it, and goes on in its own way. */
export function afterHalt(run: Run, halt: Pick<Halt, "code" | "interrupted">): Hint {
  if (run.epoch === 0) return { do: "resume" };
  if (staysHalted(run, halt)) return [{ do: "resume" }, ", then: ", commandOf(run)];
  // Without its set-up no task can begin: skipping the look at the base would only halt the run again.
  const isSetUp = halt.code === "baseline" && run.baseline?.stops != null && run.baseline.checks.length === 0;
  return isSetUp ? ["fix it, then: ", commandOf(run)] : wayOn(halt, commandOf(run));
}

/** Where `next` takes single steps, a halt that a person asked for holds until it is cleared; Ctrl-C only ends a command (L19). */
export function staysHalted(
  { protocol }: Pick<Run, "protocol">,
  { code, interrupted }: Pick<Halt, "code" | "interrupted">,
): boolean {
  return protocol.own?.command === undefined && (code === "operator" || code === "stop_file") && !interrupted;
}

/** What to type, whoever or whatever stopped it. */
export function goOnHint(run: Run): Hint {
  const { halt } = run;
  const [open] = openQuestions(run);
  if (halt) return afterHalt(run, halt);
  if (open) return { do: "answer", question: open.id };
  const { failed, running } = run.counts;
  const isStuck = failed > 0 && running === 0 && run.tasks.ready(1).length === 0;
  const first = isStuck ? run.tasks.notable().find(({ state }) => state === "failed") : undefined;
  if (!first) return commandOf(run);
  return joined({ do: "retry-task", task: first.def.id }, ", then: ", commandOf(run));
}

/** Whether a ready task waits for time or for somebody else's end, and not for a person. */
function canGoOn(run: Run): boolean {
  // Where machines differ, one that no machine can take holds up nobody behind it.
  const ready = run.only ?? run.tasks.ready(run.fleet ? undefined : run.questions.length + 1);
  return ready.some((id) => {
    const task = run.tasks.get(id);
    return task !== undefined && isReady(task) && !asksSomething(run, id) && hasPlace(run, task);
  });
}

/** Nothing of ours is under way, and nothing will start by itself. */
export function isAtRest(run: Run): boolean {
  if (run.archived) return true;
  if (run.halt) return !next(run).some((effect) => "task" in effect || "job" in effect);
  if (run.job || run.running.some((id) => taskOf(run, id).attempt?.driver === "engine")) return false;
  if (hasArrived(run)) return true;
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  switch (rule?.then.kind) {
    case "go":
      return false;
    case "job":
      return asksSomething(run, rule.then.role);
    case "tasks":
      return !canGoOn(run);
    default:
      return true;
  }
}
