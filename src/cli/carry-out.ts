// Running a command for a surface: the terminal, or a host over MCP. The project is opened at first use and closed
// again, whatever happens.
import type { Problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import type { Call, Command, Reply } from "./command.ts";
import type { Parsed } from "./parse.ts";

/** Who asks, where, and how it hears what goes on. */
export interface Surface {
  readonly root: string;
  /** The author of what is written down. */
  readonly by: string;
  readonly commands: Call["commands"];
  readonly say: (line: string) => void;
  readonly stream: (line: string) => void;
  readonly warn: (problem: Problem) => void;
  /** How it ends what it asked for; without them that is Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly stopNow?: AbortSignal;
}

export async function carryOut(command: Command, { args, flags }: Parsed, surface: Surface): Promise<Reply> {
  const { root, by, commands, say, stream, warn, signal, stopNow } = surface;
  const interrupt = new AbortController();
  let app: App | undefined;
  const open = async () => {
    app ??= await openApp({ root, by, run: flags.one("run"), warn });
    return app;
  };
  if (command.interruptible && !signal) process.once("SIGINT", () => interrupt.abort());
  try {
    return await command.run({
      args,
      flags,
      root,
      app: open,
      commands,
      say,
      stream,
      warn,
      signal: signal ?? interrupt.signal,
      ...(stopNow && { stopNow }),
    });
  } finally {
    app?.close();
  }
}
