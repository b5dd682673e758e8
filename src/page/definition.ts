// A task's definition as a person edits or splits it on the page: what the form begins with, and the task files that come of it, which
// the commands `task edit` and `task split` are given.
import { readJson, recordIn } from "../core/json.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import type { Run, Task, TaskId } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import type { Action, Order } from "./model.ts";

/** Larger ones are edited as files. */
const mostText = 40_000;

/** `text`: the task's file. */
export function definitionActions(run: Run, task: Task, text: string): Action[] {
  const { id } = task.def;
  const isOpen = ["pending", "blocked", "failed"].includes(statusOf(task));
  const found = recordIn(text);
  if (!isOpen || !found || text.length > mostText) return [];
  const whole = `${JSON.stringify(found, null, 2)}\n`;
  const name = typeof found.name === "string" ? found.name : id;
  const parts = [
    { ...found, name: `${name} (1 of 2)` },
    { ...found, id: freeId(run, id), name: `${name} (2 of 2)` },
  ];
  return [
    {
      ...{ do: "edit", label: "Edit", words: "required", asks: "the task as JSON", task: id },
      ...{ command: `heddle task edit ${id} <file>`, text: whole },
    },
    {
      ...{
        do: "split",
        label: "Split",
        words: "required",
        asks: "the tasks in its place, as a list",
        task: id,
      },
      ...{ command: `heddle task split ${id} <file>…`, text: `${JSON.stringify(parts, null, 2)}\n` },
    },
  ];
}

/** As long as the other one: `T0042` beside `T0007`. */
function freeId(run: Run, { length }: TaskId): TaskId {
  const numbers = Array.from(run.tasks.all(), ({ def }) => Number(/^T(\d+)$/.exec(def.id)?.[1] ?? 0));
  const next = numbers.reduce((most, each) => Math.max(most, each), 0) + 1;
  return `T${String(next).padStart(length - 1, "0")}`;
}

export interface TaskText {
  readonly id: TaskId;
  readonly text: string;
}

/** What an order puts in a task's place. */
export function definitionsIn({ do: what, task = "", words = "" }: Order): readonly TaskText[] | Problem {
  const read = readJson(words, { maxDepth: 30 });
  if ("fault" in read) return problem("bad-task", `this is not JSON: ${read.fault.message}`);
  const all = what === "split" ? read.value : [read.value];
  if (!Array.isArray(all) || (what === "split" && all.length < 2))
    return problem("bad-task", "a task is split into a list of two or more tasks", {
      hint: "[{ … }, { … }]",
    });
  const tasks: TaskText[] = [];
  for (const each of all) {
    const found = taskText(each);
    if (isProblem(found)) return found;
    tasks.push(found);
  }
  const twice = tasks.find(({ id }, at) => tasks.findIndex((each) => each.id === id) !== at);
  if (twice)
    return problem("bad-task", `two of the tasks are \`${twice.id}\``, {
      hint: "give each an `id` of its own",
    });
  if (what === "edit" && tasks[0]?.id !== task)
    return problem("wrong-task", `this defines \`${tasks[0]?.id}\`, not \`${task}\``, {
      hint: `"id": "${task}"`,
    });
  return tasks;
}

function taskText(value: unknown): TaskText | Problem {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : undefined;
  if (typeof id === "string" && /^T\d{1,9}$/.test(id))
    return { id, text: `${JSON.stringify(value, null, 2)}\n` };
  return problem("bad-task", "a task needs an `id` such as T012", { hint: '"id": "T012"' });
}
