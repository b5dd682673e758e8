// `heddle demo`: the example goes from its specification to the last task, offline, with scripted agents.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Run } from "../../core/run.ts";
import { openDemo, runDemo } from "../../engine/demo.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { type Command, exits, type Reply } from "../command.ts";
import { live } from "../live.ts";
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
    const slots = numberOf(flags.one("parallel") ?? "3", "--parallel", { least: 1, whole: true });
    const speed = numberOf(flags.one("speed") ?? "1", "--speed", { least: 0.01 });
    const app = await openDemo({ root, warn });
    try {
      say(`heddle demo in ${root}: scripted agents, no model, nothing leaves this machine`);
      const view = await live(app, { say, flags });
      await runDemo(app, { root, slots, speed, signal, changed: view.changed, watch: view.watch });
      await view.settle();
      return await app.look((run) => ended(run, root, signal));
    } finally {
      app.close();
    }
  },
};

function ended(run: Run, root: string, signal: AbortSignal): Reply {
  const done = run.phase === "complete";
  const tail = done
    ? `done: look around with \`heddle status --dir ${root}\``
    : `stopped: \`heddle demo --dir ${root}\` goes on where it stands`;
  const text = `${statusText(run, { ...terminal(), stopFile: false, nowMs: Date.now() })}\n\n${tail}`;
  const exit = done ? exits.done : signal.aborted ? exits.interrupted : exits.refused;
  return { text, json: statusDocument(run, { stopFile: false }), exit, painted: true };
}
