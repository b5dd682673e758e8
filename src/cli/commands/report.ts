// `heddle report`: what an execution did, with the evidence (X19).
import { resolve } from "node:path";
import type { ReportFormat } from "../../engine/report.ts";
import { replaceFile } from "../../host/files.ts";
import type { Command } from "../command.ts";

export const report: Command = {
  name: "report",
  summary:
    "show what an execution did: evidence per criterion, differences, attempts, cost, and what is left",
  group: "look",
  flags: {
    format: { about: "how", takes: "FORMAT", choices: ["md", "json", "html"], byHand: true },
    out: { about: "write it to this file", takes: "FILE", byHand: true },
  },
  examples: ["heddle report", "heddle report --format html --out report.html", "heddle report --json"],
  run: async ({ app, flags }) => {
    const { report: make, reportText } = await import("../../engine/report.ts");
    const document = await make(await app());
    const format = (flags.has("json") ? "json" : (flags.one("format") ?? "md")) as ReportFormat;
    const out = flags.one("out");
    if (out === undefined) return { text: reportText(document, format), painted: true, json: document };
    const path = resolve(out);
    replaceFile(path, reportText(document, format));
    return { text: `written: ${path}`, json: { written: path, format } };
  },
};
