// `heddle report`: what an execution did, with the evidence (X19); of one task, the way it took and who overrode what (C9).
import { resolve } from "node:path";
import type { Command } from "../../command/command.ts";
import { replaceFile } from "../../host/files.ts";
import { covered, packs } from "../../packs/packs.ts";
import type { ReportFormat } from "../../packs/reports.ts";

/** Of several runs: one with tasks rather than one about documents, and none that goes on beside the work. */
const ofWork = [
  ...packs.filter((pack) => pack.hasTasks),
  ...packs.filter((pack) => !pack.hasTasks && !pack.isBeside),
].map(({ name }) => name);

export const report: Command = {
  name: "report",
  summary:
    "show what an execution or a task did: evidence, differences, attempts, overrides, cost, and what is left",
  group: "look",
  args: [{ name: "task", about: "which task or run; the plan's unless said", optional: true }],
  flags: {
    format: { about: "how", takes: "FORMAT", choices: ["md", "json", "html"], byHand: true },
    out: { about: "write it to this file", takes: "FILE", byHand: true },
  },
  examples: ["heddle report", "heddle report task-1", "heddle report --format html --out report.html"],
  run: async ({ app, args: [run], flags }) => {
    const { reportOf, reportText } = await import("../../packs/reports.ts");
    const opened = await (await app()).choosing({ run }).preferring(...ofWork);
    const document = await reportOf(opened);
    const format = (flags.has("json") ? "json" : (flags.one("format") ?? "md")) as ReportFormat;
    const out = flags.one("out");
    const text = await reportText({ app: opened, document, coverage: covered }, format);
    if (out === undefined) return { text, painted: true, json: document };
    const path = resolve(out);
    replaceFile(path, text);
    return { text: `written: ${path}`, json: { written: path, format } };
  },
};
