// Proves a journal: SQLite's own check, the hash chain, and that head and rows are the fold of the facts.
import type { DatabaseSync } from "node:sqlite";
import { apply, headOf, newRun } from "../core/apply.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Head, Json, Run } from "../core/run.ts";
import { isNotable, isReady } from "../core/task.ts";
import { chained, chainStart } from "./chain.ts";
import { entryOf, type FactRow, factSql } from "./entry.ts";
import type { Protocols } from "./journal.ts";
import { found, foundEntry, type Root } from "./places.ts";
import { encodeFixed, encodeState } from "./rows.ts";

const hint = "heddle restore <backup>";

interface StoredRun {
  readonly id: string;
  readonly protocol: string;
  readonly phase: string;
  readonly archived: number;
  readonly position: number;
  readonly head: string;
  readonly hash: string;
}

interface Known {
  readonly protocols: Protocols;
  readonly root?: Root;
}

export function verifyDatabase(db: DatabaseSync, known: Known): Problem[] {
  const lines = db.prepare("pragma integrity_check(20)").all() as { integrity_check: string }[];
  const damage = lines.map((line) => line.integrity_check).filter((line) => line !== "ok");
  if (damage.length > 0)
    return damage.map((line) => problem("corrupt", `the database is damaged: ${line}`, { hint }));
  db.exec("begin");
  try {
    const runs = db
      .prepare("select id, protocol, phase, archived, position, head, hash from run")
      .all() as unknown as StoredRun[];
    return runs.flatMap((stored) => verifyRun(db, stored, known));
  } finally {
    db.exec("commit");
  }
}

function verifyRun(db: DatabaseSync, stored: StoredRun, { protocols, root }: Known): Problem[] {
  const protocol = protocols(stored.protocol);
  if (!protocol) return [problem("unknown-protocol", `run \`${stored.id}\` follows an unknown protocol`)];
  const run = newRun(stored.id, protocol);
  let hash = chainStart;
  for (const row of db
    .prepare(factSql())
    .all(stored.id, 0, Number.MAX_SAFE_INTEGER) as unknown as FactRow[]) {
    const expected = run.position + 1;
    hash = chained(hash, row, row.body);
    if (row.position !== expected || row.hash !== hash)
      return [
        problem("chain", `the history of run \`${stored.id}\` is broken at fact ${expected}`, { hint }),
      ];
    apply(run, foundEntry(entryOf(row), root));
  }
  if (hash !== stored.hash)
    return [
      problem("chain", `the history of run \`${stored.id}\` ends at fact ${run.position}, too early`, {
        hint,
      }),
    ];
  return [...compareHead(run, stored, root), ...compareRows(run, db)];
}

function compareHead(run: Run, stored: StoredRun, root: Root): Problem[] {
  const listed =
    stored.phase === run.phase &&
    stored.position === run.position &&
    stored.archived === Number(run.archived);
  if (listed && isHead(stored.head, run, root)) return [];
  return [problem("fold", `the record of run \`${run.id}\` is not the fold of its history`, { hint })];
}

/** Folders may be kept in full or relative to the root: what counts is where they are. */
function isHead(stored: string, run: Run, root: Root): boolean {
  const expected = JSON.stringify(headOf(run));
  try {
    return sameJson(JSON.stringify(found(JSON.parse(stored) as Head, root)), expected);
  } catch {
    return false;
  }
}

function compareRows(run: Run, db: DatabaseSync): Problem[] {
  const rows = db
    .prepare("select id, ready, notable, steel, remaining, fixed, state from task where run = ?")
    .all(run.id) as {
    id: string;
    ready: number;
    notable: number;
    steel: number;
    fixed: string;
    state: string;
    remaining: number;
  }[];
  const problems: Problem[] = [];
  if (rows.length !== run.tasks.size)
    problems.push(
      problem("fold", `run \`${run.id}\` has ${rows.length} task rows, its history ${run.tasks.size} tasks`, {
        hint,
      }),
    );
  for (const row of rows) {
    const task = run.tasks.get(row.id);
    const same =
      task !== undefined &&
      task.remaining === row.remaining &&
      row.ready === Number(isReady(task)) &&
      row.notable === Number(isNotable(task)) &&
      row.steel === Number(task.def.steel) &&
      sameJson(row.fixed, encodeFixed(task)) &&
      sameJson(row.state, encodeState(task));
    if (same) continue;
    problems.push(problem("fold", `the row of task \`${row.id}\` is not the fold of its history`, { hint }));
  }
  return problems;
}

/** What is stored may be damaged beyond parsing: then it is not the same. */
function sameJson(stored: string, expected: string): boolean {
  try {
    return canonical(JSON.parse(stored)) === canonical(JSON.parse(expected));
  } catch {
    return false;
  }
}

/** JSON with sorted keys: the order of keys depends on how a value came about. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
}
