// `heddle plan-task`: changing a plan after it was made (D20).
import { resolve } from "node:path";
import type { LoadedPlan } from "../../engine/planning.ts";
import type { Command, Reply } from "../command.ts";

const id = { name: "id", about: "a task id" } as const;
const file = { name: "file", about: "a task file" } as const;

function reply(what: string, { tasks, added, changed, dropped, warnings }: LoadedPlan): Reply {
  const text = `${what}: ${tasks} tasks (${added} new, ${changed} changed, ${dropped} gone)`;
  return { text, json: { tasks, added, changed, dropped, warnings: warnings.map(({ message }) => message) } };
}

export const add: Command = {
  name: "plan-task add",
  summary: "add tasks to the plan, after checking the whole graph with them",
  group: "run",
  args: [{ ...file, many: true }],
  examples: ["heddle plan-task add T025.json"],
  run: async ({ app, args }) => {
    const { addTasks } = await import("../../engine/plan-task.ts");
    return reply(
      "Added",
      await addTasks(
        await app(),
        args.map((each) => resolve(each)),
      ),
    );
  },
};

export const edit: Command = {
  name: "plan-task edit",
  summary: "put another definition in a task's place; it starts anew when it changed",
  group: "run",
  args: [id, file],
  examples: ["heddle plan-task edit T012 new-T012.json"],
  run: async ({ app, args: [task = "", path = ""] }) => {
    const { editTask } = await import("../../engine/plan-task.ts");
    return reply("Edited", await editTask(await app(), task, resolve(path)));
  },
};

export const split: Command = {
  name: "plan-task split",
  summary: "put several tasks in one task's place; what waited for it waits for all of them",
  group: "run",
  args: [id, { ...file, many: true }],
  examples: ["heddle plan-task split T012 T012a.json T025.json"],
  run: async ({ app, args: [task = "", ...files] }) => {
    const { splitTask } = await import("../../engine/plan-task.ts");
    return reply(
      "Split",
      await splitTask(
        await app(),
        task,
        files.map((each) => resolve(each)),
      ),
    );
  },
};

export const drop: Command = {
  name: "plan-task drop",
  summary: "take a task out of the plan",
  group: "run",
  args: [id],
  flags: { rewire: { about: "what waited for it waits for what it waited for" } },
  examples: ["heddle plan-task drop T012 --rewire"],
  run: async ({ app, args: [task = ""], flags }) => {
    const { dropTask } = await import("../../engine/plan-task.ts");
    return reply("Dropped", await dropTask(await app(), task, { rewire: flags.has("rewire") }));
  },
};
