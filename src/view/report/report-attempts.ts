// The attempts of every task, from their facts: stages, checks, how each ended, and where claim and sight differ.
import type { Entry, Fact } from "../../core/fact.ts";
import type { TaskId } from "../../core/run.ts";
import type { ReportAttempt } from "./execution-report.ts";
import type { ReportFiles } from "./report.ts";

type Draft = { -readonly [K in keyof ReportAttempt]: ReportAttempt[K] } & { stage: string; since: string };

interface Inputs extends Pick<ReportFiles, "agents" | "claims" | "logs"> {
  readonly entries: readonly Entry[];
}

export function attemptsOf({ entries, agents, claims, logs }: Inputs): Map<TaskId, ReportAttempt[]> {
  const found = new Map<TaskId, Draft[]>();
  for (const { fact, at } of entries) {
    if (!("task" in fact) || typeof fact.task !== "string" || !("attempt" in fact)) continue;
    if (fact.kind === "task-started") {
      const key = `${fact.task}-${fact.attempt}`;
      const logged = logs?.get(key);
      const known = { agent: agents.get(key) ?? null, claim: claims.get(key) ?? null };
      const draft = { ...begun(fact, at, known), ...(logged && { logged }) };
      found.set(fact.task, [...(found.get(fact.task) ?? []), draft]);
    }
    const draft = found.get(fact.task)?.findLast((each) => each.number === fact.attempt);
    if (draft) follow(draft, fact, at);
  }
  return new Map([...found].map(([id, drafts]) => [id, drafts.map(finished)]));
}

function begun(
  { attempt, driver, machine }: Extract<Fact, { kind: "task-started" }>,
  at: string,
  { agent, claim }: Pick<ReportAttempt, "agent" | "claim">,
): Draft {
  return {
    ...{ number: attempt, driver, agent, claim, started_at: at, ended_at: null, outcome: "running" },
    ...{ category: null, error: null, stages: [], differences: [], refused: [], checks: [] },
    ...(machine !== undefined && { machine }),
    ...{ stage: driver === "host" ? "working" : "preparing", since: at },
  };
}

function follow(draft: Draft, fact: Fact, at: string): void {
  switch (fact.kind) {
    case "stage-entered":
      enter(draft, fact.stage, at);
      return;
    case "work-recorded":
      draft.differences = [...fact.differences];
      return;
    case "checks-recorded":
      draft.checks = fact.checks.map(({ digest: _, ...check }) => ({ ...check, tree: fact.tree }));
      return;
    case "proposal-refused":
      draft.refused = [...draft.refused, `${fact.what}: ${fact.reason}`];
      return;
    case "attempt-failed":
    case "task-failed":
      end(draft, at, { outcome: "failed", category: fact.category, error: fact.error });
      return;
    case "attempt-lost":
    case "attempt-parked":
    case "attempt-paused": {
      const outcome = fact.kind === "attempt-lost" ? "lost" : "paused";
      end(draft, at, { outcome, category: null, error: fact.reason });
      return;
    }
    case "task-completed":
      end(draft, at, { outcome: "complete", category: null, error: null });
      return;
    default:
  }
}

function enter(draft: Draft, stage: string, at: string): void {
  draft.stages = [
    ...draft.stages,
    { stage: draft.stage, ms: Math.max(0, Date.parse(at) - Date.parse(draft.since)) },
  ];
  Object.assign(draft, { stage, since: at });
}

function end(draft: Draft, at: string, how: Pick<ReportAttempt, "outcome" | "category" | "error">): void {
  enter(draft, "over", at);
  Object.assign(draft, { ended_at: at, ...how });
}

function finished({ stage: _, since: __, ...attempt }: Draft): ReportAttempt {
  return { ...attempt, differences: [...attempt.differences, ...falseClaims(attempt)] };
}

/** Criteria that its agent said passed, and that did not when heddle ran them. */
function falseClaims({ claim, checks }: ReportAttempt): string[] {
  const passed = new Set(claim?.passed ?? []);
  return checks
    .filter(({ ok, command, criterion }) => !ok && (passed.has(command) || passed.has(criterion)))
    .map(({ command }) => `says that \`${command}\` passed, and it did not`);
}
