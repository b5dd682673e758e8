// `heddle next`: what the rules ask for now, why, and doing it (L8, L9, L10, C5).

import { problem } from "../../core/problem.ts";
import { explainText, suggestionText, suggestNext } from "../../view/suggestion.ts";
import { type Command, exits, Usage } from "../command.ts";

export const next: Command = {
  name: "next",
  summary: "show the next step and take it",
  group: "run",
  flags: {
    "dry-run": { about: "show it only" },
    explain: { about: "show every rule that was looked at, and what it saw" },
    override: {
      about: "go on although the rules say no, for this reason",
      takes: "REASON",
      text: true,
      byHand: true,
    },
    to: { about: "the phase to go to, with --override", takes: "PHASE", byHand: true },
  },
  examples: [
    "heddle next",
    "heddle next --dry-run --explain",
    'heddle next --override "the map is fine" --to physical',
  ],
  run: async ({ app, flags }) => {
    const opened = await app();
    const { ingest, observe } = await import("../../engine/planning.ts");
    const reason = flags.one("override");
    if (reason === undefined && flags.has("to"))
      throw new Usage(
        problem("no-override", "`--to` goes with `--override`", {
          hint: 'heddle next --override "<why>" --to PHASE',
        }),
      );
    if (!flags.has("dry-run") && (await opened.look((run) => run.phase)) === "ingestion")
      await ingest(opened);
    const digests = await observe(opened);
    const suggestion = await opened.look((run) => suggestNext(run, digests));
    const explained = flags.has("explain") ? [await opened.look((run) => explainText(run, digests))] : [];
    if (reason !== undefined) {
      const to = flags.one("to");
      const { entries } = await opened.submit({
        kind: "override",
        reason,
        digests,
        ...(to !== undefined && { to }),
      });
      const phase = await opened.look((run) => run.phase);
      return {
        text: [...explained, `Overridden: now in ${phase} (${reason})`].join("\n"),
        json: {
          ...suggestion,
          overridden: { to: phase, reason, position: entries.at(-1)?.position ?? null },
        },
      };
    }
    const lines = [...explained, suggestionText(suggestion)];
    if (flags.has("dry-run") || suggestion.action !== "go")
      return {
        text: lines.join("\n"),
        json: { ...suggestion, done: false },
        exit: flags.has("dry-run") || suggestion.action === "end" ? exits.done : exits.refused,
      };
    await opened.submit({ kind: "advance", digests });
    return {
      text: [...lines, `Advanced from ${suggestion.currentPhase} to ${suggestion.suggestedNext}`].join("\n"),
      json: { ...suggestion, done: true },
    };
  },
};
