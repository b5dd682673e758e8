// Which processes belong to a run, and how all of them are ended. A run's mark is in the environment of everything it
// started, whatever session or parent a process chose for itself. Only a process that empties its own environment
// *and* leaves its group is not found; in the box not even that one escapes, because its PID namespace ends.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { asMark, markName } from "./marks.ts";

/** One process, told from others that had or will have its pid. */
export interface ProcessId {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat; empty where there is no /proc. */
  readonly startTime: string;
}

interface Row extends ProcessId {
  readonly parent: number;
  readonly group: number;
}

export function processId(pid: number): ProcessId | undefined {
  if (process.platform !== "linux") return { pid, startTime: "" };
  return rowOf(pid);
}

export function isRunning({ pid, startTime }: ProcessId): boolean {
  const found = processId(pid);
  return found !== undefined && found.startTime === startTime;
}

/** A zombie has ended. The name in brackets may hold spaces and brackets itself. */
function rowOf(pid: number): Row | undefined {
  const stat = readProc(`${pid}/stat`);
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), startTime: rest[16] ?? "" };
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}

function pids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** `root` and its descendants. Those who left the tree are not among them. */
export function family(root: number): number[] {
  const children = childrenByParent();
  const found = [root];
  for (let at = 0; at < found.length; at++)
    for (const child of children.get(found[at] ?? 0) ?? []) found.push(child);
  return found;
}

const freshMs = 100;
let table = { readAt: -Infinity, children: new Map<number, number[]>() };

/** Many programs are looked at in the same moment, and one look at /proc serves all of them. */
function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  if (performance.now() - table.readAt < freshMs) return table.children;
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const row = rowOf(pid);
    if (!row) continue;
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(pid);
    else children.set(row.parent, [pid]);
  }
  table = { readAt: performance.now(), children };
  return children;
}

/** The arguments of every living process that has any, by its number. */
export function commandLines(): ReadonlyMap<number, readonly string[]> {
  const all = pids().map((pid) => [pid, readProc(`${pid}/cmdline`).split("\0")] as const);
  return new Map(all.filter(([, [program]]) => program !== ""));
}

/** Every living process that carries the mark of that name. */
export function findMarked(name: string): number[] {
  const mark = asMark(name);
  return pids().filter((pid) => pid !== process.pid && marksOf(pid).includes(mark));
}

function marksOf(pid: number): string[] {
  const environment = `\0${readProc(`${pid}/environ`)}`;
  const at = environment.indexOf(`\0${markName}=`);
  if (at === -1) return [];
  const from = at + markName.length + 2;
  const end = environment.indexOf("\0", from);
  return environment.slice(from, end === -1 ? undefined : end).split(":");
}

/**
 * Ends every process that carries `mark` and waits until they are gone. Recovery calls it for the attempts of an
 * orchestrator that died; nothing else need be known about them.
 *
 * Contract: never throws; returns within `limitMs` (plus one look at /proc) the pids that are still there, which
 * only happens to processes that the kernel itself cannot end, or to a fork bomb outside the box.
 */
export async function endMarked(mark: string, limitMs = 3000): Promise<number[]> {
  const until = performance.now() + limitMs;
  // A process that forks and exits while /proc is read may hide its child from one look, not from two in a row.
  for (let empty = 0; ; ) {
    const found = findMarked(mark);
    empty = found.length === 0 ? empty + 1 : 0;
    if (empty === 2) return [];
    if (performance.now() > until) return found;
    for (const pid of found) endWithGroup(pid);
    if (found.length > 0) await sleep(2);
  }
}

/** In the group may be a process that emptied its environment. Programs are started in groups of their own. */
function endWithGroup(pid: number): void {
  const group = rowOf(pid)?.group ?? 0;
  if (group > 1 && group !== rowOf(process.pid)?.group) signal(-group, "SIGKILL");
  signal(pid, "SIGKILL");
}

/** Also for a whole group, by its negative id. Whether there was anybody to receive it. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
