// Calling a command: the same for the command line, the REPL and MCP.

import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot } from "../engine/paths.ts";
import { isAboutPlans, isAboutTasks } from "./about-plans.ts";
import type { Call, Command, Reply } from "./command.ts";
import type { Parsed } from "./parse.ts";

/** A mission's tasks are tasks too: when it is named, and where there is no plan beside it. */
async function withTasks(app: App, named: string | undefined): Promise<string> {
  const runs = await app.journal.runs();
  const active = runs.filter(({ id, archived }) => (named === undefined ? !archived : id === named));
  const protocols = active.map((run) => run.protocol);
  return protocols.includes("mission") && !protocols.includes("decomposition") ? "mission" : "decomposition";
}

/** What is around a command: a terminal, the REPL, or a host over MCP. */
export type Around = Pick<
  Call,
  "commands" | "say" | "stream" | "warn" | "signal" | "stopNow" | "screen" | "ask"
> & {
  readonly root?: string;
  /** The author of what is written down. */
  readonly by?: string;
  readonly run?: string | undefined;
};

export async function perform(command: Command, { args, flags }: Parsed, around: Around): Promise<Reply> {
  const dir = flags.one("dir");
  const root = dir === undefined && around.root !== undefined ? around.root : findRoot(dir, process.env);
  const run = flags.one("run") ?? around.run;
  let app: App | undefined;
  const open = async () => {
    if (!app) {
      const by = around.by ?? process.env.HEDDLE_ACTOR ?? "operator";
      app = await openApp({ root, by, run, warn: around.warn });
      if (isAboutTasks(command.name)) app.choosing({ protocol: await withTasks(app, run) });
      else if (isAboutPlans(command.name)) app.choosing({ protocol: "decomposition" });
    }
    return app;
  };
  try {
    return await command.run({ ...around, args, flags, root, app: open });
  } finally {
    app?.close();
  }
}
