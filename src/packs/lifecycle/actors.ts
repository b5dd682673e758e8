// Where each phase of a task stands in itself: the substates of the documents, computed from the run like everything
// else (L2). They are for people; no rule reads them.
import { freshness } from "../../core/artifact.ts";
import { decide } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { answersTo } from "../../protocols/subject.ts";
import { lifecycleSubjects } from "./subjects.ts";

export type Actor = {
  readonly status: string;
  readonly role: string | null;
  readonly attempts: number;
  /** What is wrong with what it made last. */
  readonly problems: readonly string[];
};

/** Who works in each phase, what on, and which subject says how it went. */
const phases: Readonly<Record<string, { role: string; makes: string; subject: string }>> = {
  planning: { role: "planner", makes: "plan", subject: "plan" },
  plan_review: { role: "plan-reviewer", makes: "plan_review", subject: "plan review" },
  codegen: { role: "coder", makes: "diff", subject: "patch" },
  review: { role: "code-reviewer", makes: "code_review", subject: "code review" },
  test: { role: "tester", makes: "eval_report", subject: "tests" },
  accept: { role: "acceptor", makes: "decision", subject: "decision" },
  revert: { role: "reverter", makes: "revert", subject: "revert record" },
};

export function actorsOf(run: Run): Record<string, Actor> {
  return Object.fromEntries(
    Object.entries(phases).map(([phase, { role, makes }]) => [
      phase,
      {
        status: statusOf(run, phase),
        role,
        attempts: run.jobs[role]?.attempts ?? 0,
        problems: run.artifacts[makes]?.problems ?? [],
      },
    ]),
  );
}

function statusOf(run: Run, phase: string): string {
  if (phase === "planning") return planningStatus(run);
  if (phase === "codegen") return codegenStatus(run);
  const { role = "", subject = "" } = phases[phase] ?? {};
  if (run.job?.role === role) return run.job.stage;
  const value = whatIs(run, subject);
  return value === "missing" ? "idle" : value;
}

/** draft → clarifying → workshop → formalizing → review_ready; without open questions the workshop is left out. */
function planningStatus(run: Run): string {
  const plan = whatIs(run, "plan");
  const answers = answersTo(run, "plan");
  if (answers === "open" || (plan === "blocked" && answers === "none") || asks(run, "planner"))
    return "clarifying";
  const begun = run.artifacts.plan === undefined ? "draft" : "workshop";
  if (run.job?.role === "planner") {
    if (run.job.stage === "working") return begun;
    // A first draft is looked through for what it leaves open; one that leaves nothing open is put into its form.
    return begun === "draft" ? "clarifying" : "formalizing";
  }
  if (workDue(run, "planning")) return begun;
  return plan === "ready" || plan === "overridden" ? "review_ready" : begun;
}

const asks = (run: Run, role: string) =>
  run.questions.some(({ about, answer }) => about === role && answer === null);

/** context → generate → materialize → diff → ready; heddle takes the files out of the workspace, then the patch. */
function codegenStatus(run: Run): string {
  const patch = whatIs(run, "patch");
  const files = freshness("files", seen(run));
  const due = workDue(run, "codegen");
  if (run.job?.role === "coder") {
    if (run.job.stage === "working" && run.job.makes === "diff") return "generate";
    return files === "valid" && (patch === "missing" || !due) ? "diff" : "materialize";
  }
  if (due) return due === "files" ? "materialize" : "context";
  if (patch === "missing") return "idle";
  if (patch !== "ready") return patch;
  return files === "valid" ? "ready" : "materialize";
}

const seen = (run: Run) => ({ run, request: null, digests: {} });

const whatIs = (run: Run, subject: string) => lifecycleSubjects[subject]?.see(seen(run)) ?? "missing";

/** What the rules want made in this phase now, if the run stands in it. */
function workDue(run: Run, phase: string): string | undefined {
  if (run.phase !== phase) return undefined;
  const { rule } = decide(run.protocol, { ...seen(run), request: "advance" });
  return rule?.then.kind === "job" ? rule.then.makes : undefined;
}
