// A run that is made of a person's own list (X28): begun, found again, and brought up to a list that changed. It needs no
// specification, no maps and no verdict: its way of planning is the list itself.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Input } from "../../../core/input.ts";
import { recordIn } from "../../../core/json.ts";
import { type Run, taskFile, taskOf } from "../../../core/run.ts";
import { discoverProject } from "../../../discovery/discover.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { chooseBegun } from "../../../engine/chosen.ts";
import { foldersOf, runFolder } from "../../../engine/paths.ts";
import { textDigest } from "../../../host/digest.ts";
import { makeFolder, readText, remove, replaceFile } from "../../../host/files.ts";
import { isAncestor } from "../../../host/git/integrate.ts";
import { tipOf } from "../../../host/git/repository.ts";
import { repositoryOf } from "../../../orders/target-repository.ts";
import { type TaskFile, taskSchema } from "../artifacts/task-file.ts";
import { definition, planDigest, taskDigest } from "../plan-files.ts";
import { decomposition } from "../protocol.ts";
import type { TaskList } from "./read-list.ts";
import { taskFilesOf } from "./task-files.ts";

export interface Given {
  readonly list: TaskList;
  /** Where the list was read from; nothing for sentences from the command line. */
  readonly file: string | undefined;
  readonly target: string;
  /** What `--check` said. */
  readonly check: string | undefined;
  readonly unchecked: boolean;
  /** Also what an earlier run of this list has done. */
  readonly again: boolean;
}

export interface Begun {
  readonly run: string;
  readonly how: "begun" | "goes-on" | "changed" | "done";
  readonly tasks: number;
  /** Done by the run before, and left out. */
  readonly leftOut: number;
  /** The command that checks every task without its own, where there is such a task. */
  readonly check: string | undefined;
  readonly unchecked: number;
}

interface Earlier {
  readonly id: string;
  readonly isDone: boolean;
  readonly digest: string;
}

const metadataOf = ({ file, list }: Given) => ({
  list: listName({ file, list }),
  list_digest: digestOf(list),
});

/** The same file, or the same sentences, mean the same run. */
function listName({ file, list }: Pick<Given, "file" | "list">): string {
  return file ?? `words:${digestOf(list).slice(0, 16)}`;
}

function digestOf({ tasks }: TaskList): string {
  return textDigest(JSON.stringify(tasks));
}

/** Finds out what checks each task, and refuses what nothing does, before there is a run or a project. */
export async function settleChecks(given: Given): Promise<Settled> {
  const settled = { ...given, ...(await checkFor(given)) };
  filesOf(settled, new Map());
  return settled;
}

/** A list and what checks it. */
export interface Settled extends Given {
  readonly lacking: boolean;
}

function filesOf(given: Settled, known: ReadonlyMap<string, string>): readonly TaskFile[] {
  const made = taskFilesOf(given.list, {
    checks: given.check === undefined ? [] : [given.check],
    unchecked: given.unchecked,
    exists: (path) => existsSync(join(given.target, path)),
    known,
  });
  if ("problems" in made) throw new Refused(made.problems);
  // As it is read back from its file: a digest counts the order of keys.
  return made.tasks.map((task) => taskSchema(task).parse(task));
}

/** Makes the run that the list asks for, or finds it; the app is about it from then on. */
export async function beginList(app: App, given: Settled): Promise<Begun> {
  const earlier = await earlierRun(app, given);
  const goesOn = earlier && !earlier.isDone;
  if (goesOn) app.choosing({ run: earlier.id });
  const all = filesOf(given, goesOn ? await tasksOf(app) : new Map());
  const about = {
    tasks: all.length,
    leftOut: 0,
    check: given.lacking ? given.check : undefined,
    unchecked: all.filter((task) => task.unchecked).length,
  };
  if (goesOn) {
    const changed = await bringUp(app, given, all);
    return { run: earlier.id, how: changed ? "changed" : "goes-on", ...about };
  }
  const done = earlier && !given.again ? await doneBy(app, earlier.id) : new Set<string>();
  const tasks = withoutDone(all, done);
  const leftOut = all.length - tasks.length;
  if (earlier && tasks.length === 0) {
    app.choosing({ run: earlier.id });
    return { run: earlier.id, how: "done", ...about, leftOut };
  }
  const run = await create(app, given, tasks);
  return { run, how: "begun", ...about, tasks: tasks.length, leftOut };
}

async function earlierRun(app: App, given: Given): Promise<Earlier | undefined> {
  const name = listName(given);
  const runs = (await app.journal.runs()).filter((run) => !run.archived && run.protocol === "decomposition");
  for (const { id, phase } of runs.reverse()) {
    const { metadata, targetDir } = await app.journal.read(id, (run) => ({
      metadata: run.metadata,
      targetDir: run.targetDir,
    }));
    if (metadata.list !== name || targetDir !== given.target) continue;
    return { id, isDone: phase === "complete", digest: String(metadata.list_digest ?? "") };
  }
  return undefined;
}

/** `--check`, or the project's own test command; looked for only where a task has no check of its own. */
async function checkFor({ list, check, target, unchecked }: Given): Promise<{
  readonly check: string | undefined;
  readonly lacking: boolean;
}> {
  const lacking = list.tasks.some((task) => task.checks.length === 0 && !task.unchecked);
  if (check !== undefined || !lacking || unchecked) return { check, lacking };
  const found = await discoverProject(target);
  if ("code" in found) return { check: undefined, lacking };
  const tests = found.commands.filter(({ purpose }) => purpose === "test");
  return { check: (tests.find(({ declared }) => declared) ?? tests[0])?.run, lacking };
}

