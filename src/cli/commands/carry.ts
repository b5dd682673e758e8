// `heddle carry`: carries one order out, for another heddle. It opens no project: all that it needs is in the order.
import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { type Command, exits } from "../../command/command.ts";
import { version } from "../../command/version.ts";
import { toCall } from "../../core/hint.ts";
import { isProblem, problem, Refused } from "../../core/problem.ts";
import { packs } from "../../packs/packs.ts";
import type { HandIns } from "../../work/carry.ts";
import { serveOrder } from "../../work/wire/serve.ts";

const handIns: HandIns = async (schema) => {
  const all = await Promise.all(packs.map(async (pack) => (await pack.handIns?.()) ?? []));
  return all.flat().find((each) => each.schema === schema);
};

export const carry: Command = {
  name: "carry",
  summary:
    "carry out one order, read as JSON from standard input; print events and the outcome as JSON lines",
  group: "state",
  byHand: true,
  flags: {
    machine: {
      about: "as a host of another machine's configuration, over ssh: docs/machines.md",
      byHand: true,
    },
  },
  examples: ["heddle carry < order.json"],
  run: async ({ stream, flags }) => {
    const { stdin } = process;
    if (isatty(0))
      throw new Refused([
        problem("no-order", "standard input is a terminal, and an order comes from another program", {
          hint: toCall("carry < order.json"),
        }),
      ]);
    const input = createInterface({ input: stdin });
    const lines = input[Symbol.asyncIterator]();
    try {
      const done = flags.has("machine")
        ? await asMachine(lines, stream)
        : await serveOrder({ lines, print: stream, place: process.cwd(), handIns });
      if (isProblem(done)) throw new Refused([done]);
      return { json: undefined, exit: done ? exits.done : exits.refused };
    } finally {
      input.close();
      stdin.destroy();
    }
  },
};

async function asMachine(lines: AsyncIterator<string>, print: (line: string) => void): Promise<boolean> {
  const { serveMachine } = await import("../../work/wire/serve-machine.ts");
  const { fitted } = await import("../../orders/carriers/fit.ts");
  const { lookAtThis } = await import("../this-machine.ts");
  return serveMachine({ version, lines, print, handIns, fit: fitted, look: lookAtThis });
}
