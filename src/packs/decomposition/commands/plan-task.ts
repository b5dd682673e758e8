// `heddle plan-task`: changing a plan after it was made (D20). `heddle allow`: a person lets a fault of it stand, and the
// journal says who, when and why (D22).
import { resolve } from "node:path";
import { type Command, type Flags, type Reply, Usage } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { allowedIn } from "../../../core/policy.ts";
import { closest, problem } from "../../../core/problem.ts";
import { Refused } from "../../../engine/app.ts";
import { oneLine } from "../../../view/safe.ts";
import type { LoadedPlan } from "../planning.ts";

const id = { name: "id", about: "a task id" } as const;
const file = { name: "file", about: "a task file" } as const;

const reason = { reason: { about: "why, kept in the journal", takes: "TEXT", text: true } } as const;

/** Nothing where none was given, or an empty one. */
const reasonIn = (flags: Flags) => flags.one("reason")?.trim() || undefined;

function reply(what: string, { tasks, added, changed, dropped, warnings }: LoadedPlan): Reply {
  const text = `${what}: ${tasks} tasks (${added} new, ${changed} changed, ${dropped} gone)`;
  return { text, json: { tasks, added, changed, dropped, warnings: warnings.map(({ message }) => message) } };
}

export const add: Command = {
  name: "plan-task add",
  old: true,
  summary: "add tasks to the plan, after checking the whole graph with them",
  group: "run",
  args: [{ ...file, many: true }],
  examples: ["heddle plan-task add T025.json"],
  run: async ({ app, args }) => {
    const { addTasks } = await import("../plan-task.ts");
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
  old: true,
  summary: "replace a task's definition; a changed task starts over",
  group: "run",
  args: [id, file],
  flags: reason,
  examples: [
    "heddle plan-task edit T012 new-T012.json",
    'heddle plan-task edit T012 new-T012.json --reason "the format changed"',
  ],
  run: async ({ app, args: [task = "", path = ""], flags }) => {
    const { editTask } = await import("../plan-task.ts");
    return reply("Edited", await editTask(await app(), { id: task, reason: reasonIn(flags) }, resolve(path)));
  },
};

export const split: Command = {
  name: "plan-task split",
  old: true,
  summary: "put several tasks in one task's place; what waited for it waits for all of them",
  group: "run",
  args: [id, { ...file, many: true }],
  flags: reason,
  examples: ["heddle plan-task split T012 T012a.json T025.json"],
  run: async ({ app, args: [task = "", ...files], flags }) => {
    const { splitTask } = await import("../plan-task.ts");
    return reply(
      "Split",
      await splitTask(
        await app(),
        { id: task, reason: reasonIn(flags) },
        files.map((each) => resolve(each)),
      ),
    );
  },
};

export const drop: Command = {
  name: "plan-task drop",
  old: true,
  summary: "take a task out of the plan",
  group: "run",
  args: [id],
  flags: { rewire: { about: "what waited for it waits for what it waited for" } },
  examples: ["heddle plan-task drop T012 --rewire"],
  run: async ({ app, args: [task = ""], flags }) => {
    const { dropTask } = await import("../plan-task.ts");
    return reply("Dropped", await dropTask(await app(), task, { rewire: flags.has("rewire") }));
  },
};

export const allow: Command = {
  name: "allow",
  summary:
    "let a fault of the plan stand, with a recorded reason; without arguments, list what can be allowed",
  group: "steer",
  args: [
    { name: "fault", about: "its code, such as empty-command", optional: true },
    { name: "reason", about: "why", optional: true, many: true, text: true },
  ],
  flags: { revoke: { about: "let it count again" } },
  examples: [
    "heddle allow",
    'heddle allow empty-command "T003 only renames"',
    "heddle allow empty-command --revoke",
  ],
  run: async ({ app, args: [code, ...words], flags }) => {
    const { allowable } = await import("../checks/task-gate.ts");
    const codes = Object.keys(allowable);
    const opened = await app();
    if (code !== undefined) {
      if (!codes.includes(code)) throw new Refused([unknown(code, codes)]);
      const reason = words.join(" ").trim();
      if (!flags.has("revoke") && reason === "")
        throw new Usage(
          problem("no-reason", "an override needs a reason", { hint: toCall(`allow ${code} "<why>"`) }),
        );
      await opened.submit({ kind: "allow", code, reason: flags.has("revoke") ? null : reason });
    }
    const allowed = await opened.look((run) => allowedIn(run.metadata));
    const lines = Object.entries(allowable).map(([name, about]) => {
      const why = allowed[name];
      return `${name.padEnd(24)} ${why === undefined ? `an error: ${about}` : `allowed: ${oneLine(why)}`}`;
    });
    return { text: lines.join("\n"), json: { allowed, allowable } };
  },
};

function unknown(code: string, codes: readonly string[]) {
  const meant = closest(code, codes);
  return problem("unknown-fault", `\`${code}\` cannot be allowed`, {
    hint: meant ? `did you mean \`${meant}\`?` : toCall("allow"),
  });
}

/** The same under the name of the family: `plan-task` is the older spelling. */
const asTask = (command: Command): Command => ({
  ...command,
  old: false,
  name: command.name.replace("plan-task", "task"),
  examples: command.examples.map((example) => example.replace("plan-task", "task")),
});

export const taskAdd = asTask(add);
export const taskEdit = asTask(edit);
export const taskSplit = asTask(split);
export const taskDrop = asTask(drop);
