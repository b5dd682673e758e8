// A process that carries one order out (`heddle carry`). It ends when its input does, so that nothing it started outlives whoever
// started it.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { packageDir } from "../package.ts";

export interface Carrying {
  readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
  /** Whether it could be started or not. */
  readonly ended: Promise<void>;
}

/** Away from the terminal's Ctrl-C: whoever starts it decides what ends. */
export function startCarry(
  cwd: string,
  env: NodeJS.ProcessEnv,
  flags: readonly "--machine"[] = [],
): Carrying {
  const child = spawn(process.execPath, [join(packageDir(), "dist/heddle.js"), "carry", ...flags], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<void>((settle) =>
    child.once("close", () => settle()).on("error", () => settle()),
  );
  return { child, ended };
}
