// `heddle transcript`: what one attempt's agent said and did (X18).

import type { Command } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { isProblem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import { eventText, shown } from "../../view/attach.ts";
import { oneLine } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";
import type { Part, Transcript } from "../../watch/transcript.ts";

export const transcript: Command = {
  name: "transcript",
  summary: "show what the agent of one attempt said and did, as it was kept",
  group: "look",
  args: [
    {
      name: "attempt",
      about: "a task and the number of its attempt (T007#2), or the last (T007); or a role",
    },
  ],
  flags: {
    raw: { about: "what the agent's program printed, as it printed it" },
    part: {
      about: "of the agent itself, or of the agent that judged or fixed its work",
      takes: "PART",
      choices: ["work", "review", "fixer"],
    },
  },
  examples: [
    "heddle transcript T007#2",
    "heddle transcript T007 --part review",
    "heddle transcript T007 --json",
  ],
  run: async ({ app, args: [word = ""], flags }) => {
    const { transcript: read } = await import("../../watch/transcript.ts");
    const found = await read(await app(), word, (flags.one("part") ?? "work") as Part);
    if (isProblem(found)) throw new Refused([found]);
    const { raw, ...rest } = found;
    if (flags.has("raw"))
      return { text: shown(raw.stdout + raw.stderr), painted: true, json: { ...rest, raw } };
    return { text: textOf(found, terminal()), painted: true, json: rest };
  },
};

function textOf({ of, attempt, agent, part, events }: Transcript, look: { readonly color: boolean }): string {
  const who = [agent === null ? [] : oneLine(agent), part === "work" ? [] : part].flat().join(", ");
  const head = paint(`── ${of} attempt ${attempt}${who && `, ${who}`}`, 1, look);
  if (events.length === 0) return `${head}\nno event of it was kept`;
  const lines = events.map((event) => `${paint(event.at.slice(11, 19), 2, look)} ${eventText(event, look)}`);
  return [head, ...lines].join("\n");
}
