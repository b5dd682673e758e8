// Tries what `needs.ts` tells the tests of: starting these programs takes longer than many a test.
import { spawnSync } from "node:child_process";
import { tryBubblewrap } from "../src/host/box/bubblewrap.ts";

const runs = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

export async function whatIsThere(): Promise<string> {
  const found = {
    box: (await tryBubblewrap(process.env.PATH ?? "")).ok,
    strace: runs("strace", "-o", "/dev/null", "true"),
    tmux: runs("tmux", "-V"),
    script: runs("script", "-qfec", "true", "/dev/null"),
  };
  return Object.entries(found)
    .flatMap(([what, isThere]) => (isThere ? [what] : []))
    .join(" ");
}
