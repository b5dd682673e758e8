// `heddle tasks`: every task of the run in a line, whatever the size of the plan.

import type { Command } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { statuses, type Task, type TaskStatus } from "../../core/run.ts";
import { statusOf } from "../../core/task.ts";
import type { App } from "../../engine/app.ts";
import { packs } from "../../packs/packs.ts";
import { oneLine } from "../../view/safe.ts";
import { cut } from "../../view/width.ts";

const withTasks = packs.filter((pack) => pack.hasTasks).map(({ name }) => name);

export const tasks: Command = {
  name: "tasks",
  summary: "list the tasks, in a line each",
  group: "look",
  flags: { status: { about: "only these", takes: "STATUS", choices: statuses } },
  examples: ["heddle tasks", "heddle tasks --status failed", "heddle tasks --json"],
  run: async (call) => {
    const { app, flags } = call;
    const only = flags.one("status") as TaskStatus | undefined;
    const opened = await (await app()).preferring(...withTasks);
    const list = await listOfRuns(opened);
    if (list) return list.run(call);
    const rows = await opened.look((run) =>
      [...run.tasks.all()]
        .filter((task) => only === undefined || statusOf(task) === only)
        .map(rowOf)
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    const { width } = terminal();
    const lines = rows.map(({ id, status, name, depends_on: waits }) => {
      const tail = status === "pending" && waits.length > 0 ? `  after ${waits.join(", ")}` : "";
      return cut(`${oneLine(id)}  ${status.padEnd(8)}  ${oneLine(name)}${tail}`, width);
    });
    const none = only === undefined ? "no tasks yet" : `no task is ${only}`;
    const single = only === undefined ? await singleTasks(opened) : [];
    const text = [...(lines.length > 0 ? lines : [none]), ...single.map((line) => cut(line, width))];
    return { text: text.join("\n"), json: rows };
  },
};

/** Runs that are tasks themselves, beside a plan: one list shows both. */
async function singleTasks({ journal, packs: known, paths }: App): Promise<string[]> {
  const single = packs.filter(({ runsAsTasks }) => runsAsTasks).map(({ name }) => name);
  const open = (await journal.runs()).filter(
    ({ archived, protocol }) => !archived && single.includes(protocol),
  );
  for (const { protocol } of open) await known.load(protocol, paths.heddle);
  return Promise.all(
    open.map(({ id }) =>
      journal.read(id, ({ phase, metadata }) => {
        const [brief = ""] = String(metadata.brief ?? "").split("\n");
        return `${id}  ${phase.padEnd(8)}  ${oneLine(brief)}`;
      }),
    ),
  );
}

/** Where no run has tasks, the tasks are the runs of a protocol that is about single ones. */
async function listOfRuns({ journal }: App): Promise<Command | undefined> {
  const protocols = (await journal.runs()).filter(({ archived }) => !archived).map((run) => run.protocol);
  if (protocols.some((each) => withTasks.includes(each))) return undefined;
  return packs.find(({ name, runsAsTasks }) => runsAsTasks && protocols.includes(name))?.runsAsTasks?.();
}

const rowOf = (task: Task) => ({
  id: task.def.id,
  status: statusOf(task),
  name: task.def.name,
  attempts: task.attempts,
  depends_on: task.def.dependsOn,
});
