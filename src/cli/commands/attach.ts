// `heddle attach`: one task's agent, as it works (X18).

import { type Command, exits } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { find, isProblem } from "../../core/answer.ts";
import { Refused } from "../../engine/app.ts";
import { eventText, shown } from "../../view/attach.ts";
import { oneLine } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";
import type { Heard } from "../../watch/attach.ts";

export const attach: Command = {
  name: "attach",
  summary: "follow what the agent of one task says and does, and its checks, until it is settled",
  group: "look",
  byHand: true,
  args: [{ name: "task", about: "a task id" }],
  flags: { raw: { about: "what the agent's program printed, as it printed it" } },
  examples: ["heddle attach T007", "heddle attach T007 --raw", "heddle attach T007 --json | jq .event"],
  interruptible: true,
  run: async ({ app: open, args: [task = ""], flags, signal, stream }) => {
    const app = await open();
    await app.look((run) => {
      const found = find(run, task);
      if (isProblem(found)) throw new Refused([found]);
    });
    const { attach: follow } = await import("../../watch/attach.ts");
    const { color } = terminal();
    const say = flags.has("json")
      ? (heard: Heard) => stream(JSON.stringify(heard))
      : (heard: Heard) => stream(`${lineOf(heard, { color })}\n`);
    const left = await follow({ app, task, raw: flags.has("raw"), signal, hear: say });
    if (signal.aborted) return { json: undefined, exit: exits.interrupted };
    const done = left.status === "complete" || left.status === "skipped";
    return { json: undefined, exit: done ? exits.done : exits.refused };
  },
};

function lineOf(heard: Heard, look: { readonly color: boolean }): string {
  switch (heard.kind) {
    case "attempt":
      return paint(
        `── ${heard.task} attempt ${heard.attempt}, ${oneLine(heard.agent)}, ${heard.at}`,
        1,
        look,
      );
    case "event":
      return eventText(heard.event, look);
    case "check":
      return paint(`$ ${oneLine(heard.command)}`, 1, look);
    case "output":
      return heard.of === "check" ? `  ${shown(heard.text)}` : shown(heard.text);
    case "waiting":
    case "over":
      return paint(
        `── ${heard.reason
          .split("\n")
          .map((line) => oneLine(line).slice(0, 300))
          .join("\n   ")}`,
        1,
        look,
      );
  }
}
