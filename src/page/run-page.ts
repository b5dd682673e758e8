// A run as the page shows it, from its state and what the machine sees beside it.
import { baselineSentences } from "../core/baseline.ts";
import { criticalPath, inOrder } from "../core/graph/graph.ts";
import { afterHalt, goOnHint, type Idle, idleSentence } from "../core/idle.ts";
import type { Run } from "../core/run.ts";
import { whyRun } from "../core/why.ts";
import { commandText } from "../view/hint.ts";
import { countsOf } from "../view/status.ts";
import { runActions } from "./actions.ts";
import { type Beside, inboxOf } from "./inbox.ts";
import type { RunEntry, RunPage, Standing } from "./model.ts";
import { placeRows } from "./places.ts";
import { actorRows, documentRows, earlierRows, phaseRows, taskRows, usageOf } from "./rows.ts";
import type { Told } from "./told.ts";

/** What is known of a run beside its state. */
export interface Around extends Beside {
  readonly title: string;
  readonly told: Told;
  readonly idle: Idle | undefined;
  /** The last position there is; in a replay it is not the run's. */
  readonly last: number;
  /** Only what changes with the plan: computed once for each. */
  readonly critical: readonly string[];
}

function isEnded({ archived, phase, protocol, job, running }: Run): boolean {
  const isOver = protocol.phases.some((each) => each.end === true && each.name === phase);
  return archived || (isOver && job === null && running.length === 0);
}

function standingOf(run: Run, around: Pick<Around, "isHeld" | "idle" | "stopFile">): Standing {
  if (isEnded(run)) return "done";
  if (run.halt || around.stopFile) return "halted";
  if (around.isHeld) return "working";
  if (around.idle) return run.questions.some(({ answer }) => answer === null) ? "waiting" : "stopped";
  return run.running.length > 0 || run.job ? "working" : "waiting";
}

function stoppedOf(run: Run, { idle, stopFile }: Around, standing: Standing): RunPage["stopped"] {
  if (standing === "done" || standing === "working") return null;
  if (run.halt) return { why: run.halt.reason, command: commandText(afterHalt(run, run.halt)) };
  if (stopFile) return { why: "a STOP file is there", command: commandText({ do: "resume" }) };
  if (idle) return { why: idleSentence(idle), command: commandText(goOnHint(run)) };
  const { reasons, hint } = whyRun(run);
  return { why: reasons.join("; "), command: hint === null ? null : commandText(hint) };
}

export const criticalOf = (run: Run): readonly string[] =>
  criticalPath(
    inOrder(
      Array.from(run.tasks.all(), ({ def }) => ({
        ...{ id: def.id, dependsOn: def.dependsOn, hours: def.estimateHours },
      })),
    ),
  );

/** All of it but the tasks. */
export function runHead(run: Run, around: Around): Omit<RunPage, "tasks"> {
  const standing = standingOf(run, around);
  const [counter] = run.protocol.counters;
  const isPast = run.position < around.last;
  return {
    id: run.id,
    protocol: run.protocolName,
    title: around.title,
    position: run.position,
    last: around.last,
    at: run.updatedAt,
    standing,
    stopped: stoppedOf(run, around, standing),
    phase: run.phase,
    phases: phaseRows(run),
    round: counter === undefined ? 0 : (run.counters[counter] ?? 0),
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    targetDir: run.targetDir,
    counts: countsOf(run),
    unverified: run.unverified,
    usage: usageOf(run),
    inbox: inboxOf(run, around).map((item) => (isPast ? { ...item, actions: [] } : item)),
    actions: isPast ? [] : runActions(run, isEnded(run)),
    critical: around.critical,
    earlier: earlierRows(run),
    documents: documentRows(run, isEnded(run)),
    actors: actorRows(run),
    places: isEnded(run) ? [] : placeRows(run, around),
    landed: around.told.landed,
    notices: noticesOf(run),
  };
}

/** The same sentences as in the terminal. */
function noticesOf(run: Run): string[] {
  return [
    ...(run.metadata.unconfined === true ? ["UNCONFINED: agents run without a sandbox"] : []),
    ...(run.metadata.unconfined !== true && run.metadata.openNetwork === true
      ? ["OPEN NETWORK: agents reach everything that this machine reaches, and hold their keys"]
      : []),
    ...(run.unverified > 0
      ? [`${run.unverified} complete and not verified: no check of heddle's ran on them`]
      : []),
    ...baselineSentences(run),
  ];
}

export const runPage = (run: Run, around: Around): RunPage => ({
  ...runHead(run, around),
  tasks: taskRows(run, around.told),
});

export function runEntry(run: Run, around: Beside & Pick<Around, "title" | "idle">): RunEntry {
  const { id, protocolName: protocol, phase, position, archived, createdAt, updatedAt } = run;
  return {
    ...{ id, protocol, title: around.title, phase, position, archived, createdAt, updatedAt },
    standing: standingOf(run, around),
    needsYou: inboxOf(run, around).length,
  };
}
