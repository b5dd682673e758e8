// Keeps the project's cache of set-ups small: what nobody has used for a day goes, beyond the newest few; and what a
// process that was killed left half made.
import { stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { isGone } from "../../host/files.ts";
import { listHandedIn } from "../../host/handed-in.ts";
import { removeTree } from "../../host/remove-tree.ts";

const newest = 8;
const unusedMs = 24 * 3_600_000;

/** What is in use is not old. */
export async function markUsed(kept: string): Promise<void> {
  const now = new Date();
  await utimes(kept, now, now).catch(() => {});
}

/** Never throws: a cache that cannot be cleared is only large. */
export async function pruneCache(cache: string, used: string): Promise<void> {
  try {
    const now = Date.now();
    await markUsed(used);
    const listed = listHandedIn(cache, 10_000);
    const names = listed === "too many" ? [] : listed.map(({ name }) => name);
    for (const name of names) {
      const pid = /\.(\d+)-[0-9a-f]+\.new$/.exec(name)?.[1];
      if (pid !== undefined && isGone(Number(pid))) await removeTree(join(cache, name));
    }
    const kept = await Promise.all(
      names
        .filter((name) => /^[0-9a-f]{32}$/.test(name) && name !== basename(used))
        .map(async (name) => ({ name, at: (await stat(join(cache, name))).mtimeMs })),
    );
    const old = kept.sort((a, b) => b.at - a.at).slice(newest);
    for (const { name, at } of old) if (now - at > unusedMs) await removeTree(join(cache, name));
  } catch {
    // It is not there, or may not be read.
  }
}
