// Copies of a task's declared files, so that a failed attempt of a host can be undone (X20). Nothing outside the
// target is read or written, whatever links an agent may have planted. Nothing is deleted either: what is taken away
// may be a person's, so it is moved to a folder of its own, and the caller says where.
import { copyFileSync, lstatSync, mkdirSync, readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ownList } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";
import { freeName, sameFile, takeAside, writeNew } from "./aside.ts";
import { type FolderCopy, listFolder } from "./copied-folder.ts";
import { readIfThere, replaceFile } from "./files.ts";

interface Kept {
  readonly path: string;
  /** Whether it was a file. */
  readonly existed: boolean;
  /** What it held, when it was a folder. */
  readonly folder?: FolderCopy;
}

export interface Copies {
  readonly target: string;
  /** Where the copies are. */
  readonly folder: string;
  /** Never copied, put back or taken away: heddle's own folders, wherever a declared folder may contain them. */
  readonly skip: readonly string[];
}

/** Copies what is there, and notes what is not. A second call adds to the first. */
export function keepCopies({ target, folder, skip }: Copies, paths: readonly string[]): Problem[] {
  const kept = new Map(manifest(folder).map((each) => [each.path, each]));
  const problems: Problem[] = [];
  for (const path of paths) {
    if (kept.has(path)) continue;
    const found = inside(target, path);
    if ("code" in found) {
      problems.push(found);
      continue;
    }
    const existed = statusOf(found.file)?.isFile() === true;
    const listed = statusOf(found.file)?.isDirectory() ? listFolder(found.file, skip) : undefined;
    if (existed) copy(found.file, join(folder, "files", path));
    for (const each of listed?.files ?? []) copy(join(found.file, each), join(folder, "files", path, each));
    kept.set(path, { path, existed, ...(listed && { folder: listed }) });
  }
  if (problems.length > 0) return problems;
  mkdirSync(folder, { recursive: true });
  replaceFile(join(folder, "manifest.json"), JSON.stringify([...kept.values()]));
  return [];
}

export interface PutBack {
  readonly restored: string[];
  /** What was not there before and is not there any more. */
  readonly deleted: string[];
  /** Declared folders that were too large to be copied, and are as the attempt left them. */
  readonly left: string[];
  readonly problems: Problem[];
  /** Where everything is that was taken away or replaced; null when nothing was. */
  aside: string | null;
}

/** Puts everything back: what was there comes again, what was not goes to a folder in `aside`. Repeatable. */
export function putBack(copies: Copies, aside: string): PutBack {
  const outcome: PutBack = { restored: [], deleted: [], left: [], problems: [], aside: null };
  const place = freeName(aside);
  const take = (file: string, path: string) => {
    takeAside(file, freeName(join(place, path)));
    outcome.aside = place;
  };
  for (const kept of manifest(copies.folder)) {
    const { path, existed, folder } = kept;
    const found = inside(copies.target, path);
    if ("code" in found) outcome.problems.push(found);
    else if (folder) backToFolder({ copies, file: found.file, path, folder, take }, outcome);
    else if (existed) {
      const from = join(copies.folder, "files", path);
      backToFile({ ours: copies.folder, from, file: found.file, path, take });
      outcome.restored.push(path);
    } else if (statusOf(found.file)) {
      take(found.file, path);
      outcome.deleted.push(path);
    }
  }
  return outcome;
}

type Take = (file: string, path: string) => void;

interface One {
  /** heddle's own folder of this attempt. */
  readonly ours: string;
  readonly from: string;
  readonly file: string;
  readonly path: string;
  readonly take: Take;
}

/** A person may save while this goes on: what is there at the last moment is taken aside as well. */
function backToFile({ ours, from, file, path, take }: One): void {
  for (;;) {
    if (sameFile(from, file)) return;
    if (statusOf(file)) take(file, path);
    mkdirSync(dirname(file), { recursive: true });
    if (writeNew(from, file, ours)) return;
  }
}

interface Whole {
  readonly copies: Copies;
  readonly file: string;
  readonly path: string;
  readonly folder: FolderCopy;
  readonly take: Take;
}

function backToFolder({ copies, file, path, folder, take }: Whole, outcome: PutBack): void {
  if (folder.tooLarge) {
    outcome.left.push(path);
    return;
  }
  if (statusOf(file) && !statusOf(file)?.isDirectory()) take(file, path);
  mkdirSync(file, { recursive: true });
  const before = { files: new Set(folder.files), folders: new Set(folder.folders), links: folder.links };
  const now = listFolder(file, copies.skip, { whole: before });
  for (const each of now.extra ?? []) {
    take(join(file, each), join(path, each));
    outcome.deleted.push(join(path, each));
  }
  for (const each of folder.folders) {
    const there = statusOf(join(file, each));
    if (there && !there.isDirectory()) take(join(file, each), join(path, each));
    mkdirSync(join(file, each), { recursive: true });
  }
  for (const each of folder.files) {
    const from = join(copies.folder, "files", path, each);
    backToFile({ ours: copies.folder, from, file: join(file, each), path: join(path, each), take });
  }
  for (const [each, to] of Object.entries(folder.links))
    backToLink({ from: to, file: join(file, each), path: join(path, each), take });
  outcome.restored.push(path);
}

function backToLink({ from, file, path, take }: Omit<One, "ours">): void {
  const there = statusOf(file);
  if (there?.isSymbolicLink() && readlinkSync(file) === from) return;
  if (there) take(file, path);
  symlinkSync(from, file);
}

function manifest(folder: string): Kept[] {
  const file = join(folder, "manifest.json");
  return [...(ownList<Kept>(file, readIfThere(file)) ?? [])];
}

/** Where a declared path really lies, when that is inside the target. */
function inside(target: string, path: string): { readonly file: string } | Problem {
  const outside = () =>
    problem("outside", `\`${path}\` leads outside the target ${target}`, {
      hint: "correct the path in the task file",
    });
  const file = resolve(target, path);
  if (!isWithin(resolve(target), file)) return outside();
  let existing = dirname(file);
  while (!statusOf(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (statusOf(existing)?.isFile())
    return problem("in-the-way", `\`${path}\` has a file in its way: ${existing}`, {
      hint: `rm ${existing}`,
    });
  const base = statusOf(target) ? realpathSync(target) : resolve(target);
  const real = realpathSync(existing);
  if (statusOf(target) && !isWithin(base, real)) return outside();
  if (statusOf(file)?.isSymbolicLink()) return outside();
  return { file };
}

function isWithin(base: string, path: string): boolean {
  const from = relative(base, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`));
}

/** What lies there itself; nothing below a file. */
function statusOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
