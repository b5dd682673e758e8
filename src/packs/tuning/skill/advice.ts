// What an agent answers to an action: `{stateUpdates, outputFiles, summary}` (S11). Nothing of it counts before its
// shape is right; a path that the action does not own is refused, and everything wrong is said at once, so that the
// same agent can be asked again.
import * as z from "zod";
import { categories } from "./categories.ts";

const names = Object.keys(categories) as [string, ...string[]];

const dimension = z.strictObject({
  description: z.string().min(3).max(500),
  keywords: z.array(z.string()).max(20).default([]),
  inferred_category: z.enum([...names, "unknown"]),
  confidence: z.number().min(0).max(1),
  /** What else it may mean; with two it is asked about. */
  possible: z.array(z.enum(names)).max(9).default([]),
  reasoning: z.string().max(1000).default(""),
});

const severity = z.enum(["critical", "high", "medium", "low"]);

const analysis = z.strictObject({
  root_causes: z
    .array(
      z.strictObject({
        description: z.string().min(3).max(2000),
        severity,
        file: z.string().max(500).optional(),
        line: z.number().int().min(1).optional(),
        evidence: z.string().max(2000).default(""),
      }),
    )
    .max(50),
  recommendations: z
    .array(
      z.strictObject({ action: z.string().min(3).max(2000), rationale: z.string().max(2000).default("") }),
    )
    .max(50)
    .default([]),
});

const edit = z.strictObject({
  pattern: z.string(),
  file: z.string(),
  old: z.string().min(1),
  new: z.string(),
  reason: z.string().max(500).default(""),
});

const verdict = z.strictObject({
  key: z.string().max(100),
  verdict: z.enum(["confirmed", "rejected"]),
  /** Words of the skill, as they stand there. */
  quotation: z.string().max(2000).default(""),
  reason: z.string().max(1000).default(""),
});

function answering<T extends z.ZodType>(path: string, value: T) {
  return z.looseObject({
    stateUpdates: z.strictObject({ [path]: value }),
    outputFiles: z.array(z.string()).default([]),
    summary: z.string().min(1).max(1000),
  });
}

const path = {
  dimensions: "requirement_analysis.dimensions",
  analysis: "gemini_analysis.result",
  edits: "proposed_fixes.edits",
  verdicts: "verdicts",
} as const;

const shapes = {
  dimensions: answering(path.dimensions, z.array(dimension).min(1).max(12)),
  analysis: answering(path.analysis, analysis),
  edits: answering(path.edits, z.array(edit).max(50)),
  verdicts: answering(path.verdicts, z.array(verdict).max(200)),
};

export type Dimension = z.infer<typeof dimension>;
export type Analysis = z.infer<typeof analysis>;
export type Verdict = z.infer<typeof verdict>;
export type AgentEdit = z.infer<typeof edit>;

export interface Advice {
  readonly dimensions?: readonly Dimension[];
  readonly analysis?: Analysis;
  readonly edits?: readonly AgentEdit[];
  readonly verdicts?: readonly Verdict[];
  /** What the agent said of it, in a line. */
  readonly summary: string;
}

/** The advice, or what is wrong with it. */
export function readAdvice(kind: keyof typeof path, answer: unknown): Advice | readonly string[] {
  const { success, data, error } = shapes[kind].safeParse(answer);
  if (success) return { [kind]: data.stateUpdates[path[kind]], summary: data.summary.replace(/\s+/g, " ") };
  return error.issues
    .slice(0, 20)
    .map(({ path: at, message }) => `${at.join(".") || "the answer"}: ${message}`);
}
