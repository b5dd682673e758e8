// What the mission's roles are given, and no more than each needs: the executor its one task and summaries of the files
// that it concerns, never the plan or the tree (M4); the others the documents that they build on.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { toCall } from "../../core/hint.ts";
import { wroteNothing } from "../../core/meanings/job.ts";
import { problem } from "../../core/problem.ts";
import type { EarlierTask } from "../../core/protocol.ts";
import type { Json, Run, Task } from "../../core/run.ts";
import type { Check, Job } from "../../core/run-parts.ts";
import { fileDigest } from "../../host/digest.ts";
import { isThere } from "../../host/files.ts";
import { readHandedIn } from "../../host/handed-in.ts";
import type { TaskContract, TreeOrder } from "../../orders/contract.ts";
import { baselineNotes } from "../../work/evidence/baseline-notes.ts";
import { interfaceOf } from "../../work/given/interfaces.ts";
import { loggingFor } from "../../work/given/logging.ts";
import { heddleCommand, schemaFile } from "../../work/package.ts";
import { earlierPlans, earlierTasks } from "./earlier.ts";
import { archiveOf, artifactsIn, missionFile, readPlan } from "./files.ts";
import { allowedBy, phaseMustHaves } from "./product.ts";
import { currentPhase, dueGeneration, gapCount } from "./protocol.ts";

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const stepBundle: TaskContract["bundle"] = (run, task, order) => {
  const { target, result, skill, diff, red, socket } = order;
  const { id } = task.def;
  const planned = readPlan(missionFile(run, "plan"));
  if ("problems" in planned) return { problems: planned.problems };
  const step = planned.plan.tasks.find((each) => each.id === id);
  if (!step)
    return {
      problems: [problem("unknown-task", `task \`${id}\` is not in plan.json`, { hint: toCall("mission") })],
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
    baseline: baselineNotes(run, task.def),
    execution: { result, workspace: target, socket, schema: schemaFile("mission-summary") },
  };
  return { text: text(whole), plain: text(plain) };
};

const mostOffered = 12;
const longestOffer = 120;

/** Of a file: whether it is there, how large it is, and what it offers. */
function summaryOf(target: string, path: string) {
  const read = readHandedIn(join(target, path), { most: 1024 * 1024, within: target, links: "inside" });
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
function answersTo({ questions }: Pick<Run, "questions">, about: string) {
  return questions
    .filter((each) => each.about === about && each.answer !== null)
    .map(({ id, text: question, answer }) => ({ id, question, answer }));
}

const reads: Readonly<Record<string, readonly string[]>> = {
  researcher: ["context"],
  "mission-planner": ["context", "research"],
  verifier: ["plan"],
};

/** `checks`: every command of the phase, as heddle ran it on the tree that is judged. */
export function missionBundle(run: Run, order: TreeOrder, checks: readonly Check[] | undefined): string {
  const { role, broken } = order;
  return roleBundle(run, order, {
    kind: "mission",
    protocol: "mission",
    current_phase: currentPhase(run),
    gap_count: gapCount(run),
    ...(broken === undefined && { inputs: inputsFor(run, order) }),
    ...(role === "verifier" && {
      must_haves: phaseMustHaves(run),
      evidence: [...earlierTasks(run).map(evidenceBefore), ...evidenceOf(run)],
      final_checks: finalChecks(checks ?? []),
    }),
    ...(role === "mission-planner" && { allowed: allowedBy(run), ...earlierCommands(run) }),
  });
}

/** Whoever plans again must break none of these: all of them are run on the final tree (M10). */
function earlierCommands(run: Run): object {
  const due = dueGeneration(run).split(".")[0];
  if (run.artifacts.plan?.content.generation?.toString().split(".")[0] !== due) return {};
  const before = [
    ...earlierTasks(run),
    ...[...run.tasks.all()].map(({ def: { id, name, criteria }, state }) => ({
      ...{ id, name, state },
      command: criteria[0]?.command ?? "",
    })),
  ];
  const stays = before
    .filter(({ state }) => state === "complete")
    .map(({ id, name, command }) => ({ task_id: id, title: name, command }));
  return stays.length === 0 ? {} : { must_stay_green: stays };
}

function evidenceBefore({ plan, id, ...seen }: EarlierTask): Json {
  return { plan, ...evidenceAs({ def: { id }, ...seen }) };
}

export const finalChecks = (checks: readonly Check[]) =>
  checks.map(({ criterion, command, ok, exit, note, excused }) => ({
    ...{ criterion, command, ok, exit, note },
    ...(excused !== undefined && { excused }),
  }));

/** What every role is told that works in a copy of the project; `own` is what only this one is. */
export function roleBundle(run: Run, order: TreeOrder, own: object): string {
  const { job, role, skill, bundle, output, broken } = order;
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = wroteNothing(run, job.role);
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
    reminder: missed ? `write the output to ${output}: what is written elsewhere does not count` : null,
    answers: answersTo(run, job.role),
    ask: 'print {"type":"question","id":"…","text":"…","options":["…"]} as one line on standard output and stop, without writing the output',
    checksums: { skill: skill.digest },
  });
}

const schemaOf = ({ makes }: Job) => schemaFile(makes === "gap_tasks" ? "task" : `mission-${makes}`);

function inputsFor(run: Run, { role, previous: before }: TreeOrder): Record<string, Json> {
  const named = (path: string): Json => ({ path, sha256: fileDigest(path) });
  const there = (reads[role] ?? []).map((name) => [name, missionFile(run, name)] as const);
  const inputs = there
    .filter(([, path]) => isThere(path))
    .map(([name, path]) => [name, named(path)] as const);
  return {
    ...Object.fromEntries(inputs),
    ...(role === "verifier" && {
      summaries: summariesIn(run).map(named),
      ...earlierFiles(run, named),
    }),
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

/** Those of earlier plans of the phase first (M11). */
function summariesIn(run: Run): string[] {
  const archives = earlierPlans(run).map(({ name }) => archiveOf(run, name));
  return [...archives, artifactsIn(run)].flatMap((folder) => {
    const names = isThere(folder) ? readdirSync(folder).sort() : [];
    return names.filter((name) => /^summary_.+\.json$/.test(name)).map((name) => join(folder, name));
  });
}

function earlierFiles(run: Run, named: (path: string) => Json): Record<string, Json> {
  const plans = earlierPlans(run).map(({ name }) => join(archiveOf(run, name), "plan.json"));
  const there = plans.filter(isThere);
  return there.length === 0 ? {} : { earlier_plans: there.map(named) };
}

/** What heddle itself ran and saw, task by task: no claim of anybody's. */
export function evidenceOf({ tasks }: Run): Json[] {
  return [...tasks.all()].map(evidenceAs);
}

type Witnessed = Pick<Task, "state" | "commit" | "created" | "modified" | "evidence"> & {
  readonly def: { readonly id: string };
};

function evidenceAs({ def, state, commit, created, modified, evidence }: Witnessed) {
  const checks = (evidence?.checks ?? []).map(({ command, ok, exit, before }) => ({
    ...{ command, ok, exit },
    ...(before && { before }),
  }));
  return { task_id: def.id, state, commit, created, modified, checks };
}
