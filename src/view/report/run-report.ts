// The report of a run that is about documents: one task from its brief to a commit, or a protocol of one's own. The way it
// took, who worked, what was overridden and asked, and what its artifacts say. `run-report-text.ts` is made from it alone.
import type { Entry } from "../../core/fact.ts";
import type { Json, Run } from "../../core/run.ts";
import { stateView } from "../state-json.ts";
import { type Suggestion, suggestNext } from "../suggestion.ts";
import { overridesOf, span, usageOf } from "./report.ts";

type Document = Readonly<Record<string, Json>>;

/** What is read from disk. */
export interface RunReportFiles {
  /** Artifacts that are documents, as they lie there; what cannot be read is left out. */
  readonly documents: Readonly<Record<string, Document>>;
  readonly difference: string | null;
}

export interface RunReport {
  readonly version: "1.0";
  readonly run: string;
  readonly protocol: string;
  readonly brief: string;
  readonly phase: string;
  readonly outcome: string;
  readonly round: number;
  readonly target_dir: string;
  readonly written_at: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly ms: number | null;
  readonly unconfined: boolean;
  readonly open_network: boolean;
  readonly halt: { readonly code: string; readonly reason: string } | null;
  readonly usage: ReturnType<typeof usageOf>;
  readonly way: readonly WayStep[];
  readonly work: readonly WorkDone[];
  readonly overrides: ReturnType<typeof overridesOf>;
  readonly questions: readonly { readonly question: string; readonly answer: string | null }[];
  readonly artifacts: readonly Document[];
  readonly documents: RunReportFiles["documents"];
  readonly commits: readonly string[];
  readonly difference: string | null;
  readonly next: Suggestion;
}

interface WayStep {
  readonly at: string;
  readonly by: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

interface WorkDone {
  readonly role: string;
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly outcome: "working" | "done" | "asked" | "failed" | "parked";
  readonly problems: readonly string[];
}

export interface RunReportInputs extends RunReportFiles {
  readonly entries: readonly Entry[];
  readonly writtenAt: string;
}

export function runReport(run: Run, { entries, writtenAt, ...files }: RunReportInputs): RunReport {
  const isOver = run.protocol.phases.find(({ name }) => name === run.phase)?.end === true;
  const endedAt = isOver ? run.updatedAt : null;
  return {
    version: "1.0",
    run: run.id,
    protocol: run.protocolName,
    brief: String(run.metadata.brief ?? ""),
    phase: run.phase,
    outcome: isOver ? outcomeOf(run) : run.halt ? "halted" : "not finished",
    round: run.counters[run.protocol.counters[0] ?? "rounds"] ?? 0,
    target_dir: run.targetDir,
    written_at: writtenAt,
    started_at: run.createdAt,
    ended_at: endedAt,
    ms: span(run.createdAt, endedAt ?? writtenAt),
    unconfined: run.metadata.unconfined === true,
    open_network: run.metadata.openNetwork === true,
    halt: run.halt && { code: run.halt.code, reason: run.halt.reason },
    usage: usageOf(run),
    way: wayOf(run, entries),
    work: workOf(entries),
    overrides: overridesOf(entries),
    questions: run.questions.map(({ text, answer }) => ({ question: text, answer })),
    artifacts: Object.entries((stateView(run).artifacts ?? {}) as Readonly<Record<string, Document>>).map(
      ([name, { path = "", state = "", problems = [] }]) => ({ name, path, state, problems }),
    ),
    documents: files.documents,
    commits: wordsOf(run.artifacts.decision?.content.commits),
    difference: files.difference,
    next: suggestNext(run, {}),
  };
}

const wordsOf = (value: Json | undefined) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** Of the lifecycle: whether its change stands. */
function outcomeOf({ artifacts: { decision, revert } }: Run): string {
  if (decision === undefined && revert === undefined) return "done";
  const taken = new Set(wordsOf(revert?.content.reverted));
  const stands = wordsOf(decision?.content.commits).some((commit) => !taken.has(commit));
  if (decision?.content.verdict === "accepted" && stands) return "accepted";
  return taken.size > 0 ? "reverted" : "given up";
}

function wayOf(run: Run, entries: readonly Entry[]): WayStep[] {
  const steps: WayStep[] = [];
  let at = run.protocol.phases[0]?.name ?? "";
  for (const { at: when, by, fact } of entries) {
    const to = fact.kind === "phase-entered" ? fact.to : fact.kind === "overridden" ? fact.phase : null;
    if (to === null) continue;
    const why =
      fact.kind === "phase-entered" ? fact.rule : `overridden: ${(fact as { reason: string }).reason}`;
    steps.push({ at: when, by, from: at, to, why });
    at = to;
  }
  return steps;
}

function workOf(entries: readonly Entry[]): WorkDone[] {
  const found: WorkDone[] = [];
  const end = (at: string, how: Pick<WorkDone, "outcome" | "problems">) => {
    const last = found.pop();
    if (last) found.push({ ...last, ended_at: at, ...how });
  };
  for (const { at, fact } of entries) {
    if (fact.kind === "job-started") {
      const { role, attempt } = fact;
      found.push({ role, attempt, started_at: at, ended_at: null, outcome: "working", problems: [] });
    } else if (fact.kind === "job-completed")
      end(at, { outcome: fact.asked ? "asked" : "done", problems: [] });
    else if (fact.kind === "job-failed") end(at, { outcome: "failed", problems: fact.problems });
    else if (fact.kind === "job-parked") end(at, { outcome: "parked", problems: [fact.reason] });
  }
  return found;
}
