// artifacts/physical-map.json: where each behaviour lives in the target. What must hold beyond this shape is in
// `check-physical-map.ts`.
import * as z from "zod";
import { behaviourId, count, layer, name, path, version } from "../../../protocols/fields.ts";

const action = z
  .enum(["create", "modify", "extend"])
  .describe(
    "`create` a file that does not exist; `modify` or `extend` one that does, or that another entry creates",
  );

const mappedFile = z.looseObject({ path, action, layer: layer.optional(), purpose: z.string().optional() });

export const physicalMap = z
  .looseObject({
    version: version(1),
    target_dir: name,
    capability_map_checksum: z.string().optional(),
    file_mapping: z
      .array(
        z.looseObject({
          behavior_id: behaviourId,
          behavior_name: name.optional(),
          files: z.array(mappedFile).min(1),
          tests: z.array(mappedFile).optional(),
        }),
      )
      .min(1),
    cross_cutting: z.array(z.looseObject({ concern: name, files: z.array(mappedFile) })).optional(),
    infrastructure: z.array(mappedFile).optional(),
    phase_filtering: z.looseObject({}).optional(),
    summary: z.looseObject({
      total_behaviors: count.describe("behaviours in file_mapping"),
      total_files: count.describe("different paths in the whole map, tests and infrastructure included"),
      files_to_create: count.optional().describe("different paths that an entry creates"),
      files_to_modify: count.optional().describe("different paths that no entry creates"),
    }),
  })
  .meta({
    title: "Physical map",
    description: "artifacts/physical-map.json, written by the physical-architect.",
  });

export type PhysicalMap = z.infer<typeof physicalMap>;
