// Every action by the document's name (S1).
import { diagnoses } from "../finding.ts";
import type { Act } from "./action.ts";
import { applyNext, proposeFixes, verify } from "./fixes.ts";
import { abort, complete, diagnoseOne, init, report } from "./look.ts";
import { analyzeRequirements } from "./requirements.ts";

export const actions: Readonly<Record<string, Act>> = {
  "action-init": init,
  "action-analyze-requirements": analyzeRequirements,
  "action-gemini-analysis": () => ({
    stateUpdates: { gemini_analysis: { status: "skipped", error: "no agent was named" } },
    outputFiles: [],
    summary: "no agent was named, so nobody looked deeper",
  }),
  ...Object.fromEntries(diagnoses.map((type) => [`action-diagnose-${type}`, diagnoseOne(type)])),
  "action-generate-report": report,
  "action-propose-fixes": proposeFixes,
  "action-apply-fix": applyNext,
  "action-verify": verify,
  "action-complete": complete,
  "action-abort": abort,
};
