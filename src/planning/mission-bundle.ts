// What the mission's roles are given, and no more than each needs: the executor its one task and summaries of the files
// that it concerns, never the plan or the tree (M4); the others the documents that they build on.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../core/parts.ts";
import { problem } from "../core/problem.ts";
import type { Json, Run, Task } from "../core/run.ts";
import { fileDigest } from "../host/digest.ts";
import { isThere, readText } from "../host/files.ts";
import { currentPhase, gapCount } from "../protocols/mission/protocol.ts";
import type { executorBundle } from "./executor-bundle.ts";
import { interfaceOf } from "./interfaces.ts";
import { loggingFor } from "./logging.ts";
import { artifactsIn, missionFile, readPlan } from "./mission-files.ts";
import { heddleCommand, schemaFile } from "./package.ts";
import type { Skill } from "./planning-bundle.ts";

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const stepBundle: typeof executorBundle = (run, task, order) => {
  const { target, result, skill, diff, red, socket } = order;
  const { id } = task.def;
  const planned = readPlan(missionFile(run, "plan"));
  if ("problems" in planned) return { problems: planned.problems };
  const step = planned.plan.tasks.find((each) => each.id === id);
  if (!step)
    return {
      problems: [problem("unknown-task", `task \`${id}\` is not in plan.json`, { hint: "heddle mission" })],
    };
  const { dependencies: _, ...own } = step;
  const plain = {
    version: "1.0",
    kind: "mission-task",
    role: "executor",
    task_id: id,
    target_dir: run.targetDir,
    task: own,
    files: step.files.map((path) => summaryOf(target, path)),
    logging: loggingFor("executor"),
  };
  const whole = {
    ...plain,
    target_dir: target,
    attempt: task.attempts,
    skill: skill.text,
    previous_attempt: previous(task, { diff, red }),
    answers: answersTo(run, id),
    execution: { result, workspace: target, socket, schema: schemaFile("mission-summary") },
  };
  return { text: text(whole), plain: text(plain) };
};

const mostOffered = 12;
const longestOffer = 120;

/** Of a file: whether it is there, how large it is, and what it offers. */
function summaryOf(target: string, path: string) {
  const read = readText(join(target, path), 1024 * 1024);
  if ("problem" in read) return { path, exists: isThere(join(target, path)) };
  const offers = interfaceOf(path, read.text);
  return {
    path,
    exists: true,
    bytes: Buffer.byteLength(read.text),
    lines: read.text.split("\n").length,
    ...(offers.length > 0 && {
      offers: offers.slice(0, mostOffered).map((line) => line.slice(0, longestOffer)),
      ...(offers.length > mostOffered && { and_more: offers.length - mostOffered }),
    }),
  };
}

function previous(
  { attempts, lastFailure }: Task,
  { diff, red }: { diff: string | null; red: readonly unknown[] },
) {
  if (!lastFailure) return null;
  const { category, error } = lastFailure;
  return { attempt: attempts - 1, category, error, diff, red };
}

/** What a person answered to it: the executor goes on from there (M5). */
function answersTo({ questions }: Run, about: string) {
  return questions
    .filter((each) => each.about === about && each.answer !== null)
    .map(({ id, text: question, answer }) => ({ id, question, answer }));
}

export interface MissionOrder {
  readonly job: Job;
  readonly role: string;
  readonly skill: Skill;
  readonly bundle: string;
  readonly output: string;
  /** A copy of the project as it is on the mission's branch. */
  readonly workspace: string;
  readonly previous?: string;
  readonly broken?: string;
}

const reads: Readonly<Record<string, readonly string[]>> = {
  researcher: ["context"],
  "mission-planner": ["context", "research"],
  verifier: ["plan"],
};

export function missionBundle(run: Run, order: MissionOrder): string {
  const { role, broken } = order;
  return roleBundle(run, order, {
    kind: "mission",
    protocol: "mission",
    current_phase: currentPhase(run),
    gap_count: gapCount(run),
    ...(broken === undefined && { inputs: inputsFor(run, order) }),
    ...(role === "verifier" && { evidence: evidenceOf(run) }),
  });
}

/** What every role is told that works in a copy of the project; `own` is what only this one is. */
export function roleBundle(run: Run, order: MissionOrder, own: object): string {
  const { job, role, skill, bundle, output, broken } = order;
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = problems[0]?.startsWith("nothing fresh lies at") ?? false;
  return text({
    version: "1.0",
    role,
    run: run.id,
    phase: run.phase,
    attempt: job.attempt,
    skill: skill.text,
    planning_dir: run.planningDir,
    target_dir: order.workspace,
    ...(broken !== undefined && { inputs: { broken: { path: broken }, schema: { path: schemaOf(job) } } }),
    ...own,
    output: {
      path: output,
      kind: "file",
      schema: schemaOf(job),
      check: `${heddleCommand()} check-output ${bundle}`,
    },
    makes: job.makes,
    directories_exist: true,
    logging: loggingFor(role),
    problems: broken === undefined ? problems : [],
    reminder: missed
      ? `write the output to ${output}: printing it, or writing it elsewhere, does not count`
      : null,
    answers: answersTo(run, job.role),
    ask: 'print {"type":"question","id":"…","text":"…","options":["…"]} as one line on standard output and stop, without writing the output',
    checksums: { skill: skill.digest },
  });
}

const schemaOf = ({ makes }: Job) => schemaFile(makes === "gap_tasks" ? "task" : `mission-${makes}`);

function inputsFor(run: Run, { role, previous: before }: MissionOrder): Record<string, Json> {
  const named = (path: string): Json => ({ path, sha256: fileDigest(path) });
  const there = (reads[role] ?? []).map((name) => [name, missionFile(run, name)] as const);
  const inputs = there
    .filter(([, path]) => isThere(path))
    .map(([name, path]) => [name, named(path)] as const);
  return {
    ...Object.fromEntries(inputs),
    ...(role === "verifier" && { summaries: summariesIn(run).map(named) }),
    ...(role === "mission-planner" && laterPlan(run, named)),
    ...(before !== undefined && { previous: { path: before, sha256: null } }),
  };
}

/** For a plan after another: what was planned, and what is missing or was reached. */
function laterPlan(run: Run, named: (path: string) => Json): Record<string, Json> {
  const [plan, verification] = [missionFile(run, "plan"), missionFile(run, "verification")];
  if (!run.artifacts.verification || !isThere(verification)) return {};
  return { executed_plan: named(plan), gaps: named(verification) };
}

function summariesIn(run: Run): string[] {
  const folder = artifactsIn(run);
  const names = isThere(folder) ? readdirSync(folder).sort() : [];
  return names.filter((name) => /^summary_.+\.json$/.test(name)).map((name) => join(folder, name));
}

/** What heddle itself ran and saw, task by task: no claim of anybody's. */
export function evidenceOf({ tasks }: Run): Json[] {
  return [...tasks.all()].map(({ def, state, commit, created, modified, evidence }) => ({
    task_id: def.id,
    state,
    commit,
    created,
    modified,
    checks: (evidence?.checks ?? []).map(({ command, ok, exit }) => ({ command, ok, exit })),
  }));
}
