// Journals on this machine: one SQLite file per project, in heddle's folder there. Whoever puts heddle together names this
// store once (`cli/composition.ts`); nobody else knows that there is a file. One that was moved to a server stays as a backup.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unusable } from "./failure.ts";
import type { Store } from "./journal.ts";
import { leaveFile, leftFor, takeMarkOff } from "./moved.ts";
import { createDatabase } from "./schema.ts";
import { SqliteJournal } from "./sqlite.ts";

const nameOfFile = "heddle.db";

/** What SQLite may put beside its file. */
const parts = ["", "-wal", "-shm", "-journal"] as const;

const fileIn = (root: string) => join(root, ".heddle", nameOfFile);

export const localJournals: Store = {
  name: undefined,
  has: async (root) => existsSync(fileIn(root)),
  create: async (root) => createDatabase(fileIn(root)),
  unusable: (root, error) => unusable(error, fileIn(root)),
  open: async ({ root, ...options }) => new SqliteJournal({ ...options, root, path: fileIn(root) }),
  tryOut: async (folder) => (await import("./trial.ts")).tryStore(folder),
  copies: {
    open: async ({ file, ...options }) => new SqliteJournal({ ...options, path: file, isCopy: true }),
    names: (file) => parts.map((ending) => `${file}${ending}`),
    nameIn: (root, by) => `${fileIn(root)}.restored-${by}`,
    replace: async (root, incoming, aside) => {
      const file = fileIn(root);
      if (aside !== null) putAside(file, aside);
      for (const ending of ["-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
      takeMarkOff(incoming);
      renameSync(incoming, file);
    },
  },
  leave: async (root, to, work) => leaveFile(fileIn(root), to, work),
  leftFor: async (root) => leftFor(fileIn(root)),
  take: async (root, copy) => {
    const isThere = existsSync(fileIn(root));
    const aside = isThere ? freeIn(join(root, ".heddle", "replaced")) : null;
    if (aside !== null) mkdirSync(aside, { recursive: true });
    await localJournals.copies.replace(root, copy, aside);
  },
};

function freeIn(folder: string): string {
  let n = 1;
  while (existsSync(join(folder, String(n)))) n++;
  return join(folder, String(n));
}

/** Its log first: a file without its log is an older journal, a log without its file is none. */
function putAside(file: string, folder: string): void {
  for (const ending of ["-wal", "-shm", ""]) {
    const to = join(folder, `${nameOfFile}${ending}`);
    if (existsSync(`${file}${ending}`) && !existsSync(to)) renameSync(`${file}${ending}`, to);
  }
}
