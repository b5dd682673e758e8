// The document's third table: what must hold before an action is carried out (S1). One of the lines is enough. Where the
// table forbids what a row of the selection asks for, the row stands: rows 4 and 5 (deep analysis), 12 (the first
// diagnosis again) and 13 (completing when nothing is left).
import type { When } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { diagnoses, tuningSubjects } from "./subjects.ts";

export const preconditions: Readonly<Record<string, readonly When[]>> = {
  "action-init": [{ status: ["pending"] }],
  "action-analyze-requirements": [
    { status: ["running"], "requirement analysis": ["missing"] },
    { status: ["running"], clarification: ["given"] },
  ],
  ...Object.fromEntries(
    diagnoses.map((type) => [
      `action-diagnose-${type}`,
      [{ status: ["running"], [`diagnosis ${type}`]: ["pending"] }],
    ]),
  ),
  "action-gemini-analysis": [
    { "reason for deep analysis": ["requested", "critical", "focus", "unresolved"] },
    { coverage: ["unsatisfied"] },
  ],
  "action-generate-report": [{ diagnoses: ["settled"] }],
  "action-propose-fixes": [{ report: ["done"], issues: ["some"] }],
  "action-apply-fix": [{ "pending fixes": ["some"] }],
  "action-verify": [{ "applied fixes": ["unverified"] }],
  "action-complete": [{}],
  "action-abort": [{ errors: ["reached"] }],
};

/** What does not hold, or nothing when the action may be carried out. */
export function unmet(run: Run, action: string): string | undefined {
  const lines = preconditions[action];
  if (!lines) return `there is no action \`${action}\``;
  const missing = lines.map((line) =>
    Object.entries(line).flatMap(([name, values]) => {
      const seen = tuningSubjects[name]?.see({ run, request: null, digests: {} }) ?? "unknown";
      return values.includes(seen) ? [] : [`${name} is ${seen}, not ${values.join(" or ")}`];
    }),
  );
  return missing.some((each) => each.length === 0) ? undefined : missing[0]?.join(", ");
}
