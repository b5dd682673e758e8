// What a declared folder holds: its files, folders and links, without repositories and without heddle's own folders.
// Links are named and never followed. A folder beyond the limits is not copied, and a rollback leaves it alone.
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface FolderCopy {
  /** Relative to the folder, like all names here. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly links: Readonly<Record<string, string>>;
  readonly tooLarge?: boolean;
}

const mostFiles = 5_000;
const mostBytes = 256 * 1024 * 1024;

interface Before {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly links: Readonly<Record<string, string>>;
}

/**
 * With `whole`, what was there before: then what is new is listed as `extra`, a new folder as one entry, and what was
 * known is not listed again.
 */
export function listFolder(
  folder: string,
  skip: readonly string[],
  { whole }: { whole?: Before } = {},
): FolderCopy & { readonly extra?: readonly string[] } {
  const found = {
    files: [] as string[],
    folders: [] as string[],
    links: {} as Record<string, string>,
    extra: [] as string[],
  };
  let bytes = 0;
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const name of readdirSync(join(folder, at)).sort()) {
      const path = join(at, name);
      const file = join(folder, path);
      if (name === ".git" || skip.includes(file)) continue;
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (!stat) continue;
      const isKnown = whole?.files.has(path) || whole?.folders.has(path) || path in (whole?.links ?? {});
      if (whole && !isKnown) found.extra.push(path);
      else if (stat.isDirectory()) {
        found.folders.push(path);
        if (!whole || whole.folders.has(path)) open.push(path);
      } else if (stat.isSymbolicLink()) found.links[path] = readlinkSync(file);
      else if (stat.isFile()) {
        found.files.push(path);
        bytes += stat.size;
      }
      if (!whole && (found.files.length + found.folders.length > mostFiles || bytes > mostBytes))
        return { files: [], folders: [], links: {}, tooLarge: true };
    }
  return whole ? found : { files: found.files, folders: found.folders, links: found.links };
}
