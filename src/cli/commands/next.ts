// `heddle next`: what the rules ask for now, why, and doing it (L8, L9, L10, C5).

import { relative } from "node:path";
import { problem } from "../../core/problem.ts";
import { step } from "../../core/step.ts";
import { type App, Refused } from "../../engine/app.ts";
import { explainText, suggestionText } from "../../view/suggestion.ts";
import { agentFlags } from "../agent-flags.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";
import { goOn } from "../go-on.ts";
import { goOnWithMission } from "./mission.ts";

export const next: Command = {
  name: "next",
  summary: "show the next step and take it",
  group: "run",
  args: [{ name: "task", about: "which task or run; the only open one unless said", optional: true }],
  flags: {
    "dry-run": { about: "show it only" },
    explain: { about: "show every rule that was looked at, and what it saw" },
    all: { about: "go on until the task is done or a person is needed" },
    override: {
      about: "go on although the rules say no, for this reason",
      takes: "REASON",
      text: true,
      byHand: true,
    },
    to: { about: "the phase to go to, with --override", takes: "PHASE", byHand: true },
    ...agentFlags,
  },
  examples: [
    "heddle next",
    "heddle next --dry-run --explain",
    "heddle next --all --agent claude",
    'heddle next --override "the map is fine" --to physical',
  ],
  interruptible: true,
  tools: {
    "--dry-run": { name: "suggestNext", about: "what is to be done next, why, and what else could be" },
  },
  run: async (call) => {
    const { flags, args } = call;
    if (!flags.has("override") && flags.has("to"))
      throw new Usage(
        problem("no-override", "`--to` goes with `--override`", {
          hint: 'heddle next --override "<why>" --to PHASE',
        }),
      );
    const app = (await call.app()).choosing({ run: args[0] });
    const protocol = await app.look((run) => run.protocolName);
    const isPlan = protocol === "decomposition";
    if (isPlan && !flags.has("dry-run")) await ingestSpec(app);
    const reason = flags.one("override");
    if (reason !== undefined) return override(call, app, reason);
    if (flags.has("dry-run")) return dryRun(call, app);
    if (protocol === "tuning") return showTuning(call, app);
    if (protocol === "mission") return goOnWithMission(call, app);
    return isPlan
      ? advance(call, app)
      : goOn(call, app, { all: flags.has("all"), explain: flags.has("explain") });
  },
};

async function ingestSpec(app: App): Promise<void> {
  if ((await app.look((run) => run.phase)) !== "ingestion") return;
  const { ingest } = await import("../../engine/planning.ts");
  await ingest(app);
}

async function suggested({ flags }: Call, app: App) {
  const { suggest } = await import("../../engine/task.ts");
  const { suggestion, explained } = await suggest(app);
  const asked = flags.has("explain");
  return {
    suggestion,
    lines: asked ? [explainText(explained)] : [],
    more: asked ? { explained } : {},
  };
}

async function override(call: Call, app: App, reason: string): Promise<Reply> {
  const { suggestion, lines, more } = await suggested(call, app);
  const to = call.flags.one("to");
  const input = { kind: "override", reason, digests: {}, ...(to !== undefined && { to }) } as const;
  if (call.flags.has("dry-run")) {
    const { facts, problems } = await app.look((run) => step(run, input));
    if (problems.length > 0) throw new Refused(problems);
    const phase = facts.find((fact) => fact.kind === "overridden")?.phase ?? suggestion.currentPhase;
    return {
      text: [...lines, `Would be overridden: ${suggestion.currentPhase} -> ${phase} (${reason})`].join("\n"),
      json: { ...suggestion, ...more, overridden: { to: phase, reason, position: null } },
    };
  }
  const { entries } = await app.submit(input);
  const phase = await app.look((run) => run.phase);
  const position = entries.at(-1)?.position ?? null;
  return {
    text: [...lines, `Overridden: now in ${phase} (${reason})`].join("\n"),
    json: { ...suggestion, ...more, overridden: { to: phase, reason, position } },
  };
}

async function dryRun(call: Call, app: App): Promise<Reply> {
  const { suggestion, lines, more } = await suggested(call, app);
  return {
    text: [...lines, suggestionText(suggestion)].join("\n"),
    json: { ...suggestion, ...more },
    exit: exits.done,
  };
}

/** A tuning is moved by `heddle tune` alone, which knows its actions. */
async function showTuning(call: Call, app: App): Promise<Reply> {
  const { text, json } = await dryRun(call, app);
  const { stateAt } = await import("../../protocols/tuning/subjects.ts");
  const entry = String(await app.look((run) => stateAt(run, "target_skill.path") ?? "PATH"));
  const hint = `heddle tune ${relative(process.cwd(), entry)} goes on with it`;
  return { text: `${text}\n${hint}`, json, exit: exits.refused };
}

/** A plan moves by a command of its own for everything but the step itself. */
async function advance(call: Call, app: App): Promise<Reply> {
  const { suggestion, lines, more } = await suggested(call, app);
  const text = [...lines, suggestionText(suggestion)];
  const { action, currentPhase, suggestedNext } = suggestion;
  if (action !== "go")
    return {
      text: text.join("\n"),
      json: { ...suggestion, ...more, done: false },
      exit: action === "end" ? exits.done : exits.refused,
    };
  const { observe } = await import("../../engine/planning.ts");
  await app.submit({ kind: "advance", digests: await observe(app) });
  return {
    text: [...text, `Advanced from ${currentPhase} to ${suggestedNext}`].join("\n"),
    json: { ...suggestion, ...more, done: true },
  };
}
