// bundles/T001-bundle.json: everything one attempt needs, with the documents' field names (X4). heddle writes it; the
// schema accepts the first implementation's bundles (version 1.2) too.
import * as z from "zod";
import { behaviourId, checksums, layer, name, path, taskId, version } from "../../../protocols/fields.ts";
import { acceptanceCriterion, taskContext } from "./task-file.ts";

const bundleFile = z.looseObject({
  path,
  action: z.enum(["create", "modify", "delete", "extend"]),
  layer: layer.optional(),
  purpose: z.string().optional(),
  behaviors: z.array(behaviourId).optional(),
});

export const bundle = z
  .looseObject({
    version: version(1),
    bundle_created_at: z.string().optional(),
    task_id: taskId,
    name,
    phase: z.int().min(0).optional(),
    target_dir: name,
    context: taskContext.optional(),
    behaviors: z.array(
      z.looseObject({
        id: behaviourId,
        name,
        type: z.string().optional(),
        description: z.string().optional(),
      }),
    ),
    files: z.array(bundleFile),
    dependencies: z
      .looseObject({
        tasks: z.array(taskId).optional(),
        files: z.array(path).optional(),
        external: z.array(z.unknown()).optional(),
      })
      .optional(),
    description: z.string().optional().describe("what to do, in the person's own words"),
    acceptance_criteria: z
      .array(acceptanceCriterion)
      .describe("empty only for a task that a person left unchecked"),
    constraints: z.looseObject({}).optional(),
    project_context: z.unknown().optional(),
    checksums: z
      .looseObject({ artifacts: checksums.optional(), dependency_files: checksums.optional() })
      .optional()
      .describe("of everything the bundle was made from"),
  })
  .meta({
    title: "Bundle",
    description: "bundles/T001-bundle.json, written by heddle for one attempt at one task.",
  });

export type Bundle = z.infer<typeof bundle>;
