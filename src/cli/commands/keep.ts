// Keeping what there is: the activity log, backups, and plans that come from elsewhere.
import { resolve } from "node:path";
import type { Command } from "../../command/command.ts";
import { logLine } from "../../engine/log.ts";

const levels = ["INFO", "WARN", "ERROR"] as const;

export const log: Command = {
  name: "log",
  summary: "append a line to the activity logs",
  group: "keep",
  args: [
    { name: "level", about: "a level", choices: levels },
    { name: "agent", about: "who says it", text: true },
    { name: "event", about: "start, decision, tool, complete, warning, error …", text: true },
    { name: "message", about: "what to say", many: true, text: true },
  ],
  examples: ['heddle log INFO task-executor decision "Map instead of object: ids may be __proto__"'],
  run: ({ root, args: [level = "INFO", agent = "", event = "", ...words] }) => {
    const line = logLine(root, {
      level: level as (typeof levels)[number],
      agent,
      event,
      message: words.join(" "),
    });
    return { json: line };
  },
};

export const backup: Command = {
  name: "backup",
  summary: "copy the journal into one file and prove the copy",
  group: "keep",
  args: [{ name: "file", about: "where to" }],
  examples: ["heddle backup ../heddle-backup.db"],
  run: async ({ app, args: [file = ""] }) => {
    const { backUp } = await import("../../keep/backup.ts");
    const { facts } = await backUp(await app(), resolve(file));
    return { text: `Backed up ${facts} facts to ${resolve(file)}`, json: { file: resolve(file), facts } };
  },
};

export const restore: Command = {
  name: "restore",
  summary: "put a backup in the journal's place, after proving it; what was there is kept aside",
  group: "keep",
  args: [{ name: "file", about: "a backup" }],
  examples: ["heddle restore ../heddle-backup.db"],
  run: async ({ root, packs, journals, args: [file = ""] }) => {
    const { restoreBackup } = await import("../../keep/backup.ts");
    const { facts, aside } = await restoreBackup({ root, packs, journals }, resolve(file));
    const kept = aside === null ? "" : `\nwhat was there is at ${aside}`;
    return { text: `Restored ${facts} facts from ${resolve(file)}${kept}`, json: { facts, aside } };
  },
};
