// Removes folders of any size without holding the loop up: an agent's workspace may have as many files as the target, and
// the disk may be slow. Everything is done in the background, a bounded number of files at a time.
import { chmod, lstat, opendir, rename, rmdir, unlink } from "node:fs/promises";
import { bytesOf, latin1Of } from "./git/work-files.ts";

const atOnce = 32;
/** A folder below a longer path is first moved up: agents can make paths that no system call takes. */
const longPath = 2_000;

type Failure = NodeJS.ErrnoException;

/**
 * Removes a file, a link or a folder with everything in it. Links are never followed; folders that cannot be written
 * are made so first. That it is not there is no failure.
 *
 * Contract: nothing of it outlives this process. What could not be removed throws, and the rest is gone.
 */
export async function removeTree(path: string): Promise<void> {
  const root = latin1Of(path);
  if (!(await unlinked(root))) await removeFolder(root);
}

/** False for a folder. */
async function unlinked(path: string): Promise<boolean> {
  try {
    await unlink(bytesOf(path));
  } catch (error) {
    const { code } = error as Failure;
    if (code === "EISDIR" || (code === "EPERM" && (await isFolder(path)))) return false;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  return true;
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(bytesOf(path))).isDirectory();
}

/** Emptied from the top, taken away from the bottom. What somebody adds meanwhile is removed as well, a few times. */
async function removeFolder(root: string): Promise<void> {
  for (let left = 3; ; left--) {
    const folders = [root];
    for (const folder of folders) await empty(folder, { root, folders });
    try {
      for (const folder of folders.reverse())
        await opening(folder === root ? root : parentOf(folder), () => rmdir(bytesOf(folder)));
      return;
    } catch (error) {
      const { code } = error as Failure;
      if (code === "ENOENT") return;
      if (code !== "ENOTEMPTY" || left === 0) throw error;
    }
  }
}

interface Emptying {
  readonly root: string;
  /** Folders that were found on the way, to be emptied later. */
  readonly folders: string[];
}

async function empty(folder: string, emptying: Emptying): Promise<void> {
  let files: string[] = [];
  for await (const name of namesIn(folder)) {
    files.push(`${folder}/${name}`);
    if (files.length < atOnce) continue;
    await removeAll(files, emptying);
    files = [];
  }
  await removeAll(files, emptying);
}

/** Read piece by piece: a folder may have any number of files. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  const options = { encoding: "latin1" as BufferEncoding, bufferSize: 256 };
  // The types of Node say that a path is text here; bytes do as well.
  const path = bytesOf(folder) as unknown as string;
  for await (const { name } of await opening(folder, () => opendir(path, options))) yield name;
}

async function removeAll(paths: readonly string[], emptying: Emptying): Promise<void> {
  await Promise.all(paths.map((path) => removeOne(path, emptying)));
}

async function removeOne(path: string, { root, folders }: Emptying): Promise<void> {
  if (await opening(parentOf(path), () => unlinked(path))) return;
  if (path.length < longPath) folders.push(path);
  else folders.push(await movedUp(path, root));
}

async function movedUp(path: string, root: string): Promise<string> {
  const nearer = `${root}/${crypto.randomUUID()}`;
  await opening(path, () => rename(bytesOf(path), bytesOf(nearer)));
  return nearer;
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** Agents, and tools such as Go's, leave folders that cannot be written. */
async function opening<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Failure).code !== "EACCES") throw error;
    await chmod(bytesOf(folder), 0o700);
    return work();
  }
}
