// `heddle tune`: what is wrong with an agent's skills, with file and line, and a loop that fixes one; `--check` for CI
// changes nothing.
import { relative, resolve } from "node:path";
import { type Call, type Command, exits, type Reply, Usage } from "../../../command/command.ts";
import { numberOf } from "../../../command/parse.ts";
import { canAsk, prompts } from "../../../command/terminal/prompts.ts";
import { toCall } from "../../../core/hint.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import { Refused } from "../../../engine/app.ts";
import { readIfThere, replaceFile } from "../../../host/files.ts";
import type { Manner } from "../../../view/hint.ts";
import type { SkillCheck } from "../skill/check.ts";
import type { SkillPlace } from "../skill/read.ts";
import type { Decision, Tuned, TuneOrder } from "../tune.ts";

const diagnoses = ["context", "memory", "dataflow", "agent", "docs", "token_consumption"];
/** Areas that only an agent can judge. */
const judged = ["architecture", "prompt", "performance", "custom"];

export const tune: Command = {
  name: "tune",
  summary: "diagnose and fix agent skills, sub-agents, commands and AGENTS.md",
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
    all: { about: "every skill of the project: measured, or with --yes tuned one after the other" },
    issue: { about: "what is wrong with the skill, in your words", takes: "TEXT", text: true },
    focus: {
      about: "only these diagnoses, or an area that an agent judges",
      takes: "AREA",
      many: true,
      choices: [...diagnoses, ...judged],
    },
    yes: {
      about: "apply what is proposed, up to this risk, and go on until it is done",
      takes: "RISK",
      choices: ["low", "medium", "high"],
    },
    agent: {
      about: "who is asked what rules cannot do: claude, command:./program, or a name from the configuration",
      takes: "AGENT",
      byHand: true,
    },
    deep: { about: "let the agent look deeper in any case" },
    "eval-runs": {
      about: "how many times to run each of the skill's evals, before and after a fix (3)",
      takes: "N",
    },
    unconfined: { about: "without a box: only for an agent that you trust", byHand: true },
    steps: { about: "halt after so many actions (50)", takes: "N" },
    iterations: { about: "so many rounds at most (5)", takes: "N" },
    leave: { about: "end the tuning that was begun; what was applied stays" },
    undo: { about: "take this fix back", takes: "FIX" },
    baseline: {
      about: "with --check: ignore the findings listed in this file; only new ones count",
      takes: "FILE",
      byHand: true,
    },
    "write-baseline": { about: "write the current findings into the baseline", byHand: true },
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
    "heddle tune skills/reviewer --undo FIX-2",
  ],
  run: async (call) => {
    const { args, flags } = call;
    if (flags.has("check") && (flags.has("all") || args.length > 0)) return checked(call);
    if (flags.has("all")) return flags.has("yes") ? improveAll(call) : listed(call);
    const place = await oneSkill(call);
    return flags.has("undo") ? undo(call, place) : improve(call, place);
  },
};

async function look({ args, flags, root }: Call): Promise<SkillCheck> {
  const { check } = await import("../skill/check.ts");
  const paths = flags.has("all") ? [root, ...args] : args;
  const focus = flags.all("focus").filter((area) => diagnoses.includes(area));
  const path = flags.one("baseline");
  if (path === undefined || flags.has("write-baseline")) return check({ paths, from: process.cwd(), focus });
  const { readBaseline } = await import("../skill/known/baseline.ts");
  const baseline = readBaseline(path);
  if ("code" in baseline) throw new Refused([baseline]);
  return check({ paths, from: process.cwd(), focus, baseline });
}

async function checked(call: Call): Promise<Reply> {
  const { flags } = call;
  if (!flags.has("write-baseline")) return checkReply(await look(call), call);
  const path = flags.one("baseline");
  if (path === undefined || flags.has("focus"))
    throw new Usage(
      problem("missing-argument", "`--write-baseline` needs `--baseline FILE`, and takes no focus", {
        hint: toCall("tune --check --all --baseline tuning-baseline.json --write-baseline"),
      }),
    );
  const { writeBaseline } = await import("../skill/known/baseline.ts");
  const known = writeBaseline(path, await look(call), process.cwd());
  return {
    text: `${known} finding${known === 1 ? "" : "s"} written to ${path}`,
    json: { written: resolve(path), known },
  };
}

