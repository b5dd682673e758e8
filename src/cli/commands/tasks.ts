// `heddle tasks`: every task of the run in a line, whatever the size of the plan.
import { statuses, type Task, type TaskStatus } from "../../core/run.ts";
import { statusOf } from "../../core/task.ts";
import type { App } from "../../engine/app.ts";
import { oneLine } from "../../view/safe.ts";
import { cut } from "../../view/width.ts";
import type { Command } from "../command.ts";
import { terminal } from "../terminal.ts";
import { list } from "./task.ts";

export const tasks: Command = {
  name: "tasks",
  summary: "list the tasks, in a line each",
  group: "look",
  flags: { status: { about: "only these", takes: "STATUS", choices: statuses } },
  examples: ["heddle tasks", "heddle tasks --status failed", "heddle tasks --json"],
  run: async (call) => {
    const { app, flags } = call;
    const only = flags.one("status") as TaskStatus | undefined;
    const opened = await (await app()).preferring("decomposition", "mission");
    if (await isOfTasksAlone(opened)) return list.run(call);
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
    return { text: lines.length > 0 ? lines.join("\n") : none, json: rows };
  },
};

/** Where there is no plan, the tasks are those of `heddle task`. */
async function isOfTasksAlone({ journal }: App): Promise<boolean> {
  const protocols = (await journal.runs()).filter(({ archived }) => !archived).map((run) => run.protocol);
  return (
    protocols.includes("lifecycle") && !protocols.some((each) => ["decomposition", "mission"].includes(each))
  );
}

const rowOf = (task: Task) => ({
  id: task.def.id,
  status: statusOf(task),
  name: task.def.name,
  attempts: task.attempts,
  depends_on: task.def.dependsOn,
});
