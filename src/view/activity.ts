// One line per fact, for the activity log and for `heddle history` (C11).

import { isByHand, saidIn } from "../core/artifact.ts";
import type { Entry, FactKind, FactOf } from "../core/fact.ts";
import { judgingSentence } from "../core/queue.ts";

export interface Line {
  readonly level: "INFO" | "WARN" | "ERROR";
  readonly event: string;
  readonly message: string;
}

type Describe<K extends FactKind> = (fact: FactOf<K>) => Line;

const info = (event: string, message: string): Line => ({ level: "INFO", event, message });
const warn = (event: string, message: string): Line => ({ level: "WARN", event, message });
const error = (event: string, message: string): Line => ({ level: "ERROR", event, message });
const isSaid = (text: string) => text !== "";
const count = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;

const lines: { readonly [K in FactKind]: Describe<K> } = {
  "run-created": (fact) => info("start", `${fact.protocol} for ${fact.targetDir}`),
  "metadata-set": (fact) =>
    info(
      "decision",
      Object.entries(fact.metadata)
        .filter(([key]) => key !== "settings")
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
        .join(", "),
    ),
  "run-archived": (fact) => info("decision", `archived: ${fact.reason}`),
  "phase-entered": (fact) => info("phase-transition", `${fact.from} -> ${fact.to}: ${fact.rule}`),
  "artifact-registered": (fact) =>
    fact.valid
      ? info(
          "validation",
          [`${fact.artifact} is valid`, saidIn(fact.content).join("; ")].filter(isSaid).join(": "),
        )
      : isByHand(fact)
        ? info(
            "decision",
            `${fact.artifact}: ${saidIn(fact.content).join("; ") || "a person's own"}, taken up next`,
          )
        : error(
            "validation",
            `${fact.artifact}: ${count(fact.problems.length, "problem")}: ${fact.problems[0] ?? ""}`,
          ),
  "variable-set": (fact) => info("decision", `${fact.name} = ${JSON.stringify(fact.value)}`),
  "task-defined": (fact) => info("plan", `${fact.task.id} defined: ${fact.task.name}`),
  "task-dropped": (fact) => info("plan", `${fact.task} dropped`),
  "plan-loaded": (fact) =>
    info(
      "plan",
      `${count(fact.tasks, "task")}: ${fact.added} added, ${fact.changed} changed, ${fact.dropped} dropped${
        fact.reason === undefined ? "" : ` (${fact.reason})`
      }`,
    ),
  "task-started": (fact) =>
    info(
      "spawn",
      `${fact.task} attempt ${fact.attempt} (${fact.driver}${fact.machine === undefined ? "" : `, on ${fact.machine}`})`,
    ),
  "stage-entered": (fact) => info("spawn-complete", `${fact.task} attempt ${fact.attempt}: ${fact.stage}`),
  "work-recorded": (fact) =>
    fact.differences.length === 0
      ? info("task-result", `${fact.task} attempt ${fact.attempt}: ${changed(fact)}`)
      : warn(
          "task-result",
          `${fact.task} attempt ${fact.attempt}: ${changed(fact)}; ${fact.differences.join("; ")}`,
        ),
  "checks-recorded": (fact) => {
    const red = fact.checks.filter((check) => !check.ok && check.excused === undefined);
    const where = `on tree ${fact.tree.slice(0, 12)}`;
    if (red.length === 0) {
      const passed = `${fact.task}: ${count(fact.checks.length, "check")} passed ${where}`;
      return fact.judging
        ? warn("validation", `${passed}; ${judgingSentence(fact.judging)}`)
        : info("validation", passed);
    }
    return warn(
      "validation",
      `${fact.task}: ${red.map((check) => `\`${check.command}\``).join(", ")} failed ${where}`,
    );
  },
  "merge-prepared": (fact) =>
    info("decision", `${fact.task}: ${fact.commit.slice(0, 12)} prepared onto ${fact.onto.slice(0, 12)}`),
  "task-merged": (fact) => info("decision", `${fact.task}: merged as ${fact.commit.slice(0, 12)}`),
  "attempt-lost": (fact) =>
    warn("task-result", `${fact.task} attempt ${fact.attempt} was lost: ${fact.reason}`),
  "attempt-paused": (fact) =>
    info("task-result", `${fact.task} attempt ${fact.attempt} waits: ${fact.reason}`),
  "attempt-parked": (fact) =>
    warn("task-result", `${fact.task} attempt ${fact.attempt} is parked: ${fact.reason}`),
  "attempt-held": (fact) =>
    warn("task-result", `${fact.task} attempt ${fact.attempt} is held: ${fact.reason}`),
  "attempt-moved": (fact) =>
    warn("task-result", `${fact.task} attempt ${fact.attempt} continues on this machine: ${fact.reason}`),
  "machine-asked": (fact) => info("decision", `${fact.machine} is asked whether it is there`),
  "machine-joined": (fact) => info("decision", `${fact.machine} is there`),
  "machine-left": (fact) => warn("decision", `${fact.machine} takes nothing for now: ${fact.reason}`),
  "machine-found": (fact) =>
    info("decision", `worker ${fact.machine} joined with ${count(fact.slots, "slot")}`),
  "machine-lost": (fact) => warn("decision", `worker ${fact.machine} left: ${fact.reason}`),
  "proposal-recorded": (fact) =>
    info("task-result", `${fact.task} attempt ${fact.attempt} proposes ${fact.status}: ${fact.summary}`),
  "proposal-refused": (fact) =>
    warn("refused", `${fact.task} attempt ${fact.attempt}: ${fact.what}: ${fact.reason}`),
  "task-undone": (fact) =>
    warn("override", `${fact.task}: undone by ${fact.commit.slice(0, 12)}: ${fact.reason}`),
  "baseline-checked": (fact) => {
    // The halt that follows says why.
    if (fact.stops !== null)
      return warn("validation", `the base ${fact.commit.slice(0, 12)}: no task can be worked on`);
    const of = (result: string) => fact.checks.filter((check) => check.result === result);
    const red = [...of("red"), ...of("cannot-run")];
    const said = `the base ${fact.commit.slice(0, 12)}: ${of("green").length} green, ${red.length} red before the work`;
    return info("validation", said);
  },
  "branch-opened": (fact) => info("start", `${fact.name} begins at ${fact.tip.slice(0, 12)}`),
  "branch-moved": (fact) => warn("decision", `the branch is at ${fact.tip.slice(0, 12)}: ${fact.reason}`),
  landed: (fact) => info("complete", `landed ${fact.commit.slice(0, 12)}: ${count(fact.files, "file")}`),
  "attempt-failed": (fact) =>
    warn("task-result", `${fact.task} attempt ${fact.attempt} failed (${fact.category}): ${fact.error}`),
  "task-completed": (fact) =>
    info("task-result", `${fact.task}: success${fact.done === "claimed" ? " (unverified)" : ""}`),
  "task-failed": (fact) => error("task-result", `${fact.task}: failed (${fact.category}): ${fact.error}`),
  "task-retried": (fact) => info("decision", `${fact.task}: retry`),
  "task-skipped": (fact) => warn("decision", `${fact.task}: skipped: ${fact.reason}`),
  "verification-recorded": (fact) =>
    info("validation", `${fact.task}: ${fact.verdict}, ${fact.recommendation}`),
  "rollback-prepared": (fact) => info("decision", `${fact.task}: rollback prepared`),
  "rollback-verified": (fact) =>
    fact.success
      ? info("validation", `${fact.task}: rollback verified`)
      : error("validation", `${fact.task}: rollback: ${fact.issues.join("; ")}`),
  "task-committed": (fact) => info("decision", `${fact.task}: committed ${fact.commit.slice(0, 12)}`),
  "calibration-recorded": (fact) => info("decision", `${fact.task}: verifier was ${fact.outcome}`),
  "checkpoint-set": (fact) =>
    fact.checkpoint
      ? info(
          "checkpoint",
          `${fact.checkpoint.batch}: ${fact.checkpoint.status}, ${fact.checkpoint.pending.length} pending`,
        )
      : info("checkpoint", "cleared"),
  "usage-recorded": (fact) =>
    info(
      "usage",
      `${fact.agent}: ${fact.inputTokens} in, ${fact.outputTokens} out, ${fact.costUsd === null ? "cost unknown" : `$${fact.costUsd.toFixed(4)}`}`,
    ),
  "halt-requested": (fact) => warn("halt", `${fact.code}: ${fact.reason}`),
  "halt-confirmed": (fact) => warn("halt", `confirmed, ${count(fact.running.length, "task")} running`),
  resumed: (fact) => info("resume", `after ${fact.reason}${fact.stopFile ? " (STOP file removed)" : ""}`),
  "question-asked": (fact) => warn("question", `${fact.id}: ${fact.text}`),
  "question-answered": (fact) => info("answer", `${fact.id}: ${fact.answer}`),
  overridden: (fact) => warn("override", `${changes(fact)}: ${fact.reason}`),
  "epoch-claimed": (fact) => info("start", `orchestrator ${fact.epoch}, process ${fact.holder.pid}`),
  "holder-asked": (fact) => info("decision", `orchestrator ${fact.epoch} is asked whether it is alive`),
  "holder-answered": (fact) => info("decision", `orchestrator ${fact.epoch} is alive`),
  "epoch-released": (fact) => info("complete", `orchestrator ${fact.epoch} let go`),
  "slots-set": (fact) => info("decision", `${count(fact.slots, "slot")}`),
  "job-started": (fact) =>
    fact.byHand
      ? info("decision", `a person's ${fact.makes} is taken up`)
      : info("spawn", `${fact.role} attempt ${fact.attempt} makes ${fact.makes}`),
  "job-stage-entered": (fact) =>
    info("spawn-complete", `${fact.role} attempt ${fact.attempt}: ${fact.stage}`),
  "job-failed": (fact) =>
    warn(
      "task-result",
      `${fact.role} attempt ${fact.attempt} failed (${fact.category}): ${count(fact.problems.length, "problem")}: ${fact.problems[0] ?? ""}`,
    ),
  "job-parked": (fact) =>
    warn(
      "task-result",
      `${fact.role} attempt ${fact.attempt} ${fact.lost ? "was lost" : "is parked"}: ${fact.reason}`,
    ),
  "job-held": (fact) => warn("task-result", `${fact.role} attempt ${fact.attempt} is held: ${fact.reason}`),
  "job-completed": ({ role, attempt, asked, byHand }) =>
    info(
      "task-result",
      byHand
        ? `a person's ${byHand} was taken up`
        : asked
          ? `${role} waits for an answer (attempt ${attempt})`
          : `${role}: success (attempt ${attempt})`,
    ),
  "view-repaired": (fact) => warn("repair", `${fact.view} was ${fact.was} and is rewritten`),
  "run-imported": (fact) => info("start", `imported from ${fact.from} in phase ${fact.phase}`),
  "task-imported": (fact) => info("plan", `${fact.task} imported as ${fact.record.state}`),
  "event-imported": (fact) => info("imported", `${fact.at} ${fact.type}${fact.task ? ` ${fact.task}` : ""}`),
};

function changed({ created, modified }: FactOf<"work-recorded">): string {
  return `${count(created.length, "file")} created, ${modified.length} modified`;
}

function changes(fact: FactOf<"overridden">): string {
  const tasks = Object.entries(fact.tasks).map(([id, state]) => `${id} -> ${state}`);
  const policy = Object.entries(fact.policy).map(([key, value]) => `${key} = ${value}`);
  return (
    [...(fact.phase === null ? [] : [`phase -> ${fact.phase}`]), ...tasks, ...policy].join(", ") || "nothing"
  );
}

export function lineOf(entry: Entry): Line {
  const describe = lines[entry.fact.kind] as (fact: Entry["fact"]) => Line;
  return describe(entry.fact);
}

/** Loading a plan writes a fact per task; a person wants the one that sums them up. */
export const details: readonly FactKind[] = ["task-defined", "task-imported", "event-imported"];

export function isDetail(entry: Entry): boolean {
  return details.includes(entry.fact.kind);
}
