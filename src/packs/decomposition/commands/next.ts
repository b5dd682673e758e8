// `heddle next` on a plan.
import { type Call, exits, type Reply } from "../../../command/command.ts";
import type { App } from "../../../engine/app.ts";
import { suggestionText } from "../../../view/suggestion.ts";
import { suggested } from "../../documents/suggested.ts";
import { ingest, observe } from "../planning.ts";
/** A plan moves by a command of its own for everything but the step itself. */
export async function advance(call: Call, app: App): Promise<Reply> {
  const { suggestion, lines, more } = await suggested(call, app);
  const text = [...lines, suggestionText(suggestion, call.manner)];
  const { action, currentPhase, suggestedNext } = suggestion;
  if (action !== "go")
    return {
      text: text.join("\n"),
      json: { ...suggestion, ...more, done: false },
      exit: action === "end" ? exits.done : exits.refused,
    };
  await app.submit({ kind: "advance", digests: await observe(app) });
  return {
    text: [...text, `Advanced from ${currentPhase} to ${suggestedNext}`].join("\n"),
    json: { ...suggestion, ...more, done: true },
  };
}

export async function ingestSpec(app: App): Promise<void> {
  if ((await app.look((run) => run.phase)) !== "ingestion") return;
  await ingest(app);
}
