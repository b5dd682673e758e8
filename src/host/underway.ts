// Who is at work in a project. Each process that opens it leaves a mark in `.heddle/underway/`, named for the process
// (pid, start time, boot, machine), and notes beside it (`notes.ts`) for what must be ended or undone if it dies. It takes
// its mark away when it ends, so a mark whose process is gone is a process that was killed, and the next command clears
// up after it (`keep/settle.ts`). Every command comes here, so nothing slow is loaded.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Holder } from "../core/run-parts.ts";
import { holdsLease, keepLease } from "./lease.ts";
import { thisProcess } from "./program/process.ts";
import { scratchPlace } from "./scratch.ts";

/** What a note says is to be done; `keep/settle.ts` does it. */
export type NoteKind = "restore" | "import" | "rollback" | "landing" | "view" | "git" | "scratch";

export interface Note {
  readonly kind: NoteKind;
  readonly file: string;
  /** One that was being written promises nothing: what it is about had not begun. */
  readonly isWhole: boolean;
}

export interface Left {
  readonly by: Holder;
  readonly isDead: boolean;
  readonly mark: string;
  readonly notes: readonly Note[];
}

export const folderIn = (heddle: string) => join(heddle, "underway");

let own: string | undefined;

export function ownName(): string {
  if (own === undefined) {
    const { pid, startTime, bootId, host } = thisProcess();
    own = [pid, startTime || "0", bootId || "0", encodeURIComponent(host)].join("~");
  }
  return own;
}

/** Marks this process as at work in the project, until it ends. Where that cannot be written, nothing else can. */
export function enter(heddle: string): void {
  const mark = join(folderIn(heddle), ownName());
  if (marked.has(mark)) return;
  try {
    if (!existsSync(folderIn(heddle))) mkdirSync(folderIn(heddle));
    writeFileSync(mark, "");
  } catch {
    return;
  }
  if (marked.size === 0) process.on("exit", leave);
  marked.add(mark);
  leases.push(keepLease(mark));
}

const marked = new Set<string>();
const leases: (() => void)[] = [];
let unclean = false;

/** A child of ours was killed: what it left is cleared away as if this process had been, once this one has ended. */
export function leaveMark(): void {
  unclean = true;
}

export const isUnclean = () => unclean;

function leave(): void {
  for (const end of leases.splice(0)) end();
  if (unclean) return;
  for (const mark of marked)
    try {
      rmSync(mark, { force: true });
    } catch {
      // The next command finds it, and that its process is gone.
    }
}

/** Marks and notes, by process; this process's own are not listed. */
export function underway(heddle: string): Left[] {
  const found = new Map<string, { by: Holder; notes: Note[] }>();
  for (const name of namesIn(folderIn(heddle))) {
    const id = /^((\d+)~(\d+)~([^~]*)~([^~]*?))(?:~\d+\.(\w+)\.json(\.new)?)?$/.exec(name);
    if (!id) continue;
    const [, whole = "", pid, startTime = "", bootId = "", host = "", kind, isPart] = id;
    if (whole === ownName()) continue;
    const by: Holder = {
      pid: Number(pid),
      startTime,
      bootId: bootId === "0" ? "" : bootId,
      host: decoded(host),
    };
    const each = found.get(whole) ?? { by, notes: [] };
    found.set(whole, each);
    const file = join(folderIn(heddle), name);
    if (kind !== undefined) each.notes.push({ kind: kind as NoteKind, file, isWhole: isPart === undefined });
  }
  return [...found].map(([name, { by, notes }]) => {
    const mark = join(folderIn(heddle), name);
    return { by, notes, isDead: !holdsLease(by, mark), mark };
  });
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What was left behind has been dealt with. */
export function forget({ mark, notes }: Left): void {
  for (const { file } of notes) rmSync(file, { force: true });
  rmSync(mark, { force: true });
}

/** One that is alive and replaces the journal is waited for as well. */
export const isToSettle = (heddle: string) =>
  underway(heddle).some(({ isDead, notes }) => isDead || notes.some(({ kind }) => kind === "restore"));

/** What folders for passing things begin with, outside the project: by it whoever comes after a kill finds them. */
export function passingPrefix({ pid, startTime }: Pick<Holder, "pid" | "startTime"> = thisProcess()): string {
  return join(scratchPlace(), `heddle-${pid}-${startTime || "0"}-`);
}

/** The file whose lock lets one process at a time settle what others left; the kernel frees it with its holder. */
export const turnIn = (heddle: string) => join(folderIn(heddle), "turn");
