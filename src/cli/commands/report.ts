// `heddle report`: what an execution did, with the evidence (X19); of one task, the way it took and who overrode what (C9).
import { resolve } from "node:path";
import type { ReportFormat } from "../../engine/report.ts";
import { replaceFile } from "../../host/files.ts";
import type { Command } from "../command.ts";

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
    const { anyReport, reportText } = await import("../../engine/report.ts");
    const opened = (await app()).choosing({ run });
    const document = await anyReport(await opened.preferring("decomposition", "mission", "lifecycle"));
    const format = (flags.has("json") ? "json" : (flags.one("format") ?? "md")) as ReportFormat;
    const out = flags.one("out");
    if (out === undefined) return { text: reportText(document, format), painted: true, json: document };
    const path = resolve(out);
    replaceFile(path, reportText(document, format));
    return { text: `written: ${path}`, json: { written: path, format } };
  },
};
