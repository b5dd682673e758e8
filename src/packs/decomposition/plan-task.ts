// Changing a plan after it was made (D20): the whole graph is checked with the change before a file is touched, and
// work that is done is kept.
import { join } from "node:path";
import { find, isProblem } from "../../core/answer.ts";
import { toCall } from "../../core/hint.ts";
import { recordIn } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { taskFile, taskOf } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { readText, remove, replaceFile } from "../../host/files.ts";
import { checkSources, fileOf, type Places, taskSources } from "./plan-files.ts";
import { type LoadedPlan, loadTasks, placesOf } from "./planning.ts";

interface TaskText {
  readonly id: string;
  readonly text: string;
}

/** What a change does to the plan: files that come or change, and files that go. */
interface Change {
  readonly put: readonly TaskText[];
  readonly drop: readonly string[];
  readonly reason?: string | undefined;
}

/** Which task is changed, and why, in a person's words. */
export interface Changed {
  readonly id: string;
  readonly reason?: string | undefined;
}

export async function addTasks(app: App, files: readonly string[]): Promise<LoadedPlan> {
  const put = files.map(readTask);
  await refuseKnown(app, put);
  return changePlan(app, { put, drop: [] });
}

async function refuseKnown(app: App, put: readonly TaskText[]): Promise<void> {
  const known = await app.look((run) => put.filter(({ id }) => run.tasks.get(id)).map(({ id }) => id));
  if (known.length === 0) return;
  throw new Refused(
    known.map((id) =>
      problem("task-exists", `task \`${id}\` is in the plan already`, {
        hint: toCall(`plan-task edit ${id} <file>`),
      }),
    ),
  );
}

export async function editTask(app: App, { id, reason }: Changed, file: string): Promise<LoadedPlan> {
  await mustKnow(app, id);
  const task = readTask(file);
  if (task.id !== id)
    throw new Refused([
      problem("wrong-task", `\`${file}\` defines task \`${task.id}\`, not \`${id}\``, {
        place: { file },
        hint: toCall(`plan-task edit ${task.id} ${file}`),
      }),
    ]);
  return changePlan(app, { put: [task], drop: [], reason });
}

/** What waited for the whole waits for all of its parts. */
export async function splitTask(
  app: App,
  { id, reason }: Changed,
  files: readonly string[],
): Promise<LoadedPlan> {
  await mustKnow(app, id);
  const parts = files.map(readTask);
  await refuseKnown(
    app,
    parts.filter((part) => part.id !== id),
  );
  const rewired = await rewire(
    app,
    id,
    parts.map((part) => part.id),
  );
  return changePlan(app, {
    put: [...parts, ...rewired],
    drop: parts.some((part) => part.id === id) ? [] : [id],
    reason,
  });
}

/** With `rewire`, what waited for it waits for what it waited for. */
export async function dropTask(
  app: App,
  id: string,
  options: { readonly rewire: boolean },
): Promise<LoadedPlan> {
  const { dependsOn, dependents } = await mustKnow(app, id);
  if (dependents.length > 0 && !options.rewire)
    throw new Refused([
      problem(
        "has-dependents",
        `task \`${id}\` cannot be dropped: ${dependents.slice(0, 8).join(", ")} wait for it`,
        {
          hint: toCall(`plan-task drop ${id} --rewire`),
        },
      ),
    ]);
  return changePlan(app, { put: await rewire(app, id, dependsOn), drop: [id] });
}

async function mustKnow(
  app: App,
  id: string,
): Promise<{ dependsOn: readonly string[]; dependents: readonly string[] }> {
  return app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    return { dependsOn: [...task.def.dependsOn], dependents: [...task.dependents] };
  });
}

function readTask(file: string): TaskText {
  const read = readText(file, 1024 * 1024);
  if ("problem" in read) throw new Refused([read.problem]);
  const id = recordIn(read.text)?.id;
  if (typeof id === "string" && /^T\d+$/.test(id)) return { id, text: read.text };
  throw new Refused([
    problem("bad-task", `\`${file}\` is not a task: it needs an \`id\` such as T012`, { place: { file } }),
  ]);
}

/** The files of the tasks that wait for `id`, with `others` in its place. */
async function rewire(app: App, id: string, others: readonly string[]): Promise<TaskText[]> {
  const dependents = await app.look((run) =>
    (run.tasks.get(id)?.dependents ?? []).map((each) => ({
      id: each,
      file: taskFile(run, taskOf(run, each).def),
    })),
  );
  return dependents.map(({ id: dependent, file }) => {
    const task = recordIn<{ dependencies?: { tasks?: string[] } }>(readTask(file).text) ?? {};
    const before = task.dependencies?.tasks ?? [];
    const tasks = [...new Set(before.flatMap((each) => (each === id ? others : [each])))];
    return {
      id: dependent,
      text: `${JSON.stringify({ ...task, dependencies: { ...task.dependencies, tasks } }, null, 2)}\n`,
    };
  });
}

/** Checked as a whole, then written, then loaded. A crash in between leaves files that `load-tasks` takes. */
export async function changePlan(app: App, { put, drop, reason }: Change): Promise<LoadedPlan> {
  const places = await placesOf(app);
  const problems = checkChange(places, { put, drop });
  if (problems.length > 0) throw new Refused(problems);
  await refuseRunning(app, [...put.map(({ id }) => id), ...drop]);
  const folder = fileOf(places, "tasks");
  for (const { id, text } of put) replaceFile(join(folder, `${id}.json`), text);
  for (const id of drop) remove(join(folder, `${id}.json`));
  return loadTasks(app, reason);
}

function checkChange(places: Places, { put, drop }: Change): readonly Problem[] {
  const folder = fileOf(places, "tasks");
  const changed = new Map(put.map(({ id, text }) => [join(folder, `${id}.json`), text]));
  const gone = new Set(drop.map((id) => join(folder, `${id}.json`)));
  const { sources, unreadable } = taskSources(folder);
  const kept = sources.filter(({ file }) => !changed.has(file) && !gone.has(file));
  const files = [...kept, ...[...changed].map(([file, text]) => ({ file, text }))];
  return [...unreadable, ...checkSources(places, files).problems];
}

async function refuseRunning(app: App, ids: readonly string[]): Promise<void> {
  const running = await app.look((run) => ids.filter((id) => run.running.includes(id)));
  if (running.length === 0) return;
  throw new Refused(
    running.map((id) =>
      problem("task-running", `task \`${id}\` is running`, {
        hint: ["wait for it, or: ", toCall(`state fail-task ${id} "replanned"`)],
      }),
    ),
  );
}
