// `heddle state adopt|restore|export`: what to do about a `state.json` that was edited, and the whole state as a file.
import { resolve } from "node:path";
import type { Command } from "../../../command/command.ts";
import { jsonIn } from "../../../core/json.ts";
import { replaceFile } from "../../../host/files.ts";
import { adoptEdit, withViewNoted } from "../../../keep/adopt.ts";
import { exportText } from "../../../view/export.ts";

export const adopt: Command = {
  name: "state adopt",
  summary: "take a hand-edited state.json over, as a recorded override",
  group: "state",
  flags: { reason: { about: "why", takes: "TEXT", text: true } },
  examples: ['heddle state adopt --reason "T003 was finished by hand"'],
  run: async ({ app, flags }) => {
    const adopted = await adoptEdit(await app(), flags.one("reason") ?? "");
    const lines = adopted.map(({ path, was, is }) => `  ${path}: ${was} -> ${is}`);
    return {
      text: [`Adopted ${adopted.length} change${adopted.length === 1 ? "" : "s"}`, ...lines].join("\n"),
      json: { adopted },
    };
  },
};

export const restore: Command = {
  name: "state restore",
  summary: "write state.json again from the journal, dropping what was edited",
  group: "state",
  examples: ["heddle state restore"],
  run: async ({ app }) => {
    const opened = await app();
    const was = await withViewNoted(opened, () => opened.restoreView());
    return { text: `Restored state.json (it was ${was === "none" ? "current" : was})`, json: { was } };
  },
};

export const exportState: Command = {
  name: "state export",
  summary: "write the whole state, every task and event, as one JSON document",
  group: "state",
  args: [{ name: "file", about: "where to; standard output without one", optional: true }],
  examples: ["heddle state export", "heddle state export state-full.json"],
  run: async ({ app, args: [file] }) => {
    const opened = await app();
    const entries = await opened.history();
    const text = await opened.look((run) => exportText(run, entries));
    if (file === undefined) return { text, json: jsonIn(text) };
    replaceFile(resolve(file), text);
    return { text: `Exported to ${resolve(file)}`, json: { file: resolve(file) } };
  },
};
