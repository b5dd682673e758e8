// Every action by the document's name (S1).
import { diagnoses } from "../finding.ts";
import type { Act } from "./action.ts";
import { applyNext, proposeFixes, verify } from "./fixes.ts";
import { abort, complete, diagnoseOne, init, report } from "./look.ts";
import { analyzeRequirements } from "./requirements.ts";

export const actions: Readonly<Record<string, Act>> = {
  "action-init": init,
  "action-analyze-requirements": analyzeRequirements,
  // It begins here and goes on beside the loop; without an agent nobody looks deeper, and that is said.
  "action-gemini-analysis": ({ hasAgent }) => ({
    stateUpdates: {
      gemini_analysis: hasAgent ? { status: "running" } : { status: "skipped", error: "no agent is named" },
    },
    outputFiles: [],
    summary: hasAgent
      ? "an agent looks deeper, beside the diagnoses"
      : "skipped: no agent is named, so nobody looks deeper (--agent claude)",
  }),
  ...Object.fromEntries(diagnoses.map((type) => [`action-diagnose-${type}`, diagnoseOne(type)])),
  "action-generate-report": report,
  "action-propose-fixes": proposeFixes,
  "action-apply-fix": applyNext,
  "action-verify": verify,
  "action-complete": complete,
  "action-abort": abort,
};
