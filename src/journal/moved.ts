// A SQLite journal that was moved to a server: it stays where it is as a backup, says so, and refuses to be written to. The mark is
// in the file itself, so that no process that had it open before can write to it either.
import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import { StoreFailure } from "./journal.ts";
import { openDatabase } from "./schema.ts";

const tables = ["run", "fact", "task"] as const;
const changes = ["insert", "update", "delete"] as const;
const names = tables.flatMap((table) =>
  changes.map((change) => ({ name: `moved_${table}_${change}`, table, change })),
);

const mark = `create table moved (target text not null, at text not null default current_timestamp) strict;
${names.map(({ name, table, change }) => `create trigger ${name} before ${change} on ${table} begin select raise(abort, 'moved'); end;`).join("\n")}`;

/** Where it is now, if it was moved. */
export function movedTo(db: DatabaseSync): string | undefined {
  const there = db.prepare("select 1 from sqlite_master where name = 'moved'").get();
  if (!there) return undefined;
  return (db.prepare("select target from moved").get() as { target: string } | undefined)?.target;
}

export function movedProblem(path: string, to: string): StoreFailure {
  return new StoreFailure(
    problem("moved", `the journal was moved to ${to}; ${path} is a backup, and nothing is written there`, {
      hint: [
        toCall(`journal move --to '${to}'`),
        " lets the configuration say so; ",
        toCall("journal move --to sqlite"),
        " brings it back",
      ],
    }),
  );
}

/** The write lock is held from the copy until the mark is durable: nobody writes between them, and a kill leaves all as it was. */
export async function leaveFile(
  path: string,
  to: string,
  work: (copy: string) => Promise<void>,
): Promise<void> {
  const db = openDatabase(path, 20_000);
  const copy = `${path}.restored-${process.pid}`;
  const clear = () => {
    for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${copy}${ending}`, { force: true });
  };
  try {
    const before = movedTo(db);
    if (before === to) return;
    if (before !== undefined) throw movedProblem(path, before);
    db.exec("begin immediate");
    clear();
    const reader = openDatabase(path, 20_000);
    try {
      reader.prepare("vacuum into ?").run(copy);
    } finally {
      reader.close();
    }
    await work(copy);
    db.exec(mark);
    db.prepare("insert into moved (target) values (?)").run(to);
    db.exec("commit");
  } finally {
    if (db.isTransaction) db.exec("rollback");
    db.close();
    clear();
  }
}

/** Where the journal in a file was moved to; nothing for one that is in use, and where there is none. */
export function leftFor(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const db = openDatabase(path, 20_000);
  try {
    return movedTo(db);
  } finally {
    db.close();
  }
}

/** A backup that is put in place again is a journal like any other. */
export function takeMarkOff(path: string): void {
  const db = new DatabaseSync(path, { timeout: 10_000 });
  try {
    if (movedTo(db) === undefined) return;
    db.exec(`begin; ${names.map(({ name }) => `drop trigger ${name};`).join(" ")} drop table moved; commit;`);
  } finally {
    db.close();
  }
}
