// Where a run's folders are, as the journal keeps it: relative to the project's root when they lie inside it, so that
// a project that was moved or copied is still whole. In memory and in every view they are absolute.
import { isAbsolute, join, relative } from "node:path";
import type { Entry } from "../core/fact.ts";

interface Placed {
  readonly targetDir: string;
  readonly planningDir: string;
}

/** Undefined for journals that belong to no directory: then paths are kept as they are. */
export type Root = string | undefined;

export function kept<T extends Placed>(placed: T, root: Root): T {
  return moved(placed, (path) => (root === undefined ? path : inside(root, path)));
}

export function found<T extends Placed>(placed: T, root: Root): T {
  return moved(placed, (path) =>
    root === undefined || path === "" || isAbsolute(path) ? path : join(root, path),
  );
}

export function foundEntry(entry: Entry, root: Root): Entry {
  return entry.fact.kind === "run-created" ? { ...entry, fact: found(entry.fact, root) } : entry;
}

function moved<T extends Placed>(placed: T, move: (path: string) => string): T {
  return { ...placed, targetDir: move(placed.targetDir), planningDir: move(placed.planningDir) };
}

function inside(root: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const from = relative(root, path);
  if (from === "") return ".";
  return from === ".." || from.startsWith("../") ? path : from;
}
