// The file behind the durable journal: its tables, and how it comes into being. A database is built aside and
// linked into place, so that one which exists is always whole: an empty file is damage, never a beginning.
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import { StoreFailure } from "./journal.ts";

/** Raise it when the tables change; an older heddle then refuses the file instead of misreading it. */
const schemaVersion = 1;

/** SQLite before this could corrupt a WAL with several writers. */
const oldestSqlite = [3, 51, 3];

const tables = `
  create table run (
    id text primary key, protocol text not null, ordinal integer not null,
    phase text not null, archived integer not null, position integer not null, format integer not null, head text not null, hash text not null, sum integer not null
  ) strict, without rowid;
  create table fact (
    run text not null, position integer not null, at text not null, by text not null,
    format integer not null, body text not null, hash text not null,
    primary key (run, position)
  ) strict, without rowid;
  create table task (
    run text not null, id text not null, ready integer not null, notable integer not null,
    steel integer not null, remaining real not null,
    fixed text not null, fixed_sum integer not null, state text not null, sum integer not null,
    primary key (run, id)
  ) strict, without rowid;
  create index task_ready on task (run, steel desc, remaining desc, id) where ready = 1;
  create index task_notable on task (run, id) where notable = 1;
`;

export function createDatabase(path: string): void {
  if (existsSync(path)) {
    keepPrivate(path);
    return;
  }
  const aside = `${path}.${process.pid}.new`;
  rmSync(aside, { force: true });
  // What agents said and did is in there: it is for its owner alone, and what SQLite puts beside it gets the same mode.
  closeSync(openSync(aside, "w", 0o600));
  const db = new DatabaseSync(aside, { timeout: 10_000 });
  db.exec(`pragma journal_mode = wal; begin; ${tables} pragma user_version = ${schemaVersion}; commit;`);
  db.close();
  sync(aside);
  try {
    linkSync(aside, path);
  } catch (error) {
    // Somebody else was first: theirs is as good as ours.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  sync(dirname(path));
}

/** One of an earlier heddle, which others of the machine could read. */
function keepPrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && (found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(file, 0o600);
  }
}

function sync(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** Opens with the busy timeout in place before the first statement: without it, processes died of a locked file. */
export function openDatabase(path: string, timeoutMs: number): DatabaseSync {
  checkSqlite();
  if (statSync(path).size === 0)
    throw new StoreFailure(
      problem("corrupt", `the journal is empty: ${path}`, {
        hint: [toCall("restore <backup>"), ", or move .heddle away"],
      }),
    );
  const db = new DatabaseSync(path, { timeout: timeoutMs });
  db.exec("pragma synchronous = full; pragma cell_size_check = on;");
  const found = db.prepare("pragma user_version").get() as { user_version: number };
  if (found.user_version === schemaVersion) return db;
  db.close();
  throw new StoreFailure(
    found.user_version > schemaVersion
      ? problem(
          "newer",
          `the journal was written by a newer heddle (schema ${found.user_version}): ${path}`,
          {
            hint: "npm install -g heddle@latest",
          },
        )
      : problem("corrupt", `this is not a heddle journal: ${path}`, { hint: toCall("restore <backup>") }),
  );
}

function checkSqlite(): void {
  const found = (process.versions.sqlite ?? "0").split(".").map(Number);
  for (const [at, wanted] of oldestSqlite.entries()) {
    const have = found[at] ?? 0;
    if (have > wanted) return;
    if (have < wanted)
      throw new StoreFailure(
        problem(
          "old-sqlite",
          `SQLite ${found.join(".")} can damage the journal; ${oldestSqlite.join(".")} is needed`,
          {
            hint: "npx -p node@24 -p heddle heddle",
          },
        ),
      );
  }
}
