// Copies of a task's declared files, so that a failed attempt of a host can be undone (X20). Nothing outside the
// target is read or written, whatever links an agent may have planted.
import { copyFileSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { readIfThere, replaceFile } from "./files.ts";

interface Kept {
  readonly path: string;
  readonly existed: boolean;
}

/** Copies what is there, and notes what is not. A second call adds to the first. */
export function keepCopies(target: string, folder: string, paths: readonly string[]): Problem[] {
  const kept = new Map(manifest(folder).map((each) => [each.path, each]));
  const problems: Problem[] = [];
  for (const path of paths) {
    if (kept.has(path)) continue;
    const found = inside(target, path);
    if ("code" in found) {
      problems.push(found);
      continue;
    }
    const existed = isFile(found.file);
    if (existed) copy(found.file, join(folder, "files", path));
    kept.set(path, { path, existed });
  }
  if (problems.length > 0) return problems;
  mkdirSync(folder, { recursive: true });
  replaceFile(join(folder, "manifest.json"), JSON.stringify([...kept.values()]));
  return [];
}

/** Puts everything back: what was there comes again, what was not goes. Repeatable. */
export function putBack(
  target: string,
  folder: string,
): { restored: string[]; deleted: string[]; problems: Problem[] } {
  const outcome = { restored: [] as string[], deleted: [] as string[], problems: [] as Problem[] };
  for (const { path, existed } of manifest(folder)) {
    const found = inside(target, path);
    if ("code" in found) outcome.problems.push(found);
    else if (existed) {
      if (!isFile(found.file)) rmSync(found.file, { force: true, recursive: true });
      copy(join(folder, "files", path), found.file);
      outcome.restored.push(path);
    } else if (isThere(found.file)) {
      rmSync(found.file, { force: true, recursive: true });
      outcome.deleted.push(path);
    }
  }
  return outcome;
}

function manifest(folder: string): Kept[] {
  const text = readIfThere(join(folder, "manifest.json"));
  return text ? (JSON.parse(text) as Kept[]) : [];
}

/** Where a declared path really lies, when that is inside the target. */
function inside(target: string, path: string): { readonly file: string } | Problem {
  const outside = () =>
    problem("outside", `\`${path}\` leads outside the target ${target}`, {
      hint: "mend the path in the task file",
    });
  const file = resolve(target, path);
  if (!isWithin(resolve(target), file)) return outside();
  let existing = dirname(file);
  while (!isThere(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (isFile(existing))
    return problem("in-the-way", `\`${path}\` has a file in its way: ${existing}`, {
      hint: `rm ${existing}`,
    });
  const base = isThere(target) ? realpathSync(target) : resolve(target);
  const real = realpathSync(existing);
  if (isThere(target) && !isWithin(base, real)) return outside();
  if (statusOf(file)?.isSymbolicLink()) return outside();
  return { file };
}

function isWithin(base: string, path: string): boolean {
  const from = relative(base, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`));
}

function isThere(path: string): boolean {
  return statusOf(path) !== undefined;
}

function isFile(path: string): boolean {
  return statusOf(path)?.isFile() === true;
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
