// `heddle undo`: shows one task's change, and takes it back.

import { type Call, type Command, exits, type Reply } from "../../command/command.ts";
import { landAgain } from "../../command/landing.ts";
import { canAsk, prompts } from "../../command/terminal/prompts.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import { type App, Refused } from "../../engine/app.ts";
import type { Undoing } from "../../keep/undo.ts";
import { hintText, type Manner } from "../../view/hint.ts";
import { oneLine, safe } from "../../view/safe.ts";

export const undo: Command = {
  name: "undo",
  summary: "show one task's change, and take it back on the integration branch",
  brief: "take back what a task changed",
  group: "steer",
  args: [{ name: "task", about: "a task id" }],
  flags: {
    yes: { about: "do not ask" },
    force: { about: "although complete tasks depend on it" },
    reason: { about: "why, for the history", takes: "TEXT" },
  },
  examples: ["heddle undo T007", 'heddle undo T007 --yes --reason "wrong library"'],
  run: async (call) => {
    const { args, flags } = call;
    const app = await call.app();
    const { undoing } = await import("../../keep/undo.ts");
    const what = await undoing(app, args[0] ?? "");
    call.say(safe(described(what, call.manner)));
    if (what.completed.length > 0 && !flags.has("force"))
      throw new Refused([
        problem(
          "depended-on",
          `${what.task} cannot go alone: ${listed(what.completed)} rest on it and are complete`,
          {
            hint: [
              toCall(`undo ${what.completed.at(-1)}`),
              " first, or ",
              toCall(`undo ${what.task} --force`),
            ],
          },
        ),
      ]);
    if (!flags.has("yes") && !(await agreed(call, what))) return notDone(call, what);
    return takeBack(call, app, what);
  },
};

const shownLines = 60;

function described({ task, name, files, diff, waiting, landed }: Undoing, manner: Manner): string {
  const lines = diff.split("\n");
  const more =
    lines.length > shownLines
      ? [`… ${lines.length - shownLines} more lines: ${manner(`undo ${task} --json`)}`]
      : [];
  return [
    `${task}  ${oneLine(name)}`,
    ...files.map(
      ({ path, status, added, removed }) => `  ${status.padEnd(8)} ${oneLine(path)}  +${added} -${removed}`,
    ),
    "",
    ...lines.slice(0, shownLines),
    ...more,
    ...(waiting.length > 0 ? [`${listed(waiting)} will be blocked until it is done again or skipped`] : []),
    ...(landed ? ["it has landed: your checkout is brought back as well, if it is clean"] : []),
  ].join("\n");
}

const listed = (ids: readonly string[]) =>
  ids.length <= 8 ? ids.join(", ") : `${ids.slice(0, 8).join(", ")} and ${ids.length - 8} more`;

async function agreed(call: Call, { task }: Undoing): Promise<boolean> {
  return canAsk(call) && (await prompts(call)).confirm(`Take back what ${task} changed?`);
}

function notDone(call: Call, what: Undoing): Reply {
  const text = canAsk(call)
    ? "nothing was changed"
    : `nothing was changed\nhint: ${call.manner(`undo ${what.task} --yes`)}`;
  return { text, json: { undone: false, ...what }, exit: exits.refused };
}

async function takeBack(call: Call, app: App, what: Undoing): Promise<Reply> {
  const { undo: carryOut } = await import("../../keep/undo.ts");
  const commit = await carryOut(app, what, call.flags.one("reason") ?? "taken back by a person");
  const again = what.landed ? await landAgain(call, app) : null;
  const lines = [
    `undone: ${what.task} by ${commit.slice(0, 12)}`,
    ...(again ? [again.text] : []),
    `hint: ${hintText([{ do: "retry-task", task: what.task }, " has it done again; ", { do: "skip-task", task: what.task }, " leaves it out"], call.manner)}`,
  ];
  return {
    text: lines.join("\n"),
    json: { undone: true, ...what, by: commit, landing: again?.landing ?? null },
  };
}
