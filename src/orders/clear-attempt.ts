// What an attempt leaves on the disk and nobody needs once it is over.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isThere } from "../host/files.ts";
import { removeTree } from "../host/remove-tree.ts";

/** What an attempt leaves that nobody reads again: its files, not its records. */
export async function clearAttempt(folder: string): Promise<void> {
  const names = isThere(folder) ? readdirSync(folder) : [];
  const rooms = names.filter((name) => name.startsWith("room"));
  const left = ["work", "home", "tmp", "index", "index.base", "index.rules", "door", "setups", ...rooms];
  // What only another user can remove stays, and stops nothing.
  for (const name of left) await removeTree(join(folder, name)).catch(() => undefined);
}
