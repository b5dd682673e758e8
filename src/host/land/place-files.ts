// Files of a landing go to their places, and not one that a person saves meanwhile is lost. What is at a place is first
// renamed, then compared with what was seen there before; the new file is put only where there is nothing. When anything
// differs, everything goes back. The plan is on the disk before the first step, so that whoever comes after a kill can do
// the same (`undoAll`). Paths are bytes, kept as latin1 text.
import { createHash } from "node:crypto";
import {
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { freeName, linkNew, takeAside } from "../aside.ts";
import { bytesOf, latin1Of, statIfThere, textOf } from "../git/work-files.ts";
import { sealed } from "../sealed.ts";
import { sync } from "../sync.ts";
import { isTurnOver, nextTurn } from "../turns.ts";

/** What was at a path when it was compared: a link's text, or a file by its bytes and by how it looked. */
export type Seen =
  | { readonly link: string }
  | {
      readonly digest: string;
      readonly inode: string;
      readonly size: string;
      readonly modified: string;
      /** When its bytes were read, in milliseconds. */
      readonly at: number;
    };

export interface Step {
  readonly bytes: string;
  /** Whether a file comes here; otherwise one goes. */
  readonly put: boolean;
  /** When the new file was last written: a person who edits it in its place is not taken for heddle. */
  readonly fresh: string | null;
  readonly was: Seen | null;
  /** The first folder on the way that was not there. */
  readonly made: string | null;
}

export interface Plan {
  /** Where the files go. */
  readonly root: string;
  /** The new ones are in `files/` here. */
  readonly staging: string;
  readonly token: string;
  /** Where something of the person's is kept that has no other place any more. */
  readonly aside: string;
  readonly steps: readonly Step[];
}

/** A moment before this, and a clock that ticks slowly may hide a change. */
const doubtfulMs = 2_000;

export async function see(path: string): Promise<Seen | null> {
  const stat = exactly(path);
  if (stat?.isSymbolicLink())
    return { link: readlinkSync(bytesOf(path), { encoding: "buffer" }).toString("latin1") };
  if (!stat?.isFile()) return null;
  const at = Date.now();
  const [inode, size, modified] = [stat.ino, stat.size, stat.mtimeNs].map(String) as [string, string, string];
  return { digest: await digestOf(path), inode, size, modified, at };
}

/** To the nanosecond. */
const exactly = (path: string) =>
  statIfThere(path) && lstatSync(bytesOf(path), { bigint: true, throwIfNoEntry: false });

async function digestOf(path: string): Promise<string> {
  const sum = createHash("sha256");
  const file = await open(bytesOf(path), "r");
  try {
    const buffer = Buffer.alloc(1024 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return sum.digest("hex");
      sum.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

async function isUnchanged(path: string, was: Seen): Promise<boolean> {
  const stat = exactly(path);
  if ("link" in was)
    return (
      stat?.isSymbolicLink() === true &&
      readlinkSync(bytesOf(path), { encoding: "buffer" }).toString("latin1") === was.link
    );
  if (!stat?.isFile() || String(stat.size) !== was.size) return false;
  const same = String(stat.ino) === was.inode && String(stat.mtimeNs) === was.modified;
  if (same && Number(stat.mtimeMs) < was.at - doubtfulMs) return true;
  return (await digestOf(path)) === was.digest;
}

const placeOf = ({ root }: Plan, { bytes }: Step) => `${latin1Of(root)}/${bytes}`;

/** Where a file may be renamed to: best among heddle's own; beside it, where those are on another disk. */
function awayOf(plan: Plan, at: number, what: "was" | "gone"): string[] {
  const name = `.heddle-${plan.token}-${at}-${what}`;
  const folders = [
    latin1Of(plan.staging),
    latin1Of(plan.root),
    dirname(placeOf(plan, plan.steps[at] as Step)),
  ];
  return folders.map((folder) => `${folder}/${name}`);
}

const awayNow = (plan: Plan, at: number, what: "was" | "gone") =>
  awayOf(plan, at, what).find((path) => statIfThere(path));

/** On its way from another disk; a name of this landing and this step alone. */
const besideOf = (plan: Plan, at: number) =>
  `${dirname(placeOf(plan, plan.steps[at] as Step))}/.heddle-${plan.token}-${at}-new`;

function removeBeside(plan: Plan, at: number): void {
  if (statIfThere(besideOf(plan, at))) rmSync(bytesOf(besideOf(plan, at)), { force: true });
}

/** The name that it has now; nothing when there was nothing. */
function moveAway(plan: Plan, at: number, what: "was" | "gone"): string | undefined {
  const from = placeOf(plan, plan.steps[at] as Step);
  for (const to of awayOf(plan, at, what))
    try {
      renameSync(bytesOf(from), bytesOf(to));
      return to;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      if (code !== "EXDEV") throw error;
    }
  return undefined;
}

const stagedOf = ({ staging }: Plan, { bytes }: Step) => `${latin1Of(staging)}/files/${bytes}`;

export function madeBy(root: string, bytes: string): string | null {
  const parts = bytes.split("/").slice(0, -1);
  for (let n = 1; n <= parts.length; n++) {
    const folder = parts.slice(0, n).join("/");
    if (!statIfThere(`${latin1Of(root)}/${folder}`)) return folder;
  }
  return null;
}

export interface Placed {
  /** The first path where a person came in between: then everything is as it was. */
  readonly inTheWay: string | null;
  /** Where something of the person's is kept. */
  readonly aside: string | null;
}

/** Writes the plan down, then carries it out, all of it or nothing. What was replaced stays beside until `finish`. */
export async function placeAll(plan: Plan): Promise<Placed> {
  writeFileSync(join(plan.staging, "plan.json"), sealed(plan));
  for (const path of [join(plan.staging, "plan.json"), plan.staging]) sync(path);
  const order = [...plan.steps.keys()].sort(
    (a, b) => Number(plan.steps[a]?.put) - Number(plan.steps[b]?.put),
  );
  for (const at of order) {
    // Between files only: while one changes places, nothing else of heddle's comes in between.
    if (isTurnOver()) await nextTurn();
    const step = plan.steps[at] as Step;
    if (await placeOne(plan, at)) continue;
    return { inTheWay: step.bytes, aside: await undoAll(plan) };
  }
  return { inTheWay: null, aside: null };
}

async function placeOne(plan: Plan, at: number): Promise<boolean> {
  const step = plan.steps[at] as Step;
  const to = placeOf(plan, step);
  if (leadsThroughLink(latin1Of(plan.root), step.bytes)) return false;
  if (step.put) await syncFile(stagedOf(plan, step));
  if (step.was) {
    const was = moveAway(plan, at, "was");
    if (was === undefined || !(await isUnchanged(was, step.was))) return false;
  }
  if (!step.put) {
    if (statIfThere(to)) return false;
    removeEmpty(plan, step.bytes, null);
    return true;
  }
  // A folder that the run replaces is empty by now, unless a person put something there.
  if (statIfThere(to)?.isDirectory()) removeFolder(to);
  mkdirSync(bytesOf(dirname(to)), { recursive: true });
  return putNew(stagedOf(plan, step), to, besideOf(plan, at));
}

/** Never over anything. What is put is on the disk already. */
async function putNew(from: string, to: string, beside: string): Promise<boolean> {
  const stat = lstatSync(bytesOf(from));
  try {
    if (stat.isSymbolicLink()) {
      symlinkSync(readlinkSync(bytesOf(from), { encoding: "buffer" }), bytesOf(to));
      return true;
    }
    if (sameDisk(from, dirname(to))) return linkNew(bytesOf(from), bytesOf(to));
    return await putFromAfar(from, to, beside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const sameDisk = (one: string, other: string) =>
  lstatSync(bytesOf(one)).dev === lstatSync(bytesOf(other)).dev;

/** Whole before it has its name. */
async function putFromAfar(from: string, to: string, beside: string): Promise<boolean> {
  try {
    await copyFile(bytesOf(from), bytesOf(beside), constants.COPYFILE_EXCL);
    chmodSync(bytesOf(beside), lstatSync(bytesOf(from)).mode & 0o777);
    await syncFile(beside);
    return linkNew(bytesOf(beside), bytesOf(to));
  } finally {
    rmSync(bytesOf(beside), { force: true });
  }
}

export function leadsThroughLink(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => {
    const folder = `${root}/${parts.slice(0, at + 1).join("/")}`;
    return statIfThere(folder)?.isSymbolicLink() === true;
  });
}

/** Every place is as it was, or as a person has made it since. Repeatable, also by another process. */
export async function undoAll(plan: Plan): Promise<string | null> {
  let aside: string | null = null;
  for (const at of [...plan.steps.keys()].reverse()) {
    if (isTurnOver()) await nextTurn();
    if (await undoOne(plan, at)) aside = plan.aside;
  }
  return aside;
}

/** Whether something was kept aside. */
async function undoOne(plan: Plan, at: number): Promise<boolean> {
  const step = plan.steps[at] as Step;
  const to = placeOf(plan, step);
  removeBeside(plan, at);
  if (step.put && isOurs(plan, step, to)) moveAway(plan, at, "gone");
  let kept = false;
  // Looked at again: a person may have saved between the look and the rename.
  const gone = awayNow(plan, at, "gone");
  if (gone !== undefined && isOurs(plan, step, gone)) rmSync(bytesOf(gone), { force: true });
  else if (gone !== undefined) kept = moveBack(plan, { from: gone, to, path: step.bytes });
  const was = awayNow(plan, at, "was");
  if (step.was && was !== undefined) {
    if (statIfThere(to) && (await isUnchanged(was, step.was))) rmSync(bytesOf(was), { force: true });
    else kept = moveBack(plan, { from: was, to, path: step.bytes }) || kept;
  }
  if (step.made !== null && !statIfThere(to)) removeEmpty(plan, step.bytes, step.made);
  return kept;
}

/** To its place, or where that is taken, aside. */
function moveBack(plan: Plan, { from, to, path }: { from: string; to: string; path: string }): boolean {
  mkdirSync(bytesOf(dirname(to)), { recursive: true });
  if (statIfThere(to)?.isDirectory() && !statIfThere(from)?.isDirectory()) removeFolder(to);
  if (statIfThere(from)?.isFile()) {
    if (linkNew(bytesOf(from), bytesOf(to))) {
      rmSync(bytesOf(from), { force: true });
      return false;
    }
  } else if (!statIfThere(to)) {
    renameSync(bytesOf(from), bytesOf(to));
    return false;
  }
  keepAside(plan, from, path);
  return true;
}

function keepAside({ aside }: Plan, from: string, path: string): void {
  const beside = freeName(join(dirname(textOf(from)), `.heddle-kept-${process.pid}`));
  renameSync(bytesOf(from), beside);
  takeAside(beside, freeName(join(aside, textOf(path))));
}

/** The very file that was put here, or a copy of it, and as it was put. */
function isOurs(plan: Plan, step: Step, path: string): boolean {
  const staged = stagedOf(plan, step);
  const [a, b] = [exactly(staged), exactly(path)];
  if (!a || !b) return false;
  if (a.isSymbolicLink() && b.isSymbolicLink())
    return readlinkSync(bytesOf(staged), "latin1") === readlinkSync(bytesOf(path), "latin1");
  if (!a.isFile() || !b.isFile()) return false;
  if (a.dev === b.dev && a.ino === b.ino) return String(b.mtimeNs) === step.fresh;
  return a.size === b.size && readFileSync(bytesOf(staged)).equals(readFileSync(bytesOf(path)));
}

/** The landing counts: what was replaced goes, unless a program that had it open has written to it since. */
export async function finish(plan: Plan): Promise<string | null> {
  writeFileSync(join(plan.staging, "done"), "");
  for (const path of [join(plan.staging, "done"), plan.staging]) sync(path);
  let aside: string | null = null;
  for (const [at, step] of plan.steps.entries()) {
    if (isTurnOver()) await nextTurn();
    removeBeside(plan, at);
    const was = awayNow(plan, at, "was");
    if (!step.was || was === undefined) continue;
    if (await isUnchanged(was, step.was)) rmSync(bytesOf(was), { force: true });
    else {
      keepAside(plan, was, step.bytes);
      aside = plan.aside;
    }
  }
  return aside;
}

function removeFolder(path: string): boolean {
  try {
    rmdirSync(bytesOf(path));
    return true;
  } catch {
    return false;
  }
}

/** Folders on the way to a file that is gone, as long as they are empty; up to `first`, where that is given. */
function removeEmpty({ root }: Plan, path: string, first: string | null): void {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (!removeFolder(`${latin1Of(root)}/${folder}`) || folder === first) return;
  }
}

/** A large one takes the disk seconds. Links have nothing to be synced. */
async function syncFile(path: string): Promise<void> {
  if (statIfThere(path)?.isFile() !== true) return;
  const file = await open(bytesOf(path), "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