/** What there is, and which one needs it most. */
async function listed(call: Call): Promise<Reply> {
  const found = await look(call);
  const { skillLine } = await import("../skill/report.ts");
  const lines = found.skills.map(skillLine);
  const failed = found.problems.map(({ message }) => `fail   ${message}`);
  const [worst] = found.skills.filter(({ gate }) => gate !== "pass").sort((a, b) => a.score - b.score);
  const hint = worst
    ? `hint: ${call.manner(`tune ${worst.path}`)}; ${call.manner("tune --all --yes low")} tunes all that do not pass`
    : "every skill passes";
  const exit = found.gate === "pass" ? exits.done : exits.refused;
  return { text: [...lines, ...failed, hint].join("\n"), json: found, exit };
}

async function checkReply(checked: SkillCheck, { flags }: Call): Promise<Reply> {
  const exit = checked.gate === "pass" ? exits.done : exits.refused;
  const { checkMarkdown, checkText } = await import("../skill/report.ts");
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

async function sarifOf(checked: SkillCheck): Promise<object> {
  const { checkSarif } = await import("../skill/sarif.ts");
  const { version } = await import("../../../command/version.ts");
  return checkSarif(checked, version);
}

/** One after the other; each that does not pass is tuned to its end. */
async function improveAll(call: Call): Promise<Reply> {
  const { findSkills } = await import("../skill/find.ts");
  const { skills } = await look(call);
  const tuned: unknown[] = [];
  const lines: string[] = [];
  let exit: number = exits.done;
  for (const { path, gate, score } of skills) {
    if (gate === "pass" || call.signal.aborted) continue;
    const [place] = placesAt(findSkills(path));
    if (!place) continue;
    call.say(`${path}: ${gate}, score ${score}`);
    const reply = await improve(call, place);
    tuned.push(reply.json);
    const { gate: now, score: then } = reply.json as Tuned;
    lines.push(`${now.padEnd(6)} ${String(score).padStart(3)} -> ${String(then).padStart(3)}  ${path}`);
    if (reply.exit !== exits.done) exit = exits.refused;
  }
  const passed = skills.length - lines.length;
  return { text: [...lines, `${passed} passed before`].join("\n"), json: { tuned, passed }, exit };
}

async function undo({ flags, root, packs, journals, warn }: Call, { entry }: SkillPlace): Promise<Reply> {
  const { takeFixBack } = await import("../undo.ts");
  const id = (flags.one("undo") ?? "").toUpperCase();
  const by = process.env.HEDDLE_ACTOR ?? "operator";
  const applied = await takeFixBack({ root, packs, journals, by, warn, entry }, id);
  return { text: `${id} is taken back: ${applied.changes_made.join(", ")}`, json: applied };
}

/** The loop, on one skill. */
async function improve(call: Call, place: SkillPlace): Promise<Reply> {
  const { flags, root, packs, journals, warn, signal, say } = call;
  const { leave, openTuning, runTuning } = await import("../tune.ts");
  const { answerTo, complaintFor, sayActions } = await import("./tune-answers.ts");
  const limits = { steps: wholeNumber(call, "steps"), iterations: wholeNumber(call, "iterations") };
  const order: TuneOrder = {
    root,
    packs,
    journals,
    by: process.env.HEDDLE_ACTOR ?? "operator",
    warn,
    place,
    complaint: () => (flags.has("leave") ? Promise.resolve(undefined) : complaintFor(call)),
    focus: flags.all("focus"),
    limits,
  };
  const app = await openTuning(order);
  try {
    if (flags.has("leave")) await leave(app);
    const by = {
      agent: flags.one("agent"),
      unconfined: flags.has("unconfined"),
      deep: flags.has("deep"),
      evalRuns: wholeNumber(call, "eval-runs"),
    };
    const tuned = await runTuning({
      ...{ app, by, limits, signal, stopNow: call.stopNow(), changed: sayActions(call) },
      watch: (role, text) => say(`    ${role}: ${text}`),
      answer: (asking) => answerTo(call, app, asking),
    });
    const reply = tunedReply(tuned, call.manner);
    return flags.has("leave") ? { ...reply, exit: exits.done } : reply;
  } finally {
    app.close();
  }
}

function wholeNumber({ flags }: Call, name: string): number | undefined {
  const given = flags.one(name);
  return given === undefined ? undefined : numberOf(given, `--${name}`, { least: 1, whole: true });
}

async function oneSkill(call: Call): Promise<SkillPlace> {
  const { args, root } = call;
  const { findSkills } = await import("../skill/find.ts");
  if (args.length === 0) {
    if (!canAsk(call)) throw needsSkill();
    return chooseSkill(call, placesAt(findSkills(root)));
  }
  const found = args.length === 1 ? findSkills(args[0] ?? "") : [];
  const [place, ...others] = placesAt(found);
  if (place && others.length === 0) return place;
  if (place && args.length === 1 && canAsk(call)) return chooseSkill(call, [place, ...others]);
  throw new Refused([
    problem("several-skills", "one skill is tuned at a time", {
      hint: place
        ? toCall(`tune ${relative(process.cwd(), place.entry)}`)
        : [toCall("tune --all --yes low"), " tunes all that do not pass"],
    }),
  ]);
}

function placesAt(found: readonly SkillPlace[] | Problem): readonly SkillPlace[] {
  if ("code" in found) throw new Refused([found]);
  return found;
}

async function chooseSkill(call: Call, places: readonly SkillPlace[]): Promise<SkillPlace> {
  const named = new Map(places.map((place) => [relative(process.cwd(), place.entry), place]));
  const chosen = await (await prompts(call)).choose("Which skill is to be tuned?", [...named.keys()]);
  const place = named.get(chosen);
  if (!place) throw needsSkill();
  return place;
}

function needsSkill(): Usage {
  return new Usage(
    problem("missing-argument", "`heddle tune` needs a skill, or `--all`", {
      hint: [toCall("tune --all"), " shows what there is"],
    }),
  );
}

function tunedReply(tuned: Tuned, manner: Manner): Reply {
  const { run, phase, gate, score, workDir, halted, open } = tuned;
  const files = relative(process.cwd(), workDir);
  const summary = readIfThere(`${workDir}/tuning-summary.md`);
  const isOver = phase === "done" || open.some(({ point }) => point === "summary");
  const proposals = open.some(({ point }) => point === "fixes")
    ? [`proposed: ${files}/fixes/fix-proposals.md`]
    : [];
  const aborted = phase === "aborted" ? [`too many errors: ${files}/abort-report.md`] : [];
  const stopped = halted === null ? [] : [haltLine(halted, manner)];
  const text = [
    ...(isOver && summary !== undefined ? [summary] : []),
    ...aborted,
    `${phase === "done" ? "done" : run}: ${gate}, score ${score}; files: ${files}`,
    ...proposals,
    ...stopped,
    ...open.map((decision) => waitingLine(decision, run, manner)),
  ].join("\n");
  const isWell = gate === "pass" && phase !== "aborted" && halted === null;
  return { text, json: tuned, exit: isWell ? exits.done : exits.refused };
}

function haltLine(halted: string, manner: Manner): string {
  return halted === "step_limit"
    ? `halted: the steps are used up\n  hint: ${manner("tune PATH --steps <more>")}`
    : `halted: ${halted}\n  hint: ${manner("tune PATH")} goes on with it`;
}

function waitingLine({ id, text, options, point }: Decision, run: string, manner: Manner): string {
  const answers = point === "fixes" ? "all | low risk | none | FIX-1 FIX-2 …" : options.join(" | ");
  return `waiting: ${text}\n  hint: ${manner(`answer ${id} "${answers}" --run ${run}`)}, then ${manner("tune")} again`;
}
