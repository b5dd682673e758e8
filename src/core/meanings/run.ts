// What the facts about a run as a whole mean.
import { later, sum } from "../bounds.ts";
import type { FactOf, Meanings } from "../fact.ts";
import { fleetStateOf, forgetAnswers } from "../machines/fleet.ts";
import { defaultPolicy } from "../policy.ts";
import { type Run, taskOf } from "../run.ts";
import { change, hostAttempt, reset } from "../task.ts";
import { useAnswers } from "./answers.ts";

export const runMeanings: Meanings<
  | "run-created"
  | "metadata-set"
  | "run-archived"
  | "phase-entered"
  | "artifact-registered"
  | "variable-set"
  | "usage-recorded"
  | "halt-requested"
  | "halt-confirmed"
  | "resumed"
  | "question-asked"
  | "question-answered"
  | "overridden"
  | "epoch-claimed"
  | "holder-asked"
  | "holder-answered"
  | "epoch-released"
  | "slots-set"
  | "checkpoint-set"
  | "calibration-recorded"
  | "view-repaired"
  | "run-imported"
  | "event-imported"
> = {
  "run-created": (run, fact, { at }) => {
    run.createdAt = at;
    run.targetDir = fact.targetDir;
    run.planningDir = fact.planningDir;
    run.policy = { ...defaultPolicy, ...fact.policy };
    run.metadata = fact.metadata;
  },
  "metadata-set": (run, fact) => {
    run.metadata = { ...run.metadata, ...fact.metadata };
  },
  "run-archived": (run) => {
    run.archived = true;
  },
  "phase-entered": (run, fact) => {
    enter(run, fact.to);
    useAnswers(run, (about) => run.tasks.get(about) === undefined);
    if (fact.counts !== null) run.counters[fact.counts] = (run.counters[fact.counts] ?? 0) + 1;
  },
  "artifact-registered": (run, fact, { at }) => {
    const { kind: _, artifact: name, ...rest } = fact;
    run.artifacts[name] = { name, validatedAt: at, ...rest };
  },
  "variable-set": (run, fact) => {
    run.vars[fact.name] = fact.value;
  },
  "usage-recorded": spend,
  "halt-requested": (run, fact, { at, by }) => {
    const { code, reason, now, role, interrupted } = fact;
    const activeTask = run.running[0] ?? null;
    const who = { ...(role !== undefined && { role }), ...(interrupted && { interrupted }) };
    run.halt = { code, reason, now, by, requestedAt: at, confirmedAt: null, activeTask, ...who };
    if (now) stopLimits(run);
  },
  "halt-confirmed": (run, _fact, { at }) => {
    if (run.halt) run.halt.confirmedAt = at;
  },
  resumed: (run) => {
    // Whoever resumes wants another try: the roles' tries begin anew.
    if (run.halt?.code === "job")
      for (const [role, record] of Object.entries(run.jobs))
        run.jobs[role] = { ...record, ...(record.losses && { losses: 0 }), tries: 0, notBeforeMs: 0 };
    run.halt = null;
    letGoOn(run);
  },
  "question-asked": (run, fact, { at }) => {
    const { id, text, options, about } = fact;
    run.questions.push({ id, text, options, about, askedAt: at, answer: null, answeredBy: null });
  },
  "question-answered": (run, fact, { by }) => {
    const question = run.questions.find((each) => each.id === fact.id);
    if (question) Object.assign(question, { answer: fact.answer, answeredBy: by });
  },
  overridden: override,
  "epoch-claimed": (run, fact) => {
    run.epoch = fact.epoch;
    run.holder = fact.holder;
    forgetAnswers(run);
  },
  "holder-asked": (run, fact) => {
    if (run.holder && run.epoch === fact.epoch) run.holder = { ...run.holder, asked: fact.question };
  },
  "holder-answered": (run, fact) => {
    if (run.holder?.asked !== fact.question) return;
    const { asked: _, ...holder } = run.holder;
    run.holder = holder;
  },
  "epoch-released": (run, fact) => {
    run.holder = null;
    run.runMs = later(run.runMs, fact.runMs);
  },
  "slots-set": (run, fact) => {
    run.slots = fact.slots;
    run.until = fact.until;
    run.within = fact.within ?? null;
    run.only = fact.only ?? null;
    run.onOrphan = fact.onOrphan ?? "retry";
    if (fact.fleet) run.fleet = fleetStateOf(fact.fleet);
    else delete run.fleet;
  },
  "checkpoint-set": (run, fact) => {
    run.checkpoint = structuredClone(fact.checkpoint);
  },
  "calibration-recorded": (run, { task: id, outcome, notes, recordedAt }, { at }) => {
    const { calibration } = run;
    if (outcome === "correct") calibration.correct++;
    if (outcome === "false_positive") calibration.falsePositives++;
    if (outcome === "false_negative") calibration.falseNegatives++;
    change(run, id, (task) => {
      task.calibration = { outcome, notes, recordedAt: recordedAt ?? at };
    });
  },
  "view-repaired": () => {},
  "run-imported": (run, fact) => {
    run.phase = fact.phase;
    run.completedPhases = [...fact.completedPhases];
  },
  "event-imported": () => {},
};

