// `heddle demo`: the example goes from its specification to the last task, offline, with scripted agents.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runDemo } from "../../engine/demo.ts";
import { lineOf } from "../../view/activity.ts";
import { oneLine } from "../../view/safe.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { type Command, exits } from "../command.ts";
import { numberOf } from "../parse.ts";
import { terminal } from "../terminal.ts";

export const demo: Command = {
  name: "demo",
  summary: "watch the example go through plan and execution, offline, with scripted agents",
  group: "run",
  flags: {
    parallel: { about: "how many tasks at once", takes: "N" },
    speed: { about: "how fast the scripted agents work", takes: "FACTOR" },
  },
  examples: ["heddle demo", "heddle demo --dir /tmp/demo    # Ctrl-C or kill -9 it, then again: it goes on"],
  interruptible: true,
  run: async ({ flags, signal, say, warn }) => {
    const root = resolve(flags.one("dir") ?? mkdtempSync(join(tmpdir(), "heddle-demo-")));
    const look = { ...terminal(), stopFile: false };
    const app = await runDemo({
      root,
      warn,
      signal,
      say,
      slots: numberOf(flags.one("parallel") ?? "3", "--parallel", { least: 1, whole: true }),
      speed: numberOf(flags.one("speed") ?? "1", "--speed", { least: 0.01 }),
      changed: look.live
        ? (run) => say(`\u001b[H\u001b[2J${statusText(run, { ...look, nowMs: Date.now() })}`)
        : undefined,
      entry: look.live
        ? undefined
        : (entry) => say(`  ${lineOf(entry).event}: ${oneLine(lineOf(entry).message)}`),
    });
    try {
      return await app.look((run) => {
        const done = run.phase === "complete";
        const shell = `heddle status --dir ${root}`;
        const tail = done
          ? `done: look around with \`${shell}\``
          : `stopped: \`heddle demo --dir ${root}\` goes on where it stands`;
        const text = `${statusText(run, { ...look, nowMs: Date.now() })}\n\n${tail}`;
        return {
          text,
          json: statusDocument(run, { stopFile: false }),
          exit: done ? exits.done : signal.aborted ? exits.interrupted : exits.refused,
        };
      });
    } finally {
      app.close();
    }
  },
};
