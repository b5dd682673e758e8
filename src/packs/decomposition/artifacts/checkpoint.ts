// orchestrator-checkpoint.json: the batch that a host has in flight when it drives the loop itself (X20).
// heddle's own orchestrator needs none: its journal has what is in flight.
import * as z from "zod";
import { taskId, time, version } from "../../../protocols/fields.ts";

const ids = z.array(taskId);

export const checkpoint = z
  .looseObject({
    version: version(1),
    batch_id: z.string().min(1),
    spawned_at: time,
    status: z.enum(["active", "completed", "interrupted"]),
    parallel_limit: z.int().min(1).optional(),
    tasks: z.looseObject({ spawned: ids, pending: ids, completed: ids, failed: ids }),
    last_heartbeat: time.optional(),
    orphan_timeout_seconds: z.number().min(0).optional(),
    completed_at: time.nullish(),
    recovery: z
      .looseObject({
        recovered_at: time,
        recovered_tasks: ids,
        orphaned_tasks: ids,
        previous_batch_id: z.string().optional(),
      })
      .nullish(),
  })
  .meta({
    title: "Checkpoint",
    description: "orchestrator-checkpoint.json, the batch of a host's own loop.",
  });

export type Checkpoint = z.infer<typeof checkpoint>;
