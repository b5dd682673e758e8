// Whether an artifact of a task is right, and what the rules read of it (`subjects.ts` names the keys). Everything is
// refused at once, each problem with its place and the field's name (L5).
import type * as z from "zod";
import type { Problem } from "../../../core/problem.ts";
import type { Json } from "../../../core/run.ts";
import { isAlwaysGreen } from "../../../protocols/always-green.ts";
import { checkArtifact } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { normalPath, pathProblems } from "../../../protocols/target-path.ts";
import { commandFault, looksLikeProse } from "../../decomposition/checks/task-command.ts";
import { codeResult } from "./code-result.ts";
import { decision, revertRecord } from "./decision.ts";
import { evalReport } from "./eval-report.ts";
import { taskPlan } from "./plan.ts";
import { codeReview, planReview } from "./review.ts";
import { saidBy } from "./said.ts";

type Content = Readonly<Record<string, Json>>;

export interface CheckedArtifact {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** What rules read of it; only when there is no problem. */
  readonly content: Content | undefined;
}

interface Kind {
  readonly schema: z.ZodType<Record<string, unknown>>;
  /** The keys that rules read. */
  readonly reads: readonly string[];
  readonly wrong?: (root: Spot) => Problem[];
  readonly unwise?: (root: Spot) => Problem[];
}

const kinds = {
  plan: {
    schema: taskPlan,
    reads: ["title", "blocking_questions"],
    wrong: (root) => [...filesOf(root), ...commandsOf(root).flatMap(unreadable)],
    unwise: (root) => commandsOf(root).flatMap(unwiseCommand),
  },
  plan_review: { schema: planReview, reads: ["ok", "blocking_issues"] },
  code_result: { schema: codeResult, reads: ["status", "summary", "reasons"], wrong: reasonless },
  code_review: { schema: codeReview, reads: ["ok", "blocking_issues", "back_to"] },
  eval_report: { schema: evalReport, reads: ["overall_pass"] },
  decision: { schema: decision, reads: ["verdict", "back_to", "regression", "decider"] },
  revert: { schema: revertRecord, reads: ["reason"] },
} satisfies Readonly<Record<string, Kind>>;

export type TaskArtifact = keyof typeof kinds;

export const isTaskArtifact = (name: string): name is TaskArtifact => Object.hasOwn(kinds, name);

export function checkTaskArtifact(name: TaskArtifact, source: Source): CheckedArtifact {
  const { schema, reads, wrong = nothing, unwise = nothing }: Kind = kinds[name];
  const { problems, warnings, value } = checkArtifact(schema, source, { wrong, unwise });
  if (!value) return { problems, warnings, content: undefined };
  const read = reads.filter((key) => value[key] !== undefined).map((key) => [key, value[key] as Json]);
  return { problems, warnings, content: { ...Object.fromEntries(read), said: saidBy(name, value) } };
}

const nothing = (): Problem[] => [];

function filesOf(root: Spot): Problem[] {
  const seen = new Set<string>();
  return root.at("file_plan").items.flatMap((entry) => {
    const path = entry.at("path");
    const normal = path.text === undefined ? undefined : normalPath(path.text);
    const doubled = normal !== undefined && seen.has(normal);
    if (normal !== undefined) seen.add(normal);
    const message = `the file ${shown(path.text)} is planned twice`;
    return [
      ...pathProblems(path),
      ...(doubled ? [path.problem("doubled-file", message, "keep one of the two entries")] : []),
    ];
  });
}

function commandsOf(root: Spot): Spot[] {
  return [
    ...root.at("acceptance_criteria").items.map((entry) => entry.at("verification")),
    ...root
      .at("test_plan")
      .at("commands")
      .items.map((entry) => entry.at("command")),
  ].filter(({ text }) => text !== undefined);
}

function unreadable(spot: Spot): Problem[] {
  const fault = commandFault(spot.text ?? "");
  if (fault === undefined) return [];
  return [
    spot.problem("bad-command", `the command ${shown(spot.text)} ${fault}`, "write what a shell can run"),
  ];
}

function unwiseCommand(spot: Spot): Problem[] {
  const command = spot.text ?? "";
  if (looksLikeProse(command))
    return [spot.problem("prose-command", `${shown(command)} is a sentence`, "write what a shell can run")];
  if (!isAlwaysGreen(command)) return [];
  return [spot.problem("empty-command", `${shown(command)} cannot fail`, "write a command that can")];
}

function reasonless(root: Spot): Problem[] {
  const status = root.at("status");
  if (status.text === undefined || status.text === "done" || root.at("reasons").items.length > 0) return [];
  const message = `\`${status.text}\` comes without \`reasons\``;
  return [status.problem("missing-reasons", message, "say in `reasons` what must change in the plan")];
}
