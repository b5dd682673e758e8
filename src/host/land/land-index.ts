// The person's index while a run lands in their checkout. heddle holds git's own `index.lock`, made by itself and with a
// word in it that nobody else knows, so that one that it left can be told from a person's; git writes the new index among
// heddle's files, and it takes the place of the old one by a rename.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkNew } from "../aside.ts";
import { type GitDirectory, runGit } from "../git/git.ts";

export interface IndexMove {
  readonly own: GitDirectory;
  readonly checkout: string;
  readonly staging: string;
  /** The commit that the index is of, "" before the first. */
  readonly head: string;
  readonly tip: string;
}

const lockOf = (gitDir: string) => join(gitDir, "index.lock");
const wordIn = (staging: string) => join(staging, "lock");

/** False when another git holds it. */
export function lockIndex(gitDir: string, staging: string): boolean {
  writeFileSync(wordIn(staging), `heddle ${crypto.randomUUID()}\n`);
  return linkNew(wordIn(staging), lockOf(gitDir));
}

export function unlockIndex(gitDir: string, staging: string): void {
  if (isOurs(gitDir, staging)) rmSync(lockOf(gitDir), { force: true });
}

function isOurs(gitDir: string, staging: string): boolean {
  try {
    const lock = lockOf(gitDir);
    return statSync(lock).size < 100 && readFileSync(lock).equals(readFileSync(wordIn(staging)));
  } catch {
    return false;
  }
}

const before = (staging: string) => join(staging, "index.before");
const after = (staging: string) => join(staging, "index");

/** Makes the new index, without anybody seeing it yet; what git says against it. */
export async function makeIndex({
  own,
  checkout,
  staging,
  head,
  tip,
}: IndexMove): Promise<string | undefined> {
  const index = join(own.gitDir, "index");
  if (existsSync(index)) copyFileSync(index, after(staging));
  const trees = head === "" ? [tip] : [head, tip];
  const args = ["read-tree", "-i", "-m", ...trees];
  const read = await runGit(own, { args, workTree: checkout, index: after(staging) });
  if (read.code !== 0) return read.error;
  // Last: where it is without the new one beside it, the new one is in its place (`isSwapped`).
  if (existsSync(index)) copyFileSync(index, before(staging));
  else writeFileSync(before(staging), "");
  return undefined;
}

/** The files are there by now: git looks at them once, so that its status need not. */
export async function swapIndex({ own, checkout, staging }: IndexMove): Promise<void> {
  const args = ["update-index", "-q", "--refresh"];
  await runGit(own, { args, workTree: checkout, index: after(staging) });
  renameSync(after(staging), join(own.gitDir, "index"));
}

export const isSwapped = (staging: string) => existsSync(before(staging)) && !existsSync(after(staging));

export function swapBack(gitDir: string, staging: string): void {
  const index = join(gitDir, "index");
  if (!isSwapped(staging)) return;
  if (statSync(before(staging)).size === 0) rmSync(index, { force: true });
  else renameSync(before(staging), index);
}
