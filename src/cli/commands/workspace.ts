// `heddle workspace ls|rm`: what failed attempts left behind.

import { type Command, Usage } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import type { OpenWorkspace } from "../../keep/workspaces.ts";
import { bytes, elapsed } from "../../view/amount.ts";
import type { Manner } from "../../view/hint.ts";
import { oneLine } from "../../view/safe.ts";
import { cut } from "../../view/width.ts";

export const list: Command = {
  name: "workspace ls",
  summary: "list the workspaces that are still there: size, age, why the attempt failed",
  group: "look",
  examples: ["heddle workspace ls", "heddle workspace ls --json"],
  run: async ({ app, manner }) => {
    const { workspaces } = await import("../../keep/workspaces.ts");
    const all = await workspaces(await app());
    const { width } = terminal();
    const now = Date.now();
    const text =
      all.length === 0
        ? "no workspace is left"
        : [...all.flatMap((each) => lines(each, now)), summary(all, manner)]
            .map((line) => cut(line, width))
            .join("\n");
    return { text, json: all };
  },
};

function lines({ name, bytes: size, changedMs, inUse, why, path }: OpenWorkspace, now: number): string[] {
  const age = elapsed(now - changedMs);
  const head = `${oneLine(name).padEnd(8)} ${bytes(size).padStart(8)} ${age.padStart(7)}  ${inUse ? "in use" : oneLine(why).slice(0, 200)}`;
  return [head, `         ${oneLine(path)}`];
}

function summary(all: readonly OpenWorkspace[], manner: Manner): string {
  const total = all.reduce((sum, { bytes: size }) => sum + size, 0);
  const free = all.filter(({ inUse }) => !inUse);
  const hint = free.length > 0 ? `\nhint: ${manner("workspace rm --all")} removes those not in use` : "";
  return `${all.length} workspace${all.length === 1 ? "" : "s"}, ${bytes(total)}${hint}`;
}

export const remove: Command = {
  name: "workspace rm",
  summary: "remove workspaces that are not in use; what the attempt said and showed is kept",
  group: "keep",
  args: [
    { name: "workspace", about: "a name as `heddle workspace ls` shows it", optional: true, many: true },
  ],
  flags: { all: { about: "every one that is not in use" } },
  examples: ["heddle workspace rm T003-1", "heddle workspace rm --all"],
  run: async ({ app: open, args, flags }) => {
    if (args.length > 0 === flags.has("all"))
      throw new Usage(
        problem(
          "missing-argument",
          "`heddle workspace rm` needs names of workspaces, or `--all`, and not both",
          {
            hint: toCall("workspace ls"),
          },
        ),
      );
    const { removeWorkspaces, workspaces } = await import("../../keep/workspaces.ts");
    const app = await open();
    const names = flags.has("all")
      ? (await workspaces(app)).filter(({ inUse }) => !inUse).map(({ name }) => name)
      : [...new Set(args)];
    const removed = await removeWorkspaces(app, names);
    const total = removed.reduce((sum, { bytes: size }) => sum + size, 0);
    return {
      text: `removed ${removed.length} workspace${removed.length === 1 ? "" : "s"}, ${bytes(total)}`,
      json: { removed: removed.map(({ name }) => name), bytes: total },
    };
  },
};
