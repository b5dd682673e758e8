// Calling a command: the same for the command line, the REPL and MCP.

import type { Call, Command, Reply } from "../command/command.ts";
import type { Parsed } from "../command/parse.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot, pathsIn } from "../engine/paths.ts";
import { isToSettle } from "../host/underway.ts";
import { packs } from "../packs/packs.ts";
import { isAboutTasks, ownerOf } from "./about.ts";
import { composition } from "./composition.ts";

const ofTasks = packs.filter((pack) => pack.hasTasks).map(({ name }) => name);

/** Of the protocols with tasks the first that has a run, or whose run is named. */
async function withTasks(app: App, named: string | undefined): Promise<string | undefined> {
  const runs = await app.journal.runs();
  const active = runs.filter(({ id, archived }) => (named === undefined ? !archived : id === named));
  const protocols = active.map((run) => run.protocol);
  return ofTasks.find((name) => protocols.includes(name)) ?? ofTasks[0];
}

/** What is around a command: a terminal, the REPL, or a host over MCP. */
export type Around = Pick<
  Call,
  "commands" | "manner" | "say" | "stream" | "warn" | "signal" | "stopNow" | "screen" | "ask"
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
      app = await openApp({ ...composition, root, by, run, warn: around.warn });
      app.choosing({
        looks: command.group === "look" || command.name === "next",
        protocol: isAboutTasks(command.name) ? await withTasks(app, run) : ownerOf(command.name),
      });
    }
    return app;
  };
  try {
    if (isToSettle(pathsIn(root).heddle)) {
      const { settle } = await import("../keep/settle.ts");
      await settle({ ...composition, root }, around.warn);
    }
    return await command.run({ ...around, args, flags, root, ...composition, app: open });
  } finally {
    app?.close();
  }
}
