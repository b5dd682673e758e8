// Evals beside a skill: tasks with checks, in `evals/*.json`. Each has a `prompt`, the `files` that it begins with, and
// `checks` on what the agent leaves: shell commands, files, and what its answer says. Here they are read and compared;
// `evaluate.ts` runs them.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { jsonIn } from "../../../core/json.ts";
import { readIfThere } from "../../../host/files.ts";

const check = z.union([
  z.string().min(1),
  z.strictObject({ command: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ answer_contains: z.string().min(1) }),
]);

const one = z.looseObject({
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  prompt: z.string().min(1),
  /** Relative to the skill's folder. */
  files: z.array(z.string()).default([]),
  checks: z.array(check).default([]),
  /** In words, as skill-creator has them: only an agent could grade them, and heddle does not. */
  expectations: z.unknown().optional(),
});

export type EvalCheck = z.infer<typeof check>;
export interface Eval {
  readonly id: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly checks: readonly EvalCheck[];
}

export interface Evals {
  readonly all: readonly Eval[];
  /** Files that could not be used, and what of them is not measured. */
  readonly notes: readonly string[];
}

/** Nothing when there is no folder `evals/` with such a file. */
export function readEvals(skillFolder: string): Evals {
  const folder = join(skillFolder, "evals");
  const all: Eval[] = [];
  const notes: string[] = [];
  for (const name of namesIn(folder)) {
    const value = jsonIn(readIfThere(join(folder, name)));
    const list = Array.isArray(value)
      ? value
      : ((value as { evals?: unknown } | undefined)?.evals ?? [value]);
    const read = z.array(one).safeParse(list);
    if (!read.success) {
      notes.push(`evals/${name} has no list of evals with a \`prompt\` each`);
      continue;
    }
    for (const [at, each] of read.data.entries()) {
      const id = `${name.replace(/\.json$/, "")}-${each.id ?? at + 1}`.replace(/[^\w.-]/g, "-").slice(0, 60);
      if (each.checks.length > 0)
        all.push({ id, prompt: each.prompt, files: each.files, checks: each.checks });
    }
    notes.push(...unmeasured(name, read.data));
  }
  return { all, notes };
}

function unmeasured(name: string, evals: readonly z.infer<typeof one>[]): string[] {
  const unchecked = evals.filter(({ checks }) => checks.length === 0).length;
  const inWords = (given: unknown) => (Array.isArray(given) ? given.length : 0);
  const words = evals
    .filter(({ checks }) => checks.length > 0)
    .reduce((sum, { expectations }) => sum + inWords(expectations), 0);
  const whole = evals.length;
  return [
    ...(unchecked > 0
      ? [
          `evals/${name}: ${unchecked} of ${whole} task${whole === 1 ? "" : "s"} without \`checks\`: heddle runs commands and looks for files and words, and grades no expectation in prose`,
        ]
      : []),
    ...(words > 0
      ? [
          `evals/${name}: ${words} expectation${words === 1 ? "" : "s"} in prose not graded, only the \`checks\``,
        ]
      : []),
  ];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

/** How often the evals passed, run by run. */
export interface Evaluated {
  readonly evals: number;
  /** For each run of all of them, how many passed. */
  readonly passed: readonly number[];
}

function meanOf({ evals, passed }: Evaluated): number {
  return passed.reduce((sum, each) => sum + each, 0) / Math.max(1, passed.length * evals);
}

/** The standard deviation of the share that passed, over the runs. */
function spreadOf({ evals, passed }: Evaluated): number {
  if (passed.length < 2 || evals === 0) return 0;
  const mean = meanOf({ evals, passed });
  const sum = passed.reduce((all, each) => all + (each / evals - mean) ** 2, 0);
  return Math.sqrt(sum / (passed.length - 1));
}

/** Lower by more than the error of the difference between the two means: what is within it may be chance. */
export function isWorse(before: Evaluated, after: Evaluated): boolean {
  const variance = (each: Evaluated) => spreadOf(each) ** 2 / Math.max(1, each.passed.length);
  return meanOf(before) - meanOf(after) > Math.sqrt(variance(before) + variance(after));
}

export function evalLine(before: Evaluated, after: Evaluated): string {
  const said = (each: Evaluated) =>
    `${Math.round(100 * meanOf(each))} % ± ${Math.round(100 * spreadOf(each))}`;
  const runs = after.passed.length;
  return `evals ${said(before)} -> ${said(after)} (${after.evals} task${after.evals === 1 ? "" : "s"}, ${runs} run${runs === 1 ? "" : "s"} each)`;
}
