// A command that stands still at an exact call while somebody else does something, and then goes on.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cli, ended, type Ran, until } from "../e2e/rig.ts";
import { environment, type KillPoint, type Order } from "./kill-points.ts";

/** Does `meanwhile` while the command is stopped at that call; it may also end without having come there. */
export async function stoppedAt(
  { words, cwd, around }: Order,
  { call, nth }: Pick<KillPoint, "call" | "nth">,
  meanwhile: () => void,
): Promise<{ ran: Ran; stopped: boolean }> {
  const options = ["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", `trace=${call}`];
  const inject = ["-e", `inject=${call}:signal=STOP:when=${nth}`];
  const env = environment(around, false);
  const child = spawn("strace", [...options, ...inject, process.execPath, cli, ...words], { cwd, env });
  let over = false;
  const ending = ended(child).finally(() => {
    over = true;
  });
  let stopped: number | undefined;
  await until("the command to stop or to end", () => {
    stopped = stoppedChild(child);
    return over || stopped !== undefined;
  });
  if (stopped !== undefined) {
    meanwhile();
    process.kill(stopped, "SIGCONT");
    // strace counts for each thread: another one may be stopped at a call of its own, and only goes on.
    await until("the command to end", () => {
      const again = over ? undefined : stoppedChild(child);
      if (again !== undefined) process.kill(again, "SIGCONT");
      return over;
    });
  }
  return { ran: await ending, stopped: stopped !== undefined };
}

function stoppedChild({ pid }: ChildProcess): number | undefined {
  try {
    const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    const stat = readFileSync(`/proc/${child}/stat`, "utf8");
    const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
    // A tracee in a group stop; one that strace looks at for a moment is in the same state, so twice is sure.
    return state === "T" || (state === "t" && isStill(child)) ? Number(child) : undefined;
  } catch {
    return undefined;
  }
}

function isStill(pid: string): boolean {
  for (let look = 0; look < 20; look++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    if (stat.slice(stat.lastIndexOf(")") + 2)[0] !== "t") return false;
  }
  return true;
}
