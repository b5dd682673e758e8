// git, as heddle calls it: no hooks, no monitors, no helpers of the repository's choosing, and durable.
import { spawnSync } from "node:child_process";

const hardened = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.fsync=all",
  "core.fsyncMethod=fsync",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.attributesFile=/dev/null",
  "commit.gpgsign=false",
].flatMap((setting) => ["-c", setting]);

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly error: string;
}

export function git(folder: string, args: readonly string[]): GitAnswer {
  const { PATH = "/usr/bin:/bin", HOME = "/", LANG = "C" } = process.env;
  const answer = spawnSync("git", ["-C", folder, ...hardened, ...args], {
    encoding: "utf8",
    env: { PATH, HOME, LANG, GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" },
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return {
    ok: answer.status === 0,
    out: answer.stdout ?? "",
    error: answer.error?.message ?? answer.stderr ?? "",
  };
}
