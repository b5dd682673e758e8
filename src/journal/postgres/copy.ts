// A whole journal between Postgres and a file: backups, restoring one, moving from one store to the other, and proving what is there.
// Rows are taken as they are, so a copy has the same facts, the same chain and the same sums.
import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type Problem, problem } from "../../core/problem.ts";
import type { FactRow } from "../entry.ts";
import { type Protocols, StoreFailure } from "../journal.ts";
import type { Row } from "../row.ts";
import { createDatabase } from "../schema.ts";
import { type StoredRun, verifyRun } from "../verify.ts";
import type { Link, Query } from "./link.ts";

type Ask = Link["ask"];

const many = 2_000;
const longMs = 10 * 60_000;

/** Column by column, with their types here and names that are the same in both stores. */
const tables = {
  run: {
    columns: ["id", "protocol", "ordinal", "phase", "archived", "position", "format", "head", "hash", "sum"],
    types: ["text", "text", "int", "text", "int", "int", "int", "text", "text", "bigint"],
    key: ["id"],
  },
  fact: {
    columns: ["run", "position", "at", "by", "format", "body", "hash"],
    types: ["text", "int", "text", "text", "int", "text", "text"],
    key: ["run", "position"],
  },
  task: {
    columns: ["run", "id", "ready", "notable", "steel", "remaining", "fixed", "fixed_sum", "state", "sum"],
    types: ["text", "text", "int", "int", "int", "float8", "text", "bigint", "text", "bigint"],
    key: ["run", "id"],
  },
} as const;

type Table = keyof typeof tables;
type Stored = Readonly<Record<string, SQLInputValue>>;

const quoted = (name: string) => `"${name}"`;
const inWords = (names: readonly string[]) => names.map(quoted).join(", ");

/** In the order of their keys, some at a time. */
async function* rowsIn(ask: Ask, project: number, table: Table): AsyncIterable<readonly Stored[]> {
  const { columns, types, key } = tables[table];
  const read = columns.map((name, at) =>
    types[at] === "bigint" ? `${quoted(name)}::float8 as ${quoted(name)}` : quoted(name),
  );
  let last: readonly SQLInputValue[] | undefined;
  for (;;) {
    const after = last ? `and (${inWords(key)}) > (${key.map((_, at) => `$${at + 2}`).join(", ")})` : "";
    const text = `select ${read.join(", ")} from heddle.${table} where project = $1 ${after} order by ${inWords(key)} limit ${many}`;
    const rows = await ask<Stored>({ text, values: [project, ...(last ?? [])], withinMs: longMs });
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (rows.length < many || !end) return;
    last = key.map((name) => end[name] as SQLInputValue);
  }
}

const inFile = (db: DatabaseSync, table: Table) => {
  const { columns, key } = tables[table];
  return db
    .prepare(`select ${inWords(columns)} from ${table} order by ${inWords(key)}`)
    .iterate() as Iterable<Stored>;
};

export async function copyToFile(link: Link, project: number, file: string): Promise<void> {
  await link.transaction("isolation level repeatable read read only", (ask) => writeFile(ask, project, file));
}

export async function writeFile(ask: Ask, project: number, file: string): Promise<void> {
  if (existsSync(file))
    throw new StoreFailure(
      problem("file-exists", `\`${file}\` exists already`, { hint: "name another file" }),
    );
  createDatabase(file);
  const db = new DatabaseSync(file);
  try {
    db.exec("pragma synchronous = full; begin");
    for (const table of ["run", "fact", "task"] as const) {
      const { columns } = tables[table];
      const insert = db.prepare(
        `insert into ${table} (${inWords(columns)}) values (${columns.map(() => "?").join(", ")})`,
      );
      for await (const rows of rowsIn(ask, project, table))
        for (const row of rows) insert.run(...columns.map((name) => row[name] as SQLInputValue));
    }
    db.exec("commit");
  } finally {
    db.close();
  }
}

/** Puts what is in the file in the place of whatever the project had, and proves that it is the same afterwards. */
export async function readFile(ask: Ask, project: number, file: string): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    await ask({ text: "delete from heddle.task where project = $1", values: [project], withinMs: longMs });
    await ask({ text: "delete from heddle.fact where project = $1", values: [project], withinMs: longMs });
    await ask({ text: "delete from heddle.run where project = $1", values: [project], withinMs: longMs });
    for (const table of ["run", "fact", "task"] as const) {
      let some: Stored[] = [];
      for (const row of inFile(db, table)) {
        some.push(row);
        if (some.length < many) continue;
        await ask(insertion(project, table, some));
        some = [];
      }
      if (some.length > 0) await ask(insertion(project, table, some));
      await compare(ask, { db, project, table });
    }
    await ask({
      text: `select pg_notify('heddle_' || $1::int, "position" || ' ' || id) from heddle.run where project = $1`,
      values: [project],
    });
  } finally {
    db.close();
  }
}

function insertion(project: number, table: Table, rows: readonly Stored[]): Query {
  const { columns, types } = tables[table];
  const more = table === "fact" ? ["commit"] : [];
  const arrays = types.map((type, at) => `$${at + 2}::${type}[]`).join(", ");
  const text = `insert into heddle.${table} (project, ${inWords([...columns, ...more])})
    select $1, t.*${table === "fact" ? ", 'copied'" : ""} from unnest(${arrays}) as t`;
  return {
    text,
    values: [project, ...columns.map((name) => rows.map((row) => row[name]))],
    withinMs: longMs,
  };
}

async function compare(
  ask: Ask,
  { db, project, table }: { db: DatabaseSync; project: number; table: Table },
): Promise<void> {
  const { columns } = tables[table];
  const text = (row: Stored | undefined) => row && JSON.stringify(columns.map((name) => row[name]));
  const theirs = inFile(db, table)[Symbol.iterator]();
  for await (const rows of rowsIn(ask, project, table))
    for (const row of rows)
      if (text(row) !== text(theirs.next().value)) throw new Error(`bug: a copied ${table} differs`);
  if (!theirs.next().done) throw new Error(`bug: not every ${table} was copied`);
}

/** Proves that the log is whole and that what is stored beside it is its fold, as of one moment. */
export async function verifyProject(
  link: Link,
  known: { readonly project: number; readonly protocols: Protocols; readonly root?: string | undefined },
): Promise<Problem[]> {
  const { project } = known;
  return link.transaction("isolation level repeatable read read only", async (ask) => {
    const runs: StoredRun[] = [];
    for await (const some of rowsIn(ask, project, "run")) runs.push(...(some as unknown as StoredRun[]));
    const facts = await byRun<FactRow>(ask, project, "fact");
    const tasks = await byRun<Row>(ask, project, "task");
    return runs.flatMap((run) =>
      verifyRun({ run, facts: facts.get(run.id) ?? [], rows: () => tasks.get(run.id) ?? [] }, known),
    );
  });
}

async function byRun<T>(ask: Ask, project: number, table: "fact" | "task"): Promise<Map<unknown, T[]>> {
  const found = new Map<unknown, T[]>();
  for await (const rows of rowsIn(ask, project, table))
    for (const row of rows) {
      const same = found.get(row.run) ?? [];
      if (same.length === 0) found.set(row.run, same);
      same.push(row as unknown as T);
    }
  return found;
}
