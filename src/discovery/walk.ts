// A walk over a folder that anyone may have filled: breadth first, so that a deep corner cannot hide what lies near the
// top; no link is followed, so there are no loops and no way out; bounded in files, depth and time.
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { environmentMark, isIgnoredFolder } from "./ignored-folders.ts";

export interface WalkBounds {
  readonly files: number;
  readonly depth: number;
  readonly ms: number;
  /** Folders, by their path, that are left out beside the usual ones. */
  readonly without?: (path: string) => boolean;
}

export interface Walked {
  readonly paths: string[];
  readonly complete: boolean;
}

interface Names {
  readonly files: string[];
  readonly folders: string[];
}

/** Regular files only, relative to `root`. What cannot be opened is passed over. */
export async function walk(root: string, bounds: WalkBounds): Promise<Walked> {
  const until = performance.now() + bounds.ms;
  const paths: string[] = [];
  let complete = true;
  let level: string[] = [""];
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (paths.length >= bounds.files || performance.now() > until) return { paths, complete: false };
      const names = await namesIn(join(root, folder), bounds.files - paths.length + 1);
      if (names.files.includes(environmentMark)) continue;
      for (const name of names.files) paths.push(folder === "" ? name : `${folder}/${name}`);
      next.push(...entered(folder, names, bounds));
    }
    if (depth >= bounds.depth && next.length > 0) complete = false;
    level = depth >= bounds.depth ? [] : next;
  }
  if (paths.length <= bounds.files) return { paths, complete };
  return { paths: paths.slice(0, bounds.files), complete: false };
}

function entered(folder: string, { files, folders }: Names, { without }: WalkBounds): string[] {
  const surroundings = { atRoot: folder === "", siblings: files };
  return folders
    .map((name) => ({ name, path: folder === "" ? name : `${folder}/${name}` }))
    .filter(({ name, path }) => !isIgnoredFolder(name, surroundings) && without?.(path) !== true)
    .map(({ path }) => path);
}

/** Directory order is unspecified, so names are sorted; a folder with a million names is left after `most` files. */
async function namesIn(folder: string, most: number): Promise<Names> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (entry.isFile()) files.push(entry.name);
      else if (entry.isDirectory()) folders.push(entry.name);
      if (files.length + folders.length >= most + 10_000) break;
    }
  } catch {
    // Unreadable, or gone since its name was read: the names that came are used.
  }
  return { files: files.sort(), folders: folders.sort() };
}
