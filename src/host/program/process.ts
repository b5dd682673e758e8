// Which process is which. A pid is reused; a pid with its start time and the machine's boot is one process.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Holder } from "../../core/run-parts.ts";

export function thisProcess(): Holder {
  return { pid: process.pid, startTime: startTime(process.pid) ?? "", bootId: bootId(), host: hostname() };
}

export const isSameProcess = (one: Holder, other: Holder): boolean =>
  one.host === other.host &&
  one.pid === other.pid &&
  one.startTime === other.startTime &&
  one.bootId === other.bootId;

/** Nobody can see there whether a process is alive: it must be asked (`engine/ask-holder.ts`). */
export const isElsewhere = (holder: Holder) => holder.host !== hostname();

/** One on another machine counts as alive until it was asked. */
export function isAlive(holder: Holder): boolean {
  if (isElsewhere(holder)) return true;
  if (holder.bootId !== bootId()) return false;
  const found = startTime(holder.pid);
  if (found !== undefined) return found === holder.startTime;
  return procless && signalled(holder.pid);
}

/** Field 22 of /proc/<pid>/stat; the name before it may hold spaces and brackets. A zombie is dead. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Without /proc a pid is all there is. */
const procless = process.platform !== "linux";

function signalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
