// The common course of a check: parse, schema, then what the schema cannot say. All problems come back at once.
// Every `check-…` of a single file goes through here; `check-tasks.ts` has its own course, for speed.
import type * as z from "zod";
import type { Problem } from "../core/problem.ts";
import { parseDocument, type Source } from "./document.ts";
import { schemaProblems } from "./schema-problem.ts";
import { rootOf, type Spot } from "./spot.ts";

export interface Checked<T> {
  readonly problems: readonly Problem[];
  /** What is unwise, or only looks wrong: it keeps nothing from being used. */
  readonly warnings: readonly Problem[];
  /** Only when there is no problem. */
  readonly value: T | undefined;
}

/** Ids that are known: a set, or a map by id. */
export interface Known {
  readonly size: number;
  has(id: string): boolean;
  keys(): Iterable<string>;
}

/** Also sees documents of the wrong shape, so that one reply names everything there is to fix. */
type Rule = (root: Spot) => readonly Problem[];

export interface Rules {
  readonly wrong: Rule;
  readonly unwise: Rule;
}

const nothing: Rule = () => [];

export function checkArtifact<T>(
  schema: z.ZodType<T>,
  source: Source,
  rules: Rule | Rules = nothing,
): Checked<T> {
  const { wrong, unwise } = typeof rules === "function" ? { wrong: rules, unwise: nothing } : rules;
  const document = parseDocument(source.file, source.text);
  if ("problems" in document) return refused(document.problems);
  const early = document.text.length > LARGE ? schema.safeParse(startOf(document.value)) : undefined;
  if (early?.success === false) return refused(schemaProblems(document, early.error.issues));
  const parsed = schema.safeParse(document.value);
  const shape = parsed.success ? [] : schemaProblems(document, parsed.error.issues);
  const root = rootOf(document);
  const problems = shape.concat(wrong(root)).sort(byLine);
  const warnings = unwise(root).toSorted(byLine);
  return { problems, warnings, value: parsed.success && problems.length === 0 ? parsed.data : undefined };
}

function refused(problems: readonly Problem[]): Checked<never> {
  return { problems, warnings: [], value: undefined };
}

const LARGE = 1024 * 1024;
const SAMPLE = 1000;

/**
 * A schema keeps every fault in memory until it is done: a few megabytes of the wrong thing take all there is. A large
 * file of the wrong kind is wrong from the start, so the start of each list is tried first.
 */
function startOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SAMPLE).map(startOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, startOf(item)]));
}

function byLine(a: Problem, b: Problem): number {
  return (a.place?.line ?? 0) - (b.place?.line ?? 0);
}
