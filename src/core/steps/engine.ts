// What an orchestrator submits: its claim to a run, the passing of time, and how its effects ended.
import { accept, refuse, type Step, type Steps } from "../answer.ts";
import { effectOfBaseline } from "../baseline.ts";
import { effectOfAttempt, effectOfJob, effectOfMachine, taskOfKey } from "../effect.ts";
import type { InputOf, Outcome } from "../input.ts";
import { type Fleet, fleetOf, fleetStateOf, left, type MachineState, machineIn } from "../machines/fleet.ts";
import { type Problem, problem } from "../problem.ts";
import type { Run } from "../run.ts";
import type { Holder } from "../run-parts.ts";
import { attemptEnded } from "./attempt.ts";
import { baselineEnded } from "./baseline.ts";
import { jobEnded } from "./job.ts";

type Kinds = "claim" | "ask-holder" | "release" | "drive" | "tick" | "effect-ended";

export const engineSteps: Steps<Kinds | "find-machine" | "lose-machine"> = {
  claim: (run, { holder, alive, force }) => {
    if (run.holder && alive && !force) return refuse(heldBy(run, run.holder));
    return accept({ kind: "epoch-claimed", epoch: run.epoch + 1, holder });
  },
  // One that was asked and has not answered yet is not asked again.
  "ask-holder": (run, { epoch }) =>
    run.holder && run.epoch === epoch && run.holder.asked === undefined
      ? accept({ kind: "holder-asked", epoch, question: run.position + 1 })
      : accept(),
  release: (run, { epoch, runMs = run.runMs }) =>
    epoch === run.epoch && run.holder ? accept({ kind: "epoch-released", epoch, runMs }) : accept(),
  drive,
  "find-machine": findMachine,
  // Whoever is not there any more is not lost again.
  "lose-machine": (run, { machine, reason, runMs = run.runMs }) =>
    machineIn(run, machine)?.joins ? accept({ kind: "machine-lost", machine, reason, runMs }) : accept(),
  tick: () => accept(),
  "effect-ended": effectEnded,
};

export function heldBy({ id }: Run, { pid, host }: Holder): Problem {
  return problem("held", `run \`${id}\` is orchestrated by process ${pid} on ${host}`, {
    hint: [{ do: "follow" }, " follows it"],
  });
}

function effectEnded(run: Run, input: InputOf<"effect-ended">): Step {
  const { key, outcome, runMs = run.runMs } = input;
  if (run.job && !run.job.held && effectOfJob(run, run.job).key === key)
    return jobEnded(run, run.job, { outcome, runMs });
  const base = effectOfBaseline(run);
  if (base?.key === key) return baselineEnded(run, base.commit, { outcome, runMs });
  const machine = run.fleet?.machines.find((each) => effectOfMachine(run, each)?.key === key);
  if (machine) return machineAnswered(run, machine, { outcome, runMs });
  const id = taskOfKey(key);
  const task = id === undefined ? undefined : run.tasks.get(id);
  if (!task || effectOfAttempt(run, task)?.key !== key)
    return refuse(problem("late", `\`${key}\` is no longer wanted: its answer changes nothing`));
  return attemptEnded(run, task, { outcome, runMs });
}

/** A machine takes attempts once it has answered, and only then. */
function machineAnswered(
  run: Run,
  machine: MachineState,
  { outcome, runMs }: { readonly outcome: Outcome; readonly runMs: number },
): Step {
  if (!outcome.ok) return accept(left(run, machine, { reason: outcome.error, runMs }));
  const { agents } = outcome.machine ?? {};
  return accept({ kind: "machine-joined", machine: machine.name, runMs, ...(agents && { agents }) });
}

/** A worker takes no name of a machine that the configuration names: what is placed there must not get elsewhere. */
function findMachine(run: Run, input: InputOf<"find-machine">): Step {
  const { machine, slots, labels, runMs = run.runMs } = input;
  const known = machineIn(run, machine);
  if (!run.fleet?.open || (known && !known.joins))
    return refuse(
      problem(
        "no-worker",
        `\`${machine}\` cannot join: ${known ? "a host has that name" : "the run takes no workers"}`,
      ),
    );
  return accept({ kind: "machine-found", machine, slots, labels, runMs });
}

function drive(run: Run, input: InputOf<"drive">): Step {
  const { slots, until, within, only, onOrphan = "retry", fleet } = input;
  const was = run.fleet ? fleetOf(run.fleet) : null;
  const wanted = JSON.stringify([
    slots,
    until ?? null,
    within ?? null,
    only ?? null,
    onOrphan,
    ordered(fleet),
  ]);
  if (JSON.stringify([run.slots, run.until, run.within, run.only, run.onOrphan, was]) === wanted)
    return accept();
  const named = { ...(within !== undefined && { within }), ...(only && { only }) };
  const placed = fleet && { fleet };
  return accept({ kind: "slots-set", slots, until: until ?? null, ...named, onOrphan, ...placed });
}

/** In the order in which it is kept. */
const ordered = (fleet: Fleet | undefined) => (fleet ? fleetOf(fleetStateOf(fleet)) : null);
