// A file as a lease, for those whose process cannot be seen: whoever holds it touches it twice a minute, and one that was not touched for
// ten minutes has lapsed. Both times are the file system's own, so that no two machines compare their clocks.
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import type { Holder } from "../core/run-parts.ts";
import { isAlive, isElsewhere } from "./program/process.ts";

const touchMs = 30_000;
const lapsedMs = 10 * 60_000;

/** Until what is returned is called, or the process ends. */
export function keepLease(file: string): () => void {
  const timer = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // It is gone, or cannot be written: then it lapses.
    }
  }, touchMs).unref();
  return () => clearInterval(timer);
}

/** On this machine its process is looked for; on another it is alive by its lease, never for ever. */
export function holdsLease(by: Holder, file: string): boolean {
  return isElsewhere(by) ? !hasLapsed(file) : isAlive(by);
}

function hasLapsed(file: string): boolean {
  const probe = `${file}.${process.pid}.new`;
  try {
    writeFileSync(probe, "");
    const nowMs = statSync(probe).mtimeMs;
    return nowMs - statSync(file).mtimeMs > lapsedMs;
  } catch {
    // Where nothing can be written, nobody can clear up either.
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}
