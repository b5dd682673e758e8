// From a numbered requirement to what proves it (D23): the behaviours of the map that stand for it, the tasks that make
// those, their criteria, and what heddle saw when it ran them. Nothing is guessed: a link is an id that somebody wrote, or a
// quotation that stands in the requirement's own words.
import type { Check } from "../../../core/run-parts.ts";
import { quoteOf } from "../../../protocols/fields.ts";
import type { Capability } from "../artifacts/capability-map.ts";
import type { TaskFile } from "../artifacts/task-file.ts";
import { plain } from "./quotation.ts";
import { requirementsOf } from "./spec-coverage.ts";
import { type Requirement, requirementIds } from "./specification.ts";

/** `proven`: every task that it has is done, and heddle saw a command of each go from red, or unknown, to green. */
export type Standing = "proven" | "unproven" | "open" | "without task";

export interface TracedCriterion {
  readonly criterion: string;
  readonly command: string;
  /** `green before`: it was green without the work, and proves nothing. */
  readonly evidence: "green" | "green before" | "excused" | "red" | "none";
  readonly log: string | null;
}

export interface TracedTask {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly behaviours: readonly string[];
  readonly criteria: readonly TracedCriterion[];
}

export interface TracedRequirement {
  readonly id: string;
  readonly text: string;
  readonly line: number;
  readonly standing: Standing;
  readonly behaviours: readonly { readonly id: string; readonly name: string }[];
  readonly tasks: readonly TracedTask[];
}

/** How far a task has come, as the run knows it. */
export interface Progress {
  readonly status: string;
  readonly isDone: boolean;
  readonly checks: readonly Check[];
}

export interface Plan {
  readonly requirements: readonly Requirement[];
  readonly capabilities: readonly Capability[];
  readonly tasks: readonly TaskFile[];
  readonly progress: (id: string) => Progress | undefined;
}

export function trace({ requirements, capabilities, tasks, progress }: Plan): TracedRequirement[] {
  const capabilityQuotes = capabilities.map(({ spec_ref }) => quoted(spec_ref));
  const taskQuotes = tasks.map(({ context }) => quoted(context?.spec_ref));
  const named = tasks.map((task) => new Set(requirementsOf(task)));
  return requirements
    .filter(({ excluded }) => !excluded)
    .map((requirement) => {
      const behaviours = capabilities.flatMap(({ behaviors }, at) =>
        isAbout(requirement, capabilityQuotes[at]) ? behaviors : [],
      );
      const ids = new Set(behaviours.map(({ id }) => id));
      const its = tasks.filter(
        ({ behaviors }, at) =>
          named[at]?.has(requirement.id) ||
          isAbout(requirement, taskQuotes[at]) ||
          behaviors.some((id) => ids.has(id)),
      );
      const traced = its.map((task) => tracedTask(task, progress(task.id)));
      return {
        id: requirement.id,
        text: requirement.text,
        line: requirement.sourceLine,
        standing: standingOf(traced, its, progress),
        behaviours: behaviours.map(({ id, name }) => ({ id, name })),
        tasks: traced,
      };
    });
}

interface Quoted {
  readonly text: string;
  readonly ids: ReadonlySet<string>;
}

function quoted(reference: Parameters<typeof quoteOf>[0] | undefined): Quoted | undefined {
  if (reference === undefined) return undefined;
  const quote = quoteOf(reference);
  return { text: plain(quote), ids: new Set(requirementIds(quote)) };
}

/** One with ids is about those; any other is a part of the requirement's words, or holds all of them. */
function isAbout({ id, text }: Requirement, quote: Quoted | undefined): boolean {
  if (!quote || quote.text === "") return false;
  if (quote.ids.size > 0) return quote.ids.has(id);
  const words = plain(text);
  return words.includes(quote.text) || (words !== "" && quote.text.includes(words));
}

function tracedTask(task: TaskFile, progress: Progress | undefined): TracedTask {
  return {
    id: task.id,
    name: task.name,
    status: progress?.status ?? "not loaded",
    behaviours: task.behaviors,
    criteria: task.acceptance_criteria.map(({ criterion, verification }) => {
      const check = progress?.checks.find(({ command }) => command === verification);
      return { criterion, command: verification, evidence: evidenceOf(check), log: check?.log ?? null };
    }),
  };
}

function evidenceOf(check: Check | undefined): TracedCriterion["evidence"] {
  if (!check) return "none";
  if (!check.ok) return check.excused === undefined ? "red" : "excused";
  return check.before === "green" ? "green before" : "green";
}

function standingOf(
  traced: readonly TracedTask[],
  tasks: readonly TaskFile[],
  progress: Plan["progress"],
): Standing {
  if (traced.length === 0) return "without task";
  if (tasks.some(({ id }) => progress(id)?.isDone !== true)) return "open";
  const isShown = ({ criteria }: TracedTask) => criteria.some(({ evidence }) => evidence === "green");
  return traced.every(isShown) ? "proven" : "unproven";
}

/** What is not covered when a plan is done: without a task, or done without anything that shows it. */
export function notProven(traced: readonly TracedRequirement[]): readonly TracedRequirement[] {
  return traced.filter(({ standing }) => standing === "without task" || standing === "unproven");
}
