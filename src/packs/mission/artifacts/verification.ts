// artifacts/verification.json: what became of the phase, held against what must be true (M7).
import * as z from "zod";
import { text } from "../../../protocols/fields.ts";
import { phaseId } from "./plan.ts";

const look = z.looseObject({
  claim: text.describe("a `truth` of the plan's must_haves, word for word, or another claim"),
  verdict: z.enum(["pass", "fail"]),
  evidence: text.describe("what was seen, and where"),
});

const gap = z.looseObject({
  description: text,
  suggested_task: z.union([text, z.looseObject({})]).nullish(),
});

export const missionVerification = z
  .looseObject({
    phase_id: phaseId.optional(),
    passed: z.boolean().describe("true exactly when every check passes"),
    checks: z.array(look).min(1),
    gaps: z.array(gap).optional().describe("what is missing; needed when it did not pass"),
  })
  .meta({ title: "Verification", description: "artifacts/verification.json, written by the verifier." });

export type MissionVerification = z.infer<typeof missionVerification>;
