// `heddle tune`: what is wrong with an agent's skills, with file and line, and a loop that mends one; `--check` for CI
// changes nothing.
import { relative, resolve } from "node:path";
import { problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import type { Decision, Proposed, Tuned, TuneOrder } from "../../engine/tune.ts";
import { readIfThere, replaceFile } from "../../host/files.ts";
import type { Check } from "../../tuning/check.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";
import { numberOf } from "../parse.ts";
import { canAsk, prompts } from "../prompts.ts";

const focuses = ["context", "memory", "dataflow", "agent", "docs", "token_consumption"];

export const tune: Command = {
  name: "tune",
  summary: "diagnose and mend agent skills, sub-agents, commands and AGENTS.md",
  group: "run",
  interruptible: true,
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
    all: { about: "with --check: every skill of the project" },
    issue: { about: "what is wrong with the skill, in your words", takes: "TEXT", text: true },
    focus: { about: "only these diagnoses", takes: "DIAGNOSIS", many: true, choices: focuses },
    yes: {
      about: "apply what is proposed, up to this risk, and go on until it is done",
      takes: "RISK",
      choices: ["low", "medium", "high"],
    },
    agent: {
      about: "who looks deeper: claude, command:./program, or a name from the configuration",
      takes: "AGENT",
      byHand: true,
    },
    deep: { about: "let the agent look deeper in any case" },
    unconfined: { about: "without a box: only for an agent that you trust", byHand: true },
    steps: { about: "halt after so many actions (50)", takes: "N" },
    iterations: { about: "so many rounds at most (5)", takes: "N" },
    leave: { about: "end the tuning that was begun; what was applied stays" },
    sarif: { about: "with --check: print SARIF 2.1.0, for code-scanning views" },
    out: {
      about: "with --check: write the report to this file: Markdown, or what --json or --sarif say",
      takes: "FILE",
      byHand: true,
    },
  },
  examples: [
    "heddle tune --check skills/",
    "heddle tune --check --all --sarif --out tuning.sarif",
    'heddle tune skills/reviewer --issue "it forgets the constraints"',
    "heddle tune skills/reviewer --yes low",
  ],
  run: async (call) => {
    const { args, flags, root } = call;
    if (!flags.has("all") && args.length === 0)
      throw new Usage(
        problem("missing-argument", "`heddle tune` needs a skill, or `--check --all`", {
          hint: "heddle tune --check --all",
        }),
      );
    if (!flags.has("check")) return improve(call);
    const { check } = await import("../../tuning/check.ts");
    const paths = flags.has("all") ? [root, ...args] : args;
    return checkReply(check({ paths, from: process.cwd(), focus: flags.all("focus") }), call);
  },
};

async function checkReply(checked: Check, { flags }: Call): Promise<Reply> {
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

/** The loop, on one skill. */
async function improve(call: Call): Promise<Reply> {
  const { flags, root, warn, signal } = call;
  const { leave, openTuning, runTuning } = await import("../../engine/tune.ts");
  const limits = { steps: wholeNumber(call, "steps"), iterations: wholeNumber(call, "iterations") };
  const order: TuneOrder = {
    root,
    by: process.env.HEDDLE_ACTOR ?? "operator",
    warn,
    place: await oneSkill(call),
    complaint: flags.one("issue"),
    focus: flags.all("focus"),
    limits,
  };
  const app = await openTuning(order);
  try {
    if (flags.has("leave")) await leave(app);
    const by = { agent: flags.one("agent"), unconfined: flags.has("unconfined"), deep: flags.has("deep") };
    const answer = (decision: Decision, fixes: readonly Proposed[]) => answerTo(call, decision, fixes);
    const reply = tunedReply(await runTuning({ app, by, limits, signal, answer }));
    return flags.has("leave") ? { ...reply, exit: exits.done } : reply;
  } finally {
    app.close();
  }
}

function wholeNumber({ flags }: Call, name: string): number | undefined {
  const given = flags.one(name);
  return given === undefined ? undefined : numberOf(given, `--${name}`, { least: 1, whole: true });
}

async function oneSkill({ args, flags }: Call) {
  const { findSkills } = await import("../../tuning/find.ts");
  const found = args.length === 1 && !flags.has("all") ? findSkills(args[0] ?? "") : [];
  if ("code" in found) throw new Refused([found]);
  const [place, ...others] = found;
  if (place && others.length === 0) return place;
  throw new Refused([
    problem("several-skills", "one skill is tuned at a time", {
      hint: place
        ? `heddle tune ${relative(process.cwd(), place.entry)}`
        : "heddle tune --check shows them all",
    }),
  ]);
}

/** By flag, by the person at the terminal, or later by `heddle answer`. */
async function answerTo(
  call: Call,
  { point, text, options }: Decision,
  fixes: readonly Proposed[],
): Promise<string | undefined> {
  const risk = call.flags.one("yes");
  if (risk !== undefined && point !== "requirements") {
    const answers: Readonly<Record<string, string>> = {
      fixes: `${risk} risk`,
      continue: "continue",
      summary: "finish",
    };
    return answers[point];
  }
  if (!canAsk(call)) return undefined;
  if (point === "fixes")
    for (const { id, risk: level, description } of fixes)
      call.say(`  ${id.padEnd(7)} ${level.padEnd(6)} ${description}`);
  return (await prompts(call)).choose(text, options);
}

function tunedReply(tuned: Tuned): Reply {
  const { run, phase, gate, score, workDir, halted, open, summary } = tuned;
  const waits = open.map(
    ({ id, text, options, point }) =>
      `waiting: ${text}\n  hint: heddle answer ${id} "${point === "fixes" ? "all, low risk, none, or FIX-1 FIX-2 …" : options.join(" | ")}" --run ${run}, then heddle tune again`,
  );
  const proposals = open.some(({ point }) => point === "fixes")
    ? [`proposed: ${workDir}/fixes/fix-proposals.md`]
    : [];
  const table =
    phase === "done" || open.some(({ point }) => point === "summary")
      ? [readIfThere(`${workDir}/tuning-summary.md`) ?? ""]
      : [];
  const stopped = halted === null ? [] : [`halted: ${halted}; heddle tune goes on with it`];
  const text = [
    ...summary.slice(-3),
    ...table,
    `${phase}, score ${score}, ${gate}; files: ${workDir}`,
    ...proposals,
    ...stopped,
    ...waits,
  ].join("\n");
  return { text, json: tuned, exit: gate === "pass" ? exits.done : exits.refused };
}
