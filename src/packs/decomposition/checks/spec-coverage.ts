// Which numbered requirements of the specification have a task (D21). Requirements of later phases are listed, and
// count neither as covered nor as gaps.
import * as z from "zod";
import { count, quoteOf, time } from "../../../protocols/fields.ts";
import type { TaskFile } from "../artifacts/task-file.ts";
import { type Requirement, requirementIds } from "./specification.ts";

const listed = z.looseObject({ id: z.string(), text: z.string(), source_line: z.int().min(1) });

export const specCoverageReport = z
  .looseObject({
    requirements: z.array(listed.extend({ covered_by: z.array(z.string()) })),
    coverage_pct: z.number().min(0).max(100).describe("one decimal; 100 when there is nothing to cover"),
    covered_count: count,
    total_count: count,
    uncovered: z.array(z.string()),
    excluded: z.array(listed).optional().describe("requirements of later phases"),
    computed_at: time.optional(),
  })
  .meta({
    title: "Specification coverage",
    description: "what `heddle spec-coverage` prints, written by heddle.",
  });

export type SpecCoverage = z.infer<typeof specCoverageReport>;

type Covering = Pick<TaskFile, "id" | "context">;

export function specCoverage(requirements: readonly Requirement[], tasks: readonly Covering[]): SpecCoverage {
  const coveredBy = new Map<string, Set<string>>(requirements.map(({ id }) => [id, new Set()]));
  for (const task of tasks) for (const id of requirementsOf(task)) coveredBy.get(id)?.add(task.id);
  const active = requirements
    .filter((requirement) => !requirement.excluded)
    .map((requirement) => ({
      ...entry(requirement),
      covered_by: [...(coveredBy.get(requirement.id) ?? [])],
    }));
  const uncovered = active.filter(({ covered_by }) => covered_by.length === 0).map(({ id }) => id);
  const covered = active.length - uncovered.length;
  return {
    requirements: active,
    coverage_pct: active.length === 0 ? 100 : Math.round((covered / active.length) * 1000) / 10,
    covered_count: covered,
    total_count: active.length,
    uncovered,
    excluded: requirements.filter(({ excluded }) => excluded).map(entry),
  };
}

function entry({ id, text, sourceLine }: Requirement) {
  return { id, text, source_line: sourceLine };
}

/** The ids that a task names, in its list or in what it quotes. */
export function requirementsOf({ context }: Covering): string[] {
  const named = (context?.spec_requirements ?? []).map(
    (id) => requirementIds(id)[0] ?? id.trim().toUpperCase(),
  );
  return context?.spec_ref === undefined ? named : [...named, ...requirementIds(quoteOf(context.spec_ref))];
}
