// `git gc` sweeps away objects that nothing pointed to when it began, so one that was written since can be lost although a
// ref points to it by now. git keeps two of them apart by `gc.pid`, with the process that holds it; while heddle writes
// objects it holds that file itself. Whoever dies holding it holds it no longer: git looks whether the process lives.
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";

const heldHours = 12; // git believes an older file no longer
const patienceMs = 60_000;

export interface Held {
  readonly release: () => void;
}

/** Waits for a `git gc` that is at work; then there is none until `release`. */
export async function holdOffGc(gitDir: string, waitMs = patienceMs): Promise<Held | Problem> {
  const until = Date.now() + waitMs;
  for (;;) {
    const other = take(gitDir);
    if (other === undefined ? !isContested(gitDir) || Date.now() > until : !isGit(gitDir, other)) break;
    if (Date.now() > until)
      return problem("gc", `\`git gc\` is at work in \`${gitDir}\`, as process ${other}`, {
        hint: "again, when it has ended",
      });
    await new Promise((settle) => setTimeout(settle, 100));
  }
  // Another heddle may hold it for its own run, and end before this one.
  const again = setInterval(() => take(gitDir), 5_000).unref();
  return {
    release: () => {
      clearInterval(again);
      if (ownerOf(gitDir)?.pid === process.pid) rmSync(fileIn(gitDir), { force: true });
    },
  };
}

const fileIn = (gitDir: string) => join(gitDir, "gc.pid");

/** Takes the file, or keeps it young; the process that holds it, if that is somebody else. */
function take(gitDir: string): number | undefined {
  const file = fileIn(gitDir);
  try {
    const owner = ownerOf(gitDir);
    if (owner?.pid === process.pid) {
      utimesSync(file, new Date(), new Date());
      return undefined;
    }
    if (owner?.holds) return owner.pid;
    const fresh = `${file}.heddle-${process.pid}`;
    // git reads the first two words.
    writeFileSync(fresh, `${process.pid} ${hostname()} heddle`);
    if (owner) renameSync(fresh, file);
    else linkSync(fresh, file);
    rmSync(fresh, { force: true });
    return undefined;
  } catch {
    // A store that cannot be written to is found out by what is written next; a file that came meanwhile, by the next look.
    return ownerOf(gitDir)?.holds ? ownerOf(gitDir)?.pid : undefined;
  }
}

/** A git that saw no owner before this one came puts its own file in its place. */
function isContested(gitDir: string): boolean {
  const owner = ownerOf(gitDir);
  return existsSync(`${fileIn(gitDir)}.lock`) || (owner !== undefined && owner.pid !== process.pid);
}

/** As git reads it: process and machine, of the last twelve hours, and alive where that can be seen. */
function ownerOf(
  gitDir: string,
): { readonly pid: number; readonly holds: boolean; readonly isHeddle: boolean } | undefined {
  try {
    const file = fileIn(gitDir);
    const [pid = "", host, by] = readFileSync(file, "utf8").trim().split(" ");
    const young = Date.now() - statSync(file).mtimeMs <= heldHours * 3_600_000;
    return {
      pid: Number(pid),
      holds: young && (host !== hostname() || lives(Number(pid))),
      isHeddle: by === "heddle",
    };
  } catch {
    return undefined;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A git that cannot be seen, on another machine or without /proc, is waited for. Two heddles get on. */
function isGit(gitDir: string, pid: number): boolean {
  if (ownerOf(gitDir)?.isHeddle) return false;
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git");
  } catch {
    return true;
  }
}
