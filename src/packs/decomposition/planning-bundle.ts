// A planning bundle: what a role is given, and no more than it needs. It holds the skill itself, so an agent reads one
// file; it names the absolute output path, the command to check it, and what was wrong the last time (D17, D18).
import { join } from "node:path";
import { jsonIn } from "../../core/json.ts";
import type { Json } from "../../core/run.ts";
import type { Question } from "../../core/run-parts.ts";
import { fileDigest } from "../../host/digest.ts";
import { readText } from "../../host/files.ts";
import { forTheRole } from "../../work/given/for-the-role.ts";
import { loggingFor } from "../../work/given/logging.ts";
import type { Skill } from "../../work/given/skill.ts";
import { heddleCommand, packageDir } from "../../work/package.ts";
import { kindOf } from "../../work/product.ts";
import type { Makes } from "./check-output.ts";
import { constraintsFor } from "./constraints.ts";
import { fileOf, type Places, readTaskFiles, specOf } from "./plan-files.ts";
import { pointsOf } from "./review/points.ts";

export interface PlanningOrder {
  readonly places: Places;
  readonly heddleDir: string;
  readonly run: string;
  readonly phase: string;
  readonly role: string;
  readonly makes: Makes;
  readonly attempt: number;
  readonly output: string;
  readonly bundle: string;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly problems: readonly string[];
  readonly reminder: string | null;
  readonly answers: readonly Question[];
  readonly preferences: readonly { readonly path: string; readonly text: string }[];
  readonly broken?: string;
  /** A copy of the refused output of the attempt before. */
  readonly previous?: string;
}

/** What each role reads. */
const reads: Readonly<Record<string, readonly string[]>> = {
  "spec-reviewer": ["spec"],
  "logic-architect": ["spec"],
  "physical-architect": ["spec", "capability_map"],
  "task-author": ["spec", "capability_map", "physical_map"],
  "task-plan-verifier": ["spec", "capability_map", "physical_map", "tasks"],
  "plan-auditor": ["capability_map", "tasks"],
};

const wantsPreferences = new Set(["task-author", "task-plan-verifier"]);

const schemas: Readonly<Record<Makes, string>> = {
  spec_review: "spec-review",
  capability_map: "capability-map",
  physical_map: "physical-map",
  tasks: "task",
  task_validation: "task-validation",
  order: "task",
  verification: "mission-verification",
  gap_tasks: "task",
};

export function planningBundle(order: PlanningOrder, skill: Skill) {
  const { role, makes, places, output, answers } = order;
  const context = readContext(places);
  return {
    version: "1.0",
    kind: "planning",
    role,
    run: order.run,
    phase: order.phase,
    attempt: order.attempt,
    skill: skill.text,
    planning_dir: places.planningDir,
    target_dir: places.targetDir,
    project_type: order.metadata.project_type ?? "new",
    inputs: inputsFor(order),
    constraints: constraintsFor(places, order.metadata),
    project_context: role === "fixer" ? null : context,
    preferences: wantsPreferences.has(role) ? order.preferences : [],
    output: {
      path: output,
      kind: kindOf(makes),
      schema: schemaPath(makes),
      check: `${heddleCommand()} check-output ${order.bundle}`,
    },
    makes,
    allowed: places.allowed ?? [],
    directories_exist: true,
    logging: loggingFor(role),
    problems: order.problems,
    ...(role === "task-plan-verifier" && { warnings: oddTasks(places) }),
    ...(role === "spec-reviewer" && { found: pointsOf(specOf(places) ?? "") }),
    reminder: order.reminder,
    answers: answers.map(({ text, answer }) => ({ question: text, answer })),
    ask: 'print {"type":"question","id":"…","text":"…","options":["…"]} as one line on standard output and stop, without writing the output',
    checksums: { skill: skill.digest },
  };
}

const mostWarnings = 100;

/** What heddle's own checks found odd but not wrong: for the judge to look at. */
function oddTasks(places: Places): string[] {
  const { warnings } = readTaskFiles(places).checked;
  return warnings.slice(0, mostWarnings).map(forTheRole);
}

function inputsFor({
  role,
  places,
  broken,
  makes,
  previous,
}: PlanningOrder): Record<string, { path: string; sha256: string | null }> {
  const named = (path: string) => ({ path, sha256: fileDigest(path) });
  if (role === "fixer" && broken !== undefined)
    return { broken: named(broken), schema: named(schemaPath(makes)) };
  const gaps = makes === "gap_tasks" ? { tasks: "tasks", gaps: "verification" } : {};
  const read = Object.entries({
    ...Object.fromEntries((reads[role] ?? []).map((name) => [name, name])),
    ...gaps,
  });
  const inputs = Object.fromEntries(read.map(([name, file]) => [name, named(fileOf(places, file))]));
  return previous === undefined ? inputs : { ...inputs, previous: { path: previous, sha256: null } };
}

function readContext({ planningDir }: Places): unknown {
  const read = readText(join(planningDir, "artifacts/project-context.json"), 1024 * 1024);
  return ("text" in read ? jsonIn(read.text) : undefined) ?? null;
}

function schemaPath(makes: Makes): string {
  return join(packageDir(), "schemas", `${schemas[makes]}.schema.json`);
}
