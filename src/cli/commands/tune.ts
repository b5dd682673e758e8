// `heddle tune`: what is wrong with an agent's skills, with file and line; `--check` for CI changes nothing.
import { resolve } from "node:path";
import { problem } from "../../core/problem.ts";
import { replaceFile } from "../../host/files.ts";
import type { Check } from "../../tuning/check.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";

const focuses = ["context", "memory", "dataflow", "agent", "docs", "token_consumption"];

export const tune: Command = {
  name: "tune",
  summary: "diagnose agent skills, sub-agents, commands and AGENTS.md",
  group: "run",
  args: [
    {
      name: "path",
      about: "a skill's folder, a folder with skills, or a Markdown file",
      optional: true,
      many: true,
    },
  ],
  flags: {
    check: { about: "change nothing; exit 1 below the gate" },
    all: { about: "every skill of the project" },
    focus: { about: "only these diagnoses", takes: "DIAGNOSIS", many: true, choices: focuses },
    sarif: { about: "print SARIF 2.1.0, for code-scanning views" },
    out: {
      about: "write the report to this file: Markdown, or what --json or --sarif say",
      takes: "FILE",
      byHand: true,
    },
  },
  examples: [
    "heddle tune --check skills/",
    "heddle tune --check --all --sarif --out tuning.sarif",
    "heddle tune --check .claude/agents/reviewer.md --focus context token_consumption",
  ],
  run: async (call) => {
    const { args, flags, root } = call;
    if (!flags.has("all") && args.length === 0)
      throw new Usage(
        problem("missing-argument", "`heddle tune` needs a skill, or `--all`", {
          hint: "heddle tune --check --all",
        }),
      );
    const { check } = await import("../../tuning/check.ts");
    const paths = flags.has("all") ? [root, ...args] : args;
    return reply(check({ paths, from: process.cwd(), focus: flags.all("focus") }), call);
  },
};

async function reply(checked: Check, { flags }: Call): Promise<Reply> {
  const exit = checked.gate === "pass" ? exits.done : exits.refused;
  const { checkMarkdown, checkText } = await import("../../tuning/report.ts");
  const sarif = flags.has("sarif") ? await sarifOf(checked) : undefined;
  const json = sarif ?? checked;
  const out = flags.one("out");
  if (out === undefined) return { text: sarif ? shown(sarif) : checkText(checked), json, exit };
  const path = resolve(out);
  replaceFile(path, sarif || flags.has("json") ? shown(json) : checkMarkdown(checked));
  return {
    text: `${checkText(checked)}\nwritten: ${path}`,
    json: { written: path, gate: checked.gate },
    exit,
  };
}

function shown(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function sarifOf(checked: Check): Promise<object> {
  const { checkSarif } = await import("../../tuning/sarif.ts");
  const { version } = await import("../version.ts");
  return checkSarif(checked, version);
}
