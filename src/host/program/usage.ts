// What a program and everything it started use now: processes, threads, memory. In a box its own /proc is asked, which
// lists nobody else; outside, the tree of processes is followed. All of it may change while it is read: what is gone counts
// as nothing, and what is new is seen with the next look.
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from "node:fs";
import { family } from "./processes.ts";

export interface Usage {
  readonly processes: number;
  readonly threads: number;
  /** Of their own, shared or in files that are memory: /tmp and /dev/shm of the box, and files without a name. */
  readonly memoryBytes: number;
}

export interface Root {
  readonly pid: number;
  /** The first process of the box, as the host counts it. */
  readonly first: number | undefined;
}

const pageBytes = 4096;
/** Which of the box's folders are memory. */
const memoryFolders = ["/tmp", "/var/tmp", "/dev/shm"];
/** Below this it is not worth the look: the kernel walks all of it to say whose it is. */
const muchShared = 32 * 1024 * 1024;
const mostDescriptors = 4000;

export interface Wanted {
  /** With more than these nothing else is looked at: among thousands of processes every look is slow. */
  readonly processes: number;
  readonly memory: boolean;
}

export function usageOf({ pid, first }: Root, wanted: Wanted): Usage {
  const inside = first === undefined ? undefined : `/proc/${first}/root`;
  const boxed = inside === undefined ? [] : numbersIn(`${inside}/proc`);
  const [proc, pids] = boxed.length > 0 ? [`${inside}/proc`, boxed] : ["/proc", family(pid)];
  if (pids.length > wanted.processes) return { processes: pids.length, threads: 0, memoryBytes: 0 };
  const folders = pids.map((each) => `${proc}/${each}`);
  const threads = folders.reduce((sum, each) => sum + threadsOf(each), 0);
  const memoryBytes = wanted.memory ? memoryOf(folders, inside) : 0;
  return { processes: pids.length, threads, memoryBytes };
}

/**
 * A page that is shared stands in a process and often in a file as well, so the larger of the two sums counts: nothing is
 * counted twice, and what is left out is at most as much again.
 */
function memoryOf(folders: readonly string[], box: string | undefined): number {
  const used = folders.map(memoryIn);
  const own = used.reduce((sum, each) => sum + each.own, 0);
  const shared = used.reduce((sum, each) => sum + each.shared, 0);
  return own + Math.max(shared, filesIn(box) + namelessIn(folders));
}

function memoryIn(folder: string): { readonly own: number; readonly shared: number } {
  const [, resident = 0, common = 0] = read(`${folder}/statm`).split(" ").map(Number);
  const own = Math.max(0, resident - common) * pageBytes;
  if (common * pageBytes < muchShared || kilobytes(folder, "status", "RssShmem") < muchShared)
    return { own, shared: 0 };
  return { own, shared: kilobytes(folder, "smaps_rollup", "Pss_Shmem") };
}

function kilobytes(folder: string, file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(read(`${folder}/${file}`))?.[1] ?? 0) * 1024;
}

function filesIn(box: string | undefined): number {
  if (box === undefined) return 0;
  const used = memoryFolders.map((folder) => {
    try {
      const { blocks, bfree, bsize } = statfsSync(`${box}${folder}`);
      return (blocks - bfree) * bsize;
    } catch {
      return 0;
    }
  });
  return used.reduce((sum, each) => sum + each, 0);
}

/** Files of `memfd_create`, each once. */
function namelessIn(folders: readonly string[]): number {
  const found = new Map<number, number>();
  let left = mostDescriptors;
  for (const folder of folders)
    for (const fd of numbersIn(`${folder}/fd`)) {
      if (--left < 0) break;
      const path = `${folder}/fd/${fd}`;
      try {
        if (!readlinkSync(path).startsWith("/memfd:")) continue;
        const { ino, blocks } = statSync(path);
        found.set(ino, blocks * 512);
      } catch {
        // It was closed meanwhile.
      }
    }
  return [...found.values()].reduce((sum, each) => sum + each, 0);
}

function threadsOf(folder: string): number {
  const stat = read(`${folder}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[17] ?? 0) || 0;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
