// Backups of the journal. A copy is proven before it counts, on the way out and on the way in.
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { wallClock } from "../host/clock.ts";
import { isFile, isThere, makeFolder, remove } from "../host/files.ts";
import { isAlive } from "../host/process.ts";
import { SqliteJournal } from "../journal/sqlite.ts";
import { App, Refused } from "./app.ts";
import { pathsIn } from "./paths.ts";
import { loadProtocol, protocolNamed } from "./protocols.ts";

export async function backUp(app: App, file: string): Promise<{ facts: number }> {
  if (isThere(file))
    throw new Refused([problem("file-exists", `\`${file}\` exists already`, { hint: "name another file" })]);
  app.journal.backup(file);
  const { facts, problems } = await prove(file);
  if (problems.length === 0) return { facts };
  remove(file);
  throw new Refused(problems);
}

async function prove(file: string): Promise<{ facts: number; problems: readonly Problem[] }> {
  const journal = new SqliteJournal({ path: file, protocols: protocolNamed, now: wallClock });
  try {
    const runs = await journal.runs();
    for (const { protocol } of runs) await loadProtocol(protocol);
    return { facts: runs.reduce((sum, run) => sum + run.position, 0), problems: await journal.verify() };
  } finally {
    journal.close();
  }
}

export async function restoreBackup(
  root: string,
  file: string,
): Promise<{ facts: number; aside: string | null }> {
  const paths = pathsIn(root);
  if (!isThere(file))
    throw new Refused([
      problem("no-file", `\`${file}\` does not exist`, { hint: "name a file made by heddle backup" }),
    ]);
  if (!isFile(file))
    throw new Refused([
      problem("bad-file", `\`${file}\` is not a file`, { hint: "name a file made by heddle backup" }),
    ]);
  const incoming = `${paths.database}.restored`;
  makeFolder(join(paths.heddle, "logs"));
  copyFileSync(file, incoming);
  const { facts, problems } = await prove(incoming).catch((error: unknown) => {
    remove(incoming);
    throw error;
  });
  if (problems.length > 0) {
    remove(incoming);
    throw new Refused(problems);
  }
  await refuseWhileHeld(root);
  const aside = putAside(paths.database, join(paths.heddle, "replaced"));
  for (const ending of ["-wal", "-shm"]) remove(`${incoming}${ending}`);
  renameSync(incoming, paths.database);
  await restoreViews(root);
  return { facts, aside };
}

/** A journal that cannot be opened any more has no holder to ask. */
async function refuseWhileHeld(root: string): Promise<void> {
  const { database } = pathsIn(root);
  if (!isThere(database)) return;
  let journal: SqliteJournal;
  try {
    journal = new SqliteJournal({ path: database, protocols: protocolNamed, now: wallClock });
  } catch {
    return;
  }
  try {
    for (const { id, protocol } of await journal.runs()) {
      await loadProtocol(protocol);
      const holder = await journal.read(id, (run) => run.holder);
      if (holder && isAlive(holder))
        throw new Refused([
          problem("held", `run \`${id}\` is orchestrated by process ${holder.pid}`, {
            hint: "heddle halt --now",
          }),
        ]);
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
  } finally {
    journal.close();
  }
}

function putAside(database: string, folder: string): string | null {
  if (!isThere(database)) return null;
  let n = 1;
  while (isThere(join(folder, String(n)))) n++;
  const place = join(folder, String(n));
  makeFolder(place);
  for (const ending of ["-wal", "-shm", ""]) {
    if (isThere(`${database}${ending}`))
      renameSync(`${database}${ending}`, join(place, `heddle.db${ending}`));
  }
  return place;
}

async function restoreViews(root: string): Promise<void> {
  const app = new App({ root, by: "restore" });
  try {
    for (const { id, archived } of await app.journal.runs()) {
      if (archived) continue;
      const one = new App({ root, by: "restore", run: id });
      await one.restoreView().finally(() => one.close());
    }
  } finally {
    app.close();
  }
}
