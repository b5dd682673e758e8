// bundles/T001-result.json: what an agent says about its attempt. It is a proposal: only the checks that heddle runs
// itself complete a task, so little is required here.
import * as z from "zod";
import { failureCategories } from "../core/outcome.ts";
import type { Problem } from "../core/problem.ts";
import { type Checked, checkArtifact } from "../protocols/check-artifact.ts";
import type { Source } from "../protocols/document.ts";
import { path, taskId, text, time, version } from "../protocols/fields.ts";
import { type Spot, shown } from "../protocols/spot.ts";
import { pathProblems } from "../protocols/target-path.ts";

const mark = z.enum(["PASS", "FAIL", "SKIP"]);

const failure = z.looseObject({
  category: z.enum(failureCategories).optional(),
  message: text,
  retryable: z.boolean().optional(),
  stack: z.string().nullish(),
});

export const result = z
  .looseObject({
    version: version(1).optional(),
    task_id: taskId,
    name: z.string().optional(),
    status: z.enum(["success", "failed"]),
    started_at: time.optional(),
    completed_at: time.optional(),
    duration_seconds: z.number().min(0).nullish(),
    files: z
      .looseObject({ created: z.array(path).optional(), modified: z.array(path).optional() })
      .optional(),
    verification: z
      .looseObject({
        verdict: z.enum(["PASS", "FAIL", "PARTIAL"]).optional(),
        criteria: z
          .array(
            z.looseObject({
              name: z.string(),
              status: mark,
              evidence: z.string().optional(),
              command: z.string().optional(),
              exit_code: z.int().nullish(),
            }),
          )
          .optional(),
      })
      .nullish(),
    quality: z.record(z.string(), z.unknown()).nullish(),
    error: failure.nullish().describe("why it failed; for status `failed`"),
    git: z.looseObject({}).nullish(),
    notes: z.unknown().optional(),
  })
  .meta({ title: "Result", description: "bundles/T001-result.json, written by the task-executor." });

export type Result = z.infer<typeof result>;

export interface ForTask extends Source {
  readonly taskId: string;
}

export function checkResult(input: ForTask): Checked<Result> {
  return checkArtifact(result, input, (root) => [
    ...wrongTask(root.at("task_id"), input.taskId),
    ...[...root.at("files").at("created").items, ...root.at("files").at("modified").items].flatMap(
      pathProblems,
    ),
  ]);
}

/** A file that is taken for a task speaks of that task. */
export function wrongTask(id: Spot, wanted: string): Problem[] {
  if (id.text === undefined || id.text === wanted) return [];
  const message = `the file is about task ${shown(id.text)}, but is taken for \`${wanted}\``;
  return [id.problem("wrong-task", message, `write \`"task_id": "${wanted}"\` if it is about that one`)];
}
