// Everything that the core keeps by counting, against the ledger's computation from scratch.
import { type Run, statuses, type Task } from "../../src/core/run.ts";
import type { Ledger, TaskRecord } from "./ledger.ts";
import type { Simulation } from "./simulation.ts";

type Compared = string | number | boolean | undefined;
type Same = (what: string, kept: Compared, wanted: Compared) => void;

export function compare(sim: Simulation, run: Run, ledger: Ledger): void {
  const records = [...ledger.tasks.values()];
  let about = "the run";
  const same: Same = (what, kept, wanted) => {
    if (kept !== wanted) sim.fail(`X12 ${what}`, `of ${about}: kept ${kept}, should be ${wanted}`);
  };
  same("size", run.tasks.size, records.length);
  if (run.tasks.size !== records.length) return;
  for (const record of records) {
    about = record.def.id;
    compareTask(run.tasks.get(about), record, same);
    compareGraph(run.tasks.get(about), { record, ledger, same });
  }
  about = "the run";
  const found = records.map((record) => ledger.status(record));
  for (const status of statuses)
    same(`count of ${status}`, run.counts[status], found.filter((each) => each === status).length);
  const claimed = records.filter(({ state, isVerified }) => state === "complete" && !isVerified);
  same("count of unverified", run.unverified, claimed.length);
  compareLists(run, ledger, same);
  compareHead(run, ledger, same);
}

function compareTask(task: Task | undefined, record: TaskRecord, same: Same): void {
  const { attempt } = record;
  same("state", task?.state, record.state);
  same("tries", task?.tries, record.tries);
  same("stage", task?.attempt?.stage, attempt?.stage);
  same("driver", task?.attempt?.driver, attempt?.driver);
  same("cost", task?.costUsd, record.costUsd);
  same("back-off", task?.notBeforeMs, record.notBeforeMs);
  same("losses", task?.losses, record.losses);
  same("evidence", task?.evidence?.tree, record.evidence?.tree);
  same("base", task?.attempt?.base ?? "", attempt?.base ?? "");
  same("work", task?.attempt?.work?.tree ?? "", attempt?.workTree ?? "");
  same("candidate", task?.attempt?.candidate?.commit ?? "", attempt?.candidate?.commit ?? "");
  if (record.state === "complete" && record.isVerified)
    same("commit", task?.commit ?? "", record.commit ?? "");
  if (record.attempts > 0) same("attempts", task?.attempts, record.attempts);
  if (attempt?.number !== null) same("attempt", task?.attempt?.number, attempt?.number);
}

function compareGraph(
  task: Task | undefined,
  { record, ledger, same }: { record: TaskRecord; ledger: Ledger; same: Same },
): void {
  const { id, estimateHours } = record.def;
  same("unmet", task?.unmet, ledger.unmet(record));
  same("dead", task?.dead, ledger.dead(record));
  same("hours left", task?.remaining, ledger.remaining.get(id) ?? estimateHours);
  const dependents = [...ledger.tasks.values()].filter(({ def }) => def.dependsOn.includes(id));
  same("dependents", task?.dependents.toSorted().join(), idsOf(dependents));
}

function compareLists(run: Run, ledger: Ledger, same: Same): void {
  const records = [...ledger.tasks.values()];
  const ready = ledger.ready().map(({ def }) => def.id);
  same("running", run.running.toSorted().join(), idsOf(records.filter(({ state }) => state === "running")));
  same("ready", run.tasks.ready().join(), ready.join());
  same("first ready", run.tasks.ready(2).join(), ready.slice(0, 2).join());
  const notable = records.filter((record) => !["pending", "complete"].includes(ledger.status(record)));
  same("notable", idsOf(run.tasks.notable()), idsOf(notable));
}

const idsOf = (tasks: readonly { readonly def: { readonly id: string } }[]) =>
  tasks
    .map(({ def }) => def.id)
    .sort()
    .join();

function compareHead(run: Run, ledger: Ledger, same: Same): void {
  same("phase", run.phase, ledger.phase);
  same("completed phases", new Set([...run.completedPhases, run.phase]).size, run.completedPhases.length + 1);
  same("epoch", run.epoch, ledger.epoch);
  same("slots", run.slots, ledger.slots);
  same("queue", run.queue.join(), ledger.queue.join());
  same("tip", run.branch?.tip ?? "", ledger.tip ?? "");
  same("only", run.only?.join() ?? "", ledger.only?.join() ?? "");
  same("until", run.until ?? "", ledger.until ?? "");
  same("job", run.job?.role, ledger.job?.role);
  same("stage of the job", run.job?.stage, ledger.job?.stage);
  for (const [role, { tries, notBeforeMs }] of ledger.jobs) {
    same(`tries of ${role}`, run.jobs[role]?.tries, tries);
    same(`back-off of ${role}`, run.jobs[role]?.notBeforeMs, notBeforeMs);
  }
  same("run time", run.runMs, ledger.runMs);
  same("cost", run.usage.costUsd, ledger.costUsd);
  same("most expensive call", run.usage.largestCallUsd, ledger.largestCallUsd);
  same("halt", run.halt?.code, ledger.halt?.code);
  same("holder", run.holder !== null, ledger.holder !== null);
}
