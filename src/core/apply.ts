// What each fact means. `apply` changes the Run it is given, in place; `fold` makes one from the beginning.
// No decision is taken here: a fact has been decided, whatever the state looks like. Total for any numbers: sums stop at a
// bound, so that memory and journal never differ.
import { bounded } from "./bounds.ts";
import type { Entry, Fact, FactKind, Meanings } from "./fact.ts";
import { attemptMeanings } from "./meanings/attempt.ts";
import { jobMeanings } from "./meanings/job.ts";
import { machineMeanings } from "./meanings/machine.ts";
import { runMeanings } from "./meanings/run.ts";
import { taskMeanings } from "./meanings/task.ts";
import { defaultPolicy } from "./policy.ts";
import type { Protocol } from "./protocol.ts";
import type { Head, Run } from "./run.ts";
import { MemoryTable, type TaskTable } from "./table.ts";

const meanings: Meanings<FactKind> = {
  ...{ ...runMeanings, ...taskMeanings, ...attemptMeanings, ...jobMeanings },
  ...machineMeanings,
};

export function apply(run: Run, entry: Entry): void {
  const meaning = meanings[entry.fact.kind] as (run: Run, fact: Fact, entry: Entry) => void;
  meaning(run, bounded(entry.fact), entry);
  run.position = entry.position;
  run.updatedAt = entry.at;
}

export function isKnown(kind: string): kind is FactKind {
  return Object.hasOwn(meanings, kind);
}

export function newRun(id: string, protocol: Protocol, tasks: TaskTable = new MemoryTable()): Run {
  return { ...newHead(id, protocol), protocol, tasks };
}

export function fold(run: Run, entries: Iterable<Entry>): Run {
  for (const entry of entries) apply(run, entry);
  return run;
}

/** An independent copy, for what-ifs and for tests. */
export function fork(run: Run): Run {
  const tasks = new MemoryTable();
  for (const task of run.tasks.all()) tasks.set(structuredClone(task));
  return { ...structuredClone(headOf(run)), protocol: run.protocol, tasks };
}

/** The plain JSON part of a Run. */
export function headOf(run: Run): Head {
  const { protocol: _protocol, tasks: _tasks, ...head } = run;
  return head;
}

function newHead(id: string, protocol: Protocol): Head {
  return {
    id,
    protocolName: protocol.name,
    position: 0,
    createdAt: "",
    updatedAt: "",
    targetDir: "",
    planningDir: "",
    metadata: {},
    archived: false,
    phase: protocol.phases[0]?.name ?? "",
    completedPhases: [],
    policy: defaultPolicy,
    artifacts: {},
    vars: {},
    counters: {},
    counts: { pending: 0, running: 0, complete: 0, failed: 0, blocked: 0, skipped: 0 },
    unverified: 0,
    running: [],
    retired: {},
    halt: null,
    questions: [],
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0, unknownCosts: 0, largestCallUsd: 0 },
    slots: 0,
    until: null,
    within: null,
    only: null,
    onOrphan: "retry",
    branch: null,
    queue: [],
    job: null,
    jobs: {},
    epoch: 0,
    holder: null,
    runMs: 0,
    checkpoint: null,
    calibration: { correct: 0, falsePositives: 0, falseNegatives: 0 },
  };
}
