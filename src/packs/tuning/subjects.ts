// What the tuning rules look at: the document's state, kept as variables of the run under their paths
// (`diagnosis.context`, `quality_gate`). Beside it stand two kinds that carry the round they belong to:
// `completed_actions.<action>` holds the round in which an action last ended or was skipped, and
// `decisions.<point>.<round>` what a person decided. A new round therefore has nothing to clear.
import type { Subject } from "../../core/protocol.ts";
import type { Json, Run } from "../../core/run.ts";
import { answersTo, countOf } from "../../protocols/subject.ts";

const MAX_STEPS = 50;
const MAX_ITERATIONS = 5;
const MAX_ERRORS = 3;

export const diagnoses = ["context", "memory", "dataflow", "agent", "docs", "token_consumption"] as const;

/** Areas of focus that static analysis cannot judge. */
export const deepAreas = ["architecture", "prompt", "performance", "custom"];

/** A variable by its path: under that very name, or inside an object that was stored whole. */
export function stateAt(run: Run, path: string): Json | undefined {
  const own = run.vars[path];
  if (own !== undefined) return own;
  let value: Json | undefined = run.vars;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = (value as { readonly [key: string]: Json })[key];
  }
  return value;
}

/** Counted by the rule that starts another round. */
export function roundOf(run: Run): number {
  return run.counters.iterations ?? 0;
}

function numberAt(run: Run, path: string, unset: number): number {
  return countOf(stateAt(run, path)) ?? unset;
}

function wasCompleted(run: Run, action: string): boolean {
  return typeof stateAt(run, `completed_actions.${action}`) === "number";
}

function wasCompletedThisRound(run: Run, action: string): boolean {
  return stateAt(run, `completed_actions.${action}`) === roundOf(run);
}

function decisionOn(run: Run, point: string): Json | undefined {
  return run.vars[`decisions.${point}.${roundOf(run)}`];
}

function listAt(run: Run, path: string): readonly Json[] {
  const value = stateAt(run, path);
  return Array.isArray(value) ? value : [];
}

function issuesOf(run: Run, severity: string): number {
  const counted = countOf(stateAt(run, `issues_by_severity.${severity}`));
  return counted ?? listAt(run, "issues").filter((issue) => keyOf(issue, "severity") === severity).length;
}

function keyOf(value: Json, key: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json })[key];
}

function seenIn(about: string, values: readonly string[], see: (run: Run) => string): Subject {
  return { about, values, see: ({ run }) => see(run) };
}

function word(
  about: string,
  path: string,
  words: { readonly values: readonly string[]; readonly unset: string },
) {
  return seenIn(about, [...new Set([...words.values, words.unset])], (run) => {
    const value = stateAt(run, path);
    return typeof value === "string" && words.values.includes(value) ? value : words.unset;
  });
}

function limit(about: string, isReached: (run: Run) => boolean): Subject {
  return seenIn(about, ["below", "reached"], (run) => (isReached(run) ? "reached" : "below"));
}

function made(about: string, action: string): Subject {
  return seenIn(about, ["missing", "done"], (run) =>
    wasCompletedThisRound(run, action) ? "done" : "missing",
  );
}

/** A run that was aborted has failed, whether or not its last action came to say so. */
function statusOf(run: Run): string {
  const status = stateAt(run, "status");
  if (status === "user_exit" || status === "completed") return status;
  if (status === "failed" || wasCompleted(run, "action-abort")) return "failed";
  return status === "running" ? "running" : "pending";
}

function orderOf(run: Run): string {
  const complaint = stateAt(run, "user_issue_description");
  const isGiven =
    stateAt(run, "target_skill") !== undefined && typeof complaint === "string" && complaint !== "";
  return isGiven ? "given" : "missing";
}

function clarificationOf(run: Run): string {
  if (stateAt(run, "requirement_analysis.status") !== "needs_clarification") return "none";
  return answersTo(run, "requirements") === "given" ? "given" : "needed";
}

/** Running wins: the action that starts the analysis in the background ends before the analysis does. */
function deepAnalysisOf(run: Run): string {
  const status = stateAt(run, "gemini_analysis.status");
  if (status === "running") return "running";
  return status === undefined && !wasCompleted(run, "action-gemini-analysis") ? "idle" : "ended";
}

function reasonForDeepAnalysis(run: Run): string {
  if (stateAt(run, "gemini_analysis_requested") === true) return "requested";
  if (issuesOf(run, "critical") > 0) return "critical";
  if (listAt(run, "focus_areas").some((area) => deepAreas.includes(String(area)))) return "focus";
  return roundOf(run) > 0 && numberAt(run, "issues", 0) > 0 ? "unresolved" : "none";
}

