// What the coder says when it stops. The code itself is what heddle finds in the workspace; this only says whether
// there is any, and if not, who is to change what.
import * as z from "zod";
import { text } from "../../../protocols/fields.ts";

export const codeResult = z
  .looseObject({
    status: z
      .enum(["done", "scope_mismatch", "plan_unclear"])
      .describe("done; the plan cannot be kept to; the plan can be read in two ways"),
    summary: text,
    reasons: z.array(text).optional().describe("for everything but `done`: what is wrong with the plan"),
  })
  .meta({ title: "Code result", description: "What the coder hands in beside its changes." });

export type CodeResult = z.infer<typeof codeResult>;
