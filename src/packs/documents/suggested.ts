// What the rules suggest for a run, as `heddle next` says it.

import { type Call, exits, type Reply } from "../../command/command.ts";
import type { App } from "../../engine/app.ts";
import { explainText, suggestionText } from "../../view/suggestion.ts";
import { suggest } from "./runs.ts";
export async function suggested({ flags }: Call, app: App) {
  const { suggestion, explained } = await suggest(app);
  const asked = flags.has("explain");
  return {
    suggestion,
    lines: asked ? [explainText(explained)] : [],
    more: asked ? { explained } : {},
  };
}

export async function dryRun(call: Call, app: App): Promise<Reply> {
  const { suggestion, lines, more } = await suggested(call, app);
  return {
    text: [...lines, suggestionText(suggestion, call.manner)].join("\n"),
    json: { ...suggestion, ...more },
    exit: exits.done,
  };
}
