// What an orchestrator submits: its claim to a run, the passing of time, and how its effects ended.
import { accept, refuse, type Step, type Steps } from "./answer.ts";
import { effectOfAttempt, effectOfJob, taskOfKey } from "./effect.ts";
import type { InputOf } from "./input.ts";
import { problem } from "./problem.ts";
import type { Run } from "./run.ts";
import { attemptEnded } from "./step-attempt.ts";
import { jobEnded } from "./step-job.ts";

export const engineSteps: Steps<"claim" | "release" | "drive" | "tick" | "effect-ended"> = {
  claim: (run, { holder, alive, force }) => {
    if (run.holder && alive && !force)
      return refuse(
        problem(
          "held",
          `run \`${run.id}\` is orchestrated by process ${run.holder.pid} on ${run.holder.host}`,
          {
            hint: "heddle status --watch follows it",
          },
        ),
      );
    return accept({ kind: "epoch-claimed", epoch: run.epoch + 1, holder });
  },
  release: (run, { epoch, runMs = run.runMs }) =>
    epoch === run.epoch && run.holder ? accept({ kind: "epoch-released", epoch, runMs }) : accept(),
  drive,
  tick: () => accept(),
  "effect-ended": effectEnded,
};

function effectEnded(run: Run, input: InputOf<"effect-ended">): Step {
  const { key, outcome, runMs = run.runMs } = input;
  if (run.job && effectOfJob(run, run.job).key === key) return jobEnded(run, run.job, { outcome, runMs });
  const id = taskOfKey(key);
  const task = id === undefined ? undefined : run.tasks.get(id);
  if (!task || effectOfAttempt(run, task)?.key !== key)
    return refuse(problem("late", `\`${key}\` is no longer wanted: its answer changes nothing`));
  return attemptEnded(run, task, { outcome, runMs });
}

function drive(run: Run, { slots, until, within, only, onOrphan = "retry" }: InputOf<"drive">): Step {
  const wanted = JSON.stringify([slots, until ?? null, within ?? null, only ?? null, onOrphan]);
  if (JSON.stringify([run.slots, run.until, run.within, run.only, run.onOrphan]) === wanted) return accept();
  const named = { ...(within !== undefined && { within }), ...(only && { only }) };
  return accept({ kind: "slots-set", slots, until: until ?? null, ...named, onOrphan });
}