/** What a halt ended at once is not late: its limit begins anew when the run goes on (`follow.ts`). */
function stopLimits(run: Run): void {
  if (run.job) run.job = { ...run.job, dueMs: null };
  for (const id of run.running)
    change(run, id, ({ attempt }) => {
      if (attempt) attempt.dueMs = null;
    });
}

/** What was held is done from here on, with a limit that begins anew. */
function letGoOn(run: Run): void {
  if (run.job?.held) run.job = { ...run.job, held: false };
  for (const id of run.running)
    if (taskOf(run, id).attempt?.held)
      change(run, id, ({ attempt }) => {
        if (attempt) attempt.held = false;
      });
}

function enter(run: Run, phase: string): void {
  const order = run.protocol.phases.map((each) => each.name);
  const back = order.indexOf(phase) <= order.indexOf(run.phase);
  const completed = back
    ? run.completedPhases.filter((each) => order.indexOf(each) < order.indexOf(phase))
    : run.completedPhases;
  run.completedPhases = back || completed.includes(run.phase) ? completed : [...completed, run.phase];
  run.phase = phase;
}

/** Overriding leaves a phase without having completed it, and the record says so. */
function leave(run: Run, phase: string): void {
  const completed = run.completedPhases;
  enter(run, phase);
  run.completedPhases = run.completedPhases.filter((each) => completed.includes(each));
}

function spend(run: Run, fact: FactOf<"usage-recorded">): void {
  const { usage } = run;
  usage.inputTokens = sum(usage.inputTokens, fact.inputTokens);
  usage.outputTokens = sum(usage.outputTokens, fact.outputTokens);
  if (fact.costUsd === null) {
    usage.unknownCosts++;
    return;
  }
  usage.costUsd = sum(usage.costUsd, fact.costUsd);
  usage.largestCallUsd = Math.max(usage.largestCallUsd, fact.costUsd);
  const { task: id, costUsd } = fact;
  if (id === null || !run.tasks.get(id)) return;
  change(run, id, (task) => {
    task.costUsd = sum(task.costUsd, costUsd);
  });
}

/** A person's word over the machine's: it is taken as it is, and the task's record says that it was adopted. */
function override(run: Run, fact: FactOf<"overridden">): void {
  if (fact.phase !== null) leave(run, fact.phase);
  run.policy = { ...run.policy, ...fact.policy };
  for (const [id, state] of Object.entries(fact.tasks)) {
    // One that a host has from now on is still running, but no longer waits for its merge.
    run.queue = run.queue.filter((each) => each !== id);
    change(run, id, (task) => {
      reset(task);
      task.state = state;
      if (state === "complete") task.done = "adopted";
      if (state === "skipped") task.skipReason = fact.reason;
      if (state === "running") task.attempt = hostAttempt(task);
      if (state === "failed")
        task.failure = { error: fact.reason, category: "unknown", subcategory: null, retryable: true };
    });
  }
}
