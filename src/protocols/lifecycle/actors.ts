// Where each phase of a task stands in itself: the substates of the documents, computed from the run like everything
// else (L2). They are for people; no rule reads them.
import { freshness } from "../../core/artifact.ts";
import type { Run } from "../../core/run.ts";
import { answersTo } from "../subject.ts";
import { lifecycleSubjects } from "./subjects.ts";

export interface Actor {
  readonly status: string;
  readonly role: string | null;
  readonly attempts: number;
  /** What is wrong with what it made last. */
  readonly problems: readonly string[];
}

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
  const value = lifecycleSubjects[subject]?.see({ run, request: null, digests: {} }) ?? "missing";
  return value === "missing" ? "idle" : value;
}

/** draft → clarifying → workshop → formalizing → review_ready. */
function planningStatus(run: Run): string {
  const atWork = run.job?.role === "planner";
  if (atWork && run.job?.stage !== "working") return "formalizing";
  if (answersTo(run, "plan") === "open" || asks(run, "planner")) return "clarifying";
  if (atWork) return run.artifacts.plan ? "workshop" : "draft";
  const plan = lifecycleSubjects.plan?.see({ run, request: null, digests: {} });
  if (plan === "ready" || plan === "overridden") return "review_ready";
  return run.artifacts.plan ? "workshop" : "draft";
}

const asks = (run: Run, role: string) =>
  run.questions.some(({ about, answer }) => about === role && answer === null);

/** context → generate → diff → materialize → ready; heddle takes the patch first, and the files from it. */
function codegenStatus(run: Run): string {
  if (run.job?.role === "coder") {
    if (run.job.makes === "files") return "materialize";
    return run.job.stage === "working" ? "generate" : "diff";
  }
  const seen = { run, request: null, digests: {} };
  const patch = lifecycleSubjects.patch?.see(seen) ?? "missing";
  if (patch === "ready" && freshness("files", seen) === "valid") return "ready";
  if (patch === "missing") return "context";
  return patch === "ready" ? "materialize" : patch;
}
