// A planning bundle: what a role is given, and no more than it needs. It holds the skill itself, so an agent reads one
// file; it names the absolute output path, the command to check it, and what was wrong the last time (D17, D18).
import { join } from "node:path";
import type { Question } from "../core/parts.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Json } from "../core/run.ts";
import { fileDigest } from "../host/digest.ts";
import { isThere, readText } from "../host/files.ts";
import { type Makes, outputKinds } from "./check-output.ts";
import { forTheRole } from "./for-the-role.ts";
import { loggingFor } from "./logging.ts";
import { heddleCommand, packageDir } from "./package.ts";
import { fileOf, type Places, readTaskFiles } from "./plan-files.ts";

export interface RoleOrder {
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
  "logic-architect": ["spec"],
  "physical-architect": ["spec", "capability_map"],
  "task-author": ["spec", "capability_map", "physical_map"],
  "task-plan-verifier": ["spec", "capability_map", "physical_map", "tasks"],
  "plan-auditor": ["capability_map", "tasks"],
};

const wantsPreferences = new Set(["task-author", "task-plan-verifier"]);

const schemas: Readonly<Record<Makes, string>> = {
  capability_map: "capability-map",
  physical_map: "physical-map",
  tasks: "task",
  task_validation: "task-validation",
  order: "task",
  verification: "mission-verification",
  gap_tasks: "task",
};

export function planningBundle(order: RoleOrder, skill: Skill) {
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
    constraints: { tech_stack: order.metadata.tech_stack ?? null },
    project_context: role === "fixer" ? null : context,
    preferences: wantsPreferences.has(role) ? order.preferences : [],
    output: {
      path: output,
      kind: outputKinds[makes],
      schema: schemaPath(makes),
      check: `${heddleCommand()} check-output ${order.bundle}`,
    },
    makes,
    directories_exist: true,
    logging: loggingFor(role),
    problems: order.problems,
    ...(role === "task-plan-verifier" && { warnings: oddTasks(places) }),
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
}: RoleOrder): Record<string, { path: string; sha256: string | null }> {
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

export interface Skill {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** The project's own skill for a role, or ours. */
export function skillOf(role: string, heddleDir: string): Skill | Problem {
  const own = join(heddleDir, "roles", role, "SKILL.md");
  const path = isThere(own) ? own : join(packageDir(), "roles", role, "SKILL.md");
  const read = readText(path, 256 * 1024);
  if ("text" in read) return { path, text: read.text, digest: fileDigest(path) ?? "" };
  return problem("no-skill", `there is no skill for role \`${role}\``, {
    place: { file: path },
    hint: `write ${own}`,
  });
}

function readContext({ planningDir }: Places): unknown {
  const read = readText(join(planningDir, "artifacts/project-context.json"), 1024 * 1024);
  try {
    return "text" in read ? JSON.parse(read.text) : null;
  } catch {
    return null;
  }
}

function schemaPath(makes: Makes): string {
  return join(packageDir(), "schemas", `${schemas[makes]}.schema.json`);
}
