// What a folder was at one moment, so that whatever a program writes there afterwards is known. A file is told by inode and
// ctime: the kernel sets them, and no program in a box can set them back, as it can with a modification time.
import { lstatSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { bytesOf, latin1Of } from "./git/work-files.ts";
import { removeTree } from "./remove-tree.ts";
import { isTurnOver, nextTurn } from "./turns.ts";

/** By path, what each file and folder was. */
export type Seal = ReadonlyMap<string, string>;

/**
 * Remembers a folder as it is. `probe` is a file beside it, on the same file system.
 *
 * Contract: what is changed after this has another mark. Nothing where the file system's clock is too coarse for that.
 */
export async function sealed(folder: string, probe: string): Promise<Seal | undefined> {
  let newest = 0n;
  const seal = new Map<string, string>();
  await walk(folder, (path, { mark, changed }) => {
    seal.set(path, mark);
    if (changed > newest) newest = changed;
    return true;
  });
  for (let tries = 0; tries < 100; tries++) {
    writeFileSync(probe, `${tries}`);
    if (lstatSync(probe, { bigint: true }).ctimeNs > newest) return seal;
    await pause(2);
  }
  return undefined;
}

/** Removes what was added since; whether the folder is then as it was. Never throws. */
export async function putBack(folder: string, seal: Seal): Promise<boolean> {
  const added: string[] = [];
  let same = 0;
  try {
    await walk(folder, (path, { mark }) => {
      const known = seal.get(path);
      if (known === undefined) added.push(path);
      else if (known === mark) same++;
      return known !== undefined;
    });
    if (same !== seal.size || added.some((path) => latin1Of(path) !== path)) return false;
    for (const path of added) await removeTree(`${folder}/${path}`);
    return true;
  } catch {
    // A folder that cannot be read, or lies too deep, is not as it was.
    return false;
  }
}

interface Entry {
  readonly mark: string;
  readonly changed: bigint;
}

/** Every file and folder, folders before what is in them. `see` says whether to go into a folder. */
async function walk(root: string, see: (path: string, entry: Entry) => boolean): Promise<void> {
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const at = folder === "" ? latin1Of(root) : `${latin1Of(root)}/${folder}`;
    for (const name of await readdir(bytesOf(at), { encoding: "latin1" })) {
      if (isTurnOver()) await nextTurn();
      const path = folder === "" ? name : `${folder}/${name}`;
      const { ino, ctimeNs, mode, mtimeNs, size } = lstatSync(bytesOf(`${at}/${name}`), { bigint: true });
      const isFolder = (mode & 0o170000n) === 0o040000n;
      // A folder's times change with what comes and goes in it; that is seen by itself.
      const mark = isFolder ? `${ino} ${mode}` : `${ino} ${mode} ${ctimeNs} ${mtimeNs} ${size}`;
      if (see(path, { mark, changed: ctimeNs }) && isFolder) folders.push(path);
    }
  }
}