function isPending(run: Run, type: string): boolean {
  const focus = listAt(run, "focus_areas");
  const inFocus = focus.length === 0 || focus.includes("all") || focus.includes(type);
  return inFocus && !wasCompletedThisRound(run, `action-diagnose-${type}`);
}

function diagnosis(type: string): Subject {
  return seenIn(`the diagnosis of ${type} in this round`, ["pending", "settled"], (run) =>
    isPending(run, type) ? "pending" : "settled",
  );
}

/** Open until a person chose, or until something was applied, which somebody must have chosen. */
function selectionOf(run: Run): string {
  if (!wasCompletedThisRound(run, "action-propose-fixes") || numberAt(run, "proposed_fixes", 0) === 0)
    return "none";
  const isMade =
    decisionOn(run, "fixes") !== undefined ||
    numberAt(run, "pending_fixes", 0) > 0 ||
    wasCompletedThisRound(run, "action-apply-fix");
  return isMade ? "made" : "open";
}

/** Serious issues are left, and this round has resolved something: another may resolve more (S9). */
function nextRoundOf(run: Run): string {
  const isNeeded =
    issuesOf(run, "critical") + issuesOf(run, "high") > 0 &&
    wasCompletedThisRound(run, "action-verify") &&
    numberAt(run, "verification.resolved", 0) > 0;
  if (!isNeeded) return "not needed";
  const decision = decisionOn(run, "continue");
  if (decision === undefined) return "undecided";
  return decision === "continue" ? "wanted" : "not wanted";
}

function summaryOf(run: Run): string {
  if (!wasCompleted(run, "action-complete")) return "none";
  return decisionOn(run, "summary") === undefined ? "unseen" : "seen";
}

export const tuningSubjects: Readonly<Record<string, Subject>> = {
  status: seenIn("`status`", ["pending", "running", "completed", "failed", "user_exit"], statusOf),
  summary: seenIn("the final summary", ["none", "unseen", "seen"], summaryOf),
  steps: limit(
    "how many steps were taken",
    (run) => numberAt(run, "steps", 0) >= numberAt(run, "max_steps", MAX_STEPS),
  ),
  errors: limit(
    "`error_count` against `max_errors`",
    (run) => numberAt(run, "error_count", 0) >= numberAt(run, "max_errors", MAX_ERRORS),
  ),
  iterations: limit(
    "`iteration_count` against `max_iterations`",
    (run) =>
      Math.max(roundOf(run), numberAt(run, "iteration_count", 0)) >=
      numberAt(run, "max_iterations", MAX_ITERATIONS),
  ),
  gate: word("`quality_gate`", "quality_gate", { values: ["pass", "review", "fail"], unset: "fail" }),
  order: seenIn("the target skill and the complaint", ["missing", "given"], orderOf),
  "requirement analysis": seenIn("the requirement analysis", ["missing", "done"], (run) =>
    wasCompleted(run, "action-analyze-requirements") ? "done" : "missing",
  ),
  clarification: seenIn("what the requirement analysis asks", ["none", "needed", "given"], clarificationOf),
  coverage: word("how far the requirements are covered", "requirement_analysis.coverage.status", {
    values: ["satisfied", "partial", "unsatisfied"],
    unset: "unknown",
  }),
  "deep analysis": seenIn("the deep analysis", ["idle", "running", "ended"], deepAnalysisOf),
  "reason for deep analysis": seenIn(
    "why an agent should analyse the skill",
    ["none", "requested", "critical", "focus", "unresolved"],
    reasonForDeepAnalysis,
  ),
  diagnoses: seenIn("the diagnoses of this round, all together", ["pending", "settled"], (run) =>
    diagnoses.some((type) => isPending(run, type)) ? "pending" : "settled",
  ),
  ...Object.fromEntries(diagnoses.map((type) => [`diagnosis ${type}`, diagnosis(type)])),
  report: made("the report of this round", "action-generate-report"),
  issues: seenIn("issues that were found", ["none", "some"], (run) =>
    numberAt(run, "issues", 0) > 0 ? "some" : "none",
  ),
  proposals: made("the proposals of this round", "action-propose-fixes"),
  selection: seenIn("which fixes a person selected", ["none", "open", "made"], selectionOf),
  "pending fixes": seenIn("fixes that wait to be applied", ["none", "some"], (run) =>
    numberAt(run, "pending_fixes", 0) > 0 ? "some" : "none",
  ),
  "applied fixes": seenIn("fixes that were applied", ["verified", "unverified"], (run) =>
    listAt(run, "applied_fixes").some((fix) => keyOf(fix, "verification_result") === "pending")
      ? "unverified"
      : "verified",
  ),
  "next round": seenIn(
    "whether another round is worth it, and wanted",
    ["not needed", "undecided", "wanted", "not wanted"],
    nextRoundOf,
  ),
};
