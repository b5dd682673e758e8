// artifacts/research.json: what the plan must know, found out once (M2).
import * as z from "zod";
import { text } from "../../../protocols/fields.ts";
import { phaseId } from "./plan.ts";

const finding = z.looseObject({
  topic: text,
  findings: z.union([text, z.array(text).min(1)]),
  constraints: z.array(text).optional(),
});

export const missionResearch = z
  .looseObject({
    phase_id: phaseId.optional(),
    knowledge: z.array(finding).min(1),
    recommendations: z.array(text).optional(),
    risks: z.array(text).optional(),
  })
  .meta({ title: "Research", description: "artifacts/research.json, written by the researcher." });

export type MissionResearch = z.infer<typeof missionResearch>;
