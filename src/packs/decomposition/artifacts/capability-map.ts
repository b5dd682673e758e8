// artifacts/capability-map.json: what the specification asks for, as domains, capabilities and behaviours, and the
// flows that run through them. What must hold beyond this shape is in `check-capability-map.ts`.
import * as z from "zod";
import {
  behaviourId,
  capabilityId,
  count,
  domainId,
  flowId,
  name,
  specRef,
  version,
} from "../../../protocols/fields.ts";

const behaviour = z.looseObject({
  id: behaviourId,
  name,
  type: z
    .enum(["input", "process", "state", "output"])
    .describe(
      "input: validate, parse, authenticate; process: calculate, decide, transform; state: read or write what lasts; output: respond, emit, notify",
    ),
  description: z.string().optional(),
  no_flow_reason: z
    .string()
    .optional()
    .describe("why no flow has this behaviour as a step; needed when none has"),
});

const capability = z.looseObject({
  id: capabilityId,
  name,
  spec_ref: specRef.optional(),
  behaviors: z.array(behaviour).min(1),
});

const flow = z.looseObject({
  id: flowId,
  name,
  is_steel_thread: z
    .boolean()
    .optional()
    .describe("true for exactly one flow: the thinnest path through the whole system"),
  steps: z.array(
    z.looseObject({
      order: z.number().optional(),
      behavior_id: behaviourId,
      description: z.string().optional(),
    }),
  ),
});

const excludedPhase = z.looseObject({
  phase: z.union([z.number(), z.string()], { error: "must be a number or a name" }),
  heading: z.string().describe("as the specification has it"),
  location: z.string().optional(),
  summary: z.string(),
});

export const capabilityMap = z
  .looseObject({
    version: version(1),
    spec_checksum: z.string().optional(),
    domains: z.array(z.looseObject({ id: domainId, name, capabilities: z.array(capability) })).min(1),
    flows: z.array(flow),
    coverage: z
      .looseObject({
        total_requirements: count.optional(),
        covered_requirements: count.optional(),
        gaps: z.array(z.unknown()).optional().describe("one entry for each requirement that is not covered"),
      })
      .optional(),
    phase_filtering: z.looseObject({
      active_phase: z.literal(1),
      excluded_phases: z.array(excludedPhase).describe("every section of the specification that is left out"),
      total_excluded_requirements: count.optional(),
    }),
  })
  .meta({
    title: "Capability map",
    description: "artifacts/capability-map.json, written by the logic-architect.",
  });

export type CapabilityMap = z.infer<typeof capabilityMap>;
export type Capability = z.infer<typeof capability>;
