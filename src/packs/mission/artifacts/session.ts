// .meta/session.json: where a mission stands. heddle writes it from its journal, as a view; one that another program
// wrote is read once, when heddle takes the mission over (M1).
import * as z from "zod";

const count = z.int().min(0);

export const missionSession = z
  .looseObject({
    session_id: z.string().optional(),
    current_phase: z
      .union([z.int().min(1), z.string().regex(/^0*[1-9]\d{0,5}$/, "must be a number from 1 on")])
      .optional(),
    current_task_idx: count.optional().describe("the place of the next task in the plan, from 0"),
    status: z.string().optional().describe("working, halted, complete, or what another program wrote"),
    retry_count: count.optional().describe("how often the next task was tried again"),
    gap_count: count.optional().describe("gap plans of this phase"),
    halt: z
      .looseObject({ code: z.string(), message: z.string(), command: z.string() })
      .partial()
      .nullish()
      .describe("why it has stopped, and the command that continues it; null while it works"),
    variables: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ title: "Mission session", description: ".meta/session.json, a view of where the mission stands." });

export type MissionSession = z.infer<typeof missionSession>;
