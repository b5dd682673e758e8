// `heddle next`: what the rules ask for now, why, and doing it (L8, L9, L10, C5).

import { agentFlags } from "../../command/agent-flags.ts";
import { type Call, type Command, type Reply, Usage } from "../../command/command.ts";
import { landFlags } from "../../command/landing.ts";
import { webBeside, webFlag } from "../../command/web-beside.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import { step } from "../../core/step.ts";
import { type App, Refused } from "../../engine/app.ts";
import { goOn } from "../../packs/documents/go-on.ts";
import { dryRun, suggested } from "../../packs/documents/suggested.ts";
import { packNamed } from "../../packs/packs.ts";

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
    land: landFlags.land,
    ...webFlag,
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
          hint: toCall('next --override "<why>" --to PHASE'),
        }),
      );
    const app = (await call.app()).choosing({ run: args[0] });
    const pack = packNamed(await app.look((run) => run.protocolName));
    if (!flags.has("dry-run")) await pack?.takeIn?.(app);
    const reason = flags.one("override");
    if (reason !== undefined) return override(call, app, reason);
    if (flags.has("dry-run")) return dryRun(call, app);
    await webBeside(call);
    if (pack?.next) return pack.next(call, app);
    return goOn(call, app, { all: flags.has("all"), explain: flags.has("explain") });
  },
};

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
