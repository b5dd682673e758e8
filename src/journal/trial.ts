// Whether a disk keeps what SQLite needs of it: a write-ahead log, durable writes, and locks that another process sees.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Trial } from "./journal.ts";
import { createDatabase, openDatabase } from "./schema.ts";

const writes = 20;

/** A lock that another process does not see is no lock: so it is on some network disks. */
const otherProcess = `
const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
const db = new DatabaseSync(process.argv[1], { timeout: 0 });
try { db.exec("begin immediate"); console.log("free"); } catch (error) { console.log(/locked/.test(error.message) ? "locked" : error.message); }
`;

const local = "use a local disk";

export function tryStore(folder: string): Trial {
  const path = join(folder, "journal.db");
  createDatabase(path);
  const db = openDatabase(path, 1000);
  try {
    const { journal_mode: mode } = db.prepare("pragma journal_mode").get() as { journal_mode: string };
    if (mode !== "wal")
      return { state: "fail", what: `SQLite cannot use a write-ahead log here (${mode})`, hint: local };
    db.exec("create table try (n integer)");
    const began = performance.now();
    for (let n = 0; n < writes; n++) db.prepare("insert into try values (?)").run(n);
    const ms = (performance.now() - began) / writes;
    db.exec("begin immediate");
    const { stdout } = spawnSync(process.execPath, ["-e", otherProcess, path], {
      encoding: "utf8",
      timeout: 20_000,
    });
    db.exec("rollback");
    const said = stdout.trim();
    if (said !== "locked")
      return {
        state: "fail",
        what: `another process does not see the journal's lock (${said})`,
        hint: local,
      };
    const other = openDatabase(path, 1000);
    const { n } = other.prepare("select count(*) as n from try").get() as { n: number };
    other.close();
    if (n !== writes) return { state: "fail", what: `of ${writes} rows ${n} can be read`, hint: local };
    const took = `${ms.toFixed(1)} ms per durable write`;
    return ms > 50
      ? { state: "warn", what: `${took}: slow`, hint: local }
      : { state: "ok", what: `${took}, locks between processes hold` };
  } finally {
    db.close();
  }
}