/** The tasks of the run, by their words. */
async function tasksOf(app: App): Promise<Map<string, string>> {
  return app.look(
    (run) => new Map([...run.tasks.all()].map(({ def }) => [wordsOf(run, def.id), def.id] as const)),
  );
}

function wordsOf(run: Run, id: string): string {
  const read = readText(taskFile(run, taskOf(run, id).def), 1024 * 1024);
  const task = "text" in read ? recordIn<Partial<TaskFile>>(read.text) : undefined;
  return task?.description ?? taskOf(run, id).def.name;
}

const workOf = ({ description, acceptance_criteria, files, unchecked }: Partial<TaskFile>) =>
  JSON.stringify([
    description,
    acceptance_criteria?.map(({ verification }) => verification),
    files?.map(({ path }) => path),
    unchecked === true,
  ]);

async function doneBy(app: App, id: string): Promise<Set<string>> {
  const files = await app.journal.read(id, (run) =>
    [...run.tasks.all()].filter(({ state }) => state === "complete").map(({ def }) => taskFile(run, def)),
  );
  return new Set(
    files.flatMap((file) => {
      const read = readText(file, 1024 * 1024);
      const task = "text" in read ? recordIn<Partial<TaskFile>>(read.text) : undefined;
      return task ? [workOf(task)] : [];
    }),
  );
}

/** What waited for a task that is done waits for it no longer. */
function withoutDone(tasks: readonly TaskFile[], done: ReadonlySet<string>): TaskFile[] {
  const left = tasks.filter((task) => !done.has(workOf(task)));
  const ids = new Set(left.map(({ id }) => id));
  return left.map((task) => {
    const before = task.dependencies?.tasks?.filter((id) => ids.has(id)) ?? [];
    const { dependencies: _, ...rest } = task;
    return before.length > 0 ? { ...rest, dependencies: { tasks: before } } : rest;
  });
}

const fileText = (task: TaskFile) => `${JSON.stringify(task, null, 2)}\n`;

/** Files and run in one: what a crash leaves of the first is written over by the next beginning. */
async function create(app: App, given: Given, tasks: readonly TaskFile[]): Promise<string> {
  const folderOf = (run: string) => runFolder(app.paths, decomposition, run);
  const prepare = (run: string) => {
    for (const folder of foldersOf(decomposition)) makeFolder(join(folderOf(run), folder));
    for (const task of tasks) replaceFile(join(folderOf(run), "tasks", `${task.id}.json`), fileText(task));
  };
  const inputs = (run: string): Input[] => {
    const planningDir = folderOf(run);
    return [
      { kind: "create", targetDir: given.target, planningDir, metadata: metadataOf(given) },
      { kind: "set", values: { way: "list" } },
      ...planInputs(planningDir, tasks),
      { kind: "advance", digests: {} },
    ];
  };
  const { run } = await app.create("decomposition", inputs, { prepare });
  await chooseBegun(app, run);
  return run;
}

function planInputs(planningDir: string, tasks: readonly TaskFile[]): [Input, Input] {
  return [
    { kind: "load-plan", tasks: tasks.map((task) => definition(task, `${task.id}.json`)) },
    {
      kind: "register",
      artifact: "tasks",
      path: join(planningDir, "tasks"),
      digest: planDigest(tasks.map(taskDigest)) ?? "",
      ...{ inputs: {}, valid: true, problems: [], content: {} },
    },
  ];
}

/** A task whose words or checks changed starts anew; the others keep what they have. */
async function bringUp(app: App, given: Given, tasks: readonly TaskFile[]): Promise<boolean> {
  const folder = await app.look((run) => join(run.planningDir, "tasks"));
  const texts = new Map(tasks.map((task) => [`${task.id}.json`, fileText(task)]));
  const before = await app.look((run) => [...run.tasks.all()].map(({ def }) => `${def.id}.json`));
  const gone = before.filter((name) => !texts.has(name));
  const put = [...texts].filter(([name, text]) => {
    const read = readText(join(folder, name), 1024 * 1024);
    return !("text" in read) || read.text !== text;
  });
  if (gone.length === 0 && put.length === 0) return false;
  const [load, register] = planInputs(dirname(folder), tasks);
  const work = () => {
    for (const [name, text] of put) replaceFile(join(folder, name), text);
    for (const name of gone) remove(join(folder, name));
    return [];
  };
  await app.submitWith(load, { look: () => undefined, work });
  await app.submit(register);
  await app.submit({ kind: "describe", metadata: metadataOf(given) });
  return true;
}

/** Branches of complete runs of this target that the person's branch does not have: a new run begins without them. */
export async function unmergedBefore(app: App): Promise<string[]> {
  const now = await app.run();
  const target = await app.look((run) => run.targetDir);
  const repository = await repositoryOf(app);
  const { head } = repository;
  if (repository.isPrivate || head === null) return [];
  const left: string[] = [];
  for (const { id, archived, phase, protocol } of await app.journal.runs()) {
    if (id === now || archived || protocol !== decomposition.name || phase !== "complete") continue;
    const found = await app.journal.read(id, (run) => ({ branch: run.branch, target: run.targetDir }));
    if (!found.branch || found.target !== target) continue;
    const isThere = (await tipOf(repository, found.branch.name)) === found.branch.tip;
    if (isThere && !(await isAncestor(repository, found.branch.tip, head))) left.push(found.branch.name);
  }
  return left;
}
