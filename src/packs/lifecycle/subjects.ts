// What the lifecycle's rules look at, and which keys of an artifact's content they read. Whoever registers an
// artifact fills in these keys, and as inputs the digests of what it was made from (`lifecycleInputs`).
import { artifact, isByHand } from "../../core/artifact.ts";
import type { Subject } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { answersTo, type Content, counterSince, countOf, verdict } from "../../protocols/subject.ts";

/** In their order; `revert` and `done` end it. */
const order = ["planning", "plan_review", "codegen", "review", "test", "accept", "revert", "done"];

/**
 * What each artifact is made from. A verdict on this very plan or code is fresh, and that is how a phase knows that it
 * was sent back: the same verdict is stale as soon as its object has changed.
 */
export const lifecycleInputs: Readonly<Record<string, readonly string[]>> = {
  plan: [],
  plan_review: ["plan"],
  diff: ["plan", "plan_review"],
  files: ["plan", "plan_review"],
  code_review: ["plan", "diff", "files"],
  eval_report: ["diff", "files"],
  decision: ["plan", "diff", "files", "code_review", "eval_report"],
  revert: ["plan", "diff"],
};

/** `ok: boolean`, `blocking_issues`: a list or its length. `undefined` for any other shape. */
function reviewed(content: Content): boolean | undefined {
  const { ok, blocking_issues: issues = 0 } = content;
  const blocking = countOf(issues);
  if (typeof ok !== "boolean" || blocking === null) return undefined;
  return ok && blocking === 0;
}

/** `blocking_questions`: a list or its length. */
function planSays({ blocking_questions: questions = 0 }: Content): string | undefined {
  const blocking = countOf(questions);
  if (blocking === null) return undefined;
  return blocking === 0 ? "ready" : "blocked";
}

function planReviewSays(content: Content): string | undefined {
  const passed = reviewed(content);
  if (passed === undefined) return undefined;
  return passed ? "passed" : "blocked";
}

/** `scope_mismatch` and `plan_unclear`, both boolean, false when missing. */
function patchSays({ scope_mismatch: mismatch = false, plan_unclear: unclear = false }: Content) {
  if (typeof mismatch !== "boolean" || typeof unclear !== "boolean") return undefined;
  if (mismatch) return "mismatch";
  return unclear ? "unclear" : "ready";
}

/** As a review, with `back_to`: `codegen` (as good as missing) or `planning`. */
function codeReviewSays(content: Content): string | undefined {
  const passed = reviewed(content);
  if (passed === undefined) return undefined;
  return passed ? "passed" : `to ${content.back_to ?? "codegen"}`;
}

/** `overall_pass: boolean`. */
function evalReportSays({ overall_pass: pass }: Content): string | undefined {
  if (typeof pass !== "boolean") return undefined;
  return pass ? "passed" : "failed";
}

/** `verdict`: accepted, deferred or rejected; a rejection has `back_to`, else `codegen`, or `regression: true`. */
function decisionSays({ verdict: word, back_to: back, regression }: Content): string | undefined {
  if (word !== "rejected") return typeof word === "string" ? word : undefined;
  return regression === true ? "to revert" : `to ${back ?? "codegen"}`;
}

/**
 * A gate that a person passed by override stays passed while the run stands beyond it (L10); the phase was left
 * without being completed. Only what a gate says can be waived, never what later phases work on.
 */
function waivable(phase: string, waived: readonly string[], subject: Subject): Subject {
  return {
    ...subject,
    values: [...subject.values, "overridden"],
    see: (seen) => {
      const value = subject.see(seen);
      return waived.includes(value) && wasPassedOver(seen.run, phase) ? "overridden" : value;
    },
  };
}

/** What a person wrote and heddle has still to carry out is not wrong: it is next (L16, L20). */
function orByHand(name: string, subject: Subject): Subject {
  return {
    ...subject,
    values: [...subject.values, "by hand"],
    see: (seen) => {
      const value = subject.see(seen);
      return value === "invalid" && isByHand(seen.run.artifacts[name]) ? "by hand" : value;
    },
  };
}

function wasPassedOver(run: Run, phase: string): boolean {
  return order.indexOf(run.phase) > order.indexOf(phase) && !run.completedPhases.includes(phase);
}

const unusable = ["missing", "invalid", "stale"];

export const lifecycleSubjects: Readonly<Record<string, Subject>> = {
  plan: waivable("planning", ["blocked"], verdict("plan", ["ready", "blocked"], planSays)),
  "plan answers": {
    about: "a person's answers to the plan's blocking questions",
    artifact: "plan",
    values: ["none", "open", "given"],
    see: ({ run }) => answersTo(run, "plan"),
  },
  "plan review": waivable(
    "plan_review",
    [...unusable, "blocked"],
    verdict("plan_review", ["passed", "blocked"], planReviewSays),
  ),
  patch: waivable(
    "codegen",
    ["mismatch", "unclear"],
    orByHand("diff", verdict("diff", ["ready", "mismatch", "unclear"], patchSays)),
  ),
  files: artifact("files"),
  "code review": waivable(
    "review",
    [...unusable, "to codegen", "to planning"],
    verdict("code_review", ["passed", "to codegen", "to planning"], codeReviewSays),
  ),
  tests: waivable(
    "test",
    [...unusable, "failed"],
    verdict("eval_report", ["passed", "failed"], evalReportSays),
  ),
  decision: orByHand(
    "decision",
    verdict(
      "decision",
      ["accepted", "to codegen", "to review", "to planning", "to revert", "deferred"],
      decisionSays,
    ),
  ),
  "revert record": artifact("revert"),
  rounds: counterSince("rounds", (run) => run.policy.rounds),
};
