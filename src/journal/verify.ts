// Proves a journal: SQLite's own check where that is the store, the hash chain, and that head and rows are the fold of the facts.
import type { DatabaseSync } from "node:sqlite";
import { apply, headOf, newRun } from "../core/apply.ts";
import { toCall } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Head, Json, Run } from "../core/run.ts";
import { isNotable, isReady } from "../core/task.ts";
import { chained, chainStart } from "./chain.ts";
import { entryOf, type FactRow, factSql } from "./entry.ts";
import type { Protocols } from "./journal.ts";
import { found, foundEntry, type Keeping, keeping, type Root } from "./places.ts";
import { encodeFixed, encodeState, type Row } from "./row.ts";

const hint = toCall("restore <backup>");

export interface StoredRun {
  readonly id: string;
  readonly protocol: string;
  readonly phase: string;
  readonly archived: number;
  readonly position: number;
  readonly format: number;
  readonly head: string;
  readonly hash: string;
}

/** A run as it is stored, facts oldest first. */
export interface Stored {
  readonly run: StoredRun;
  readonly facts: Iterable<FactRow>;
  readonly rows: () => readonly Omit<Row, "sum" | "fixed_sum">[];
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
      .prepare("select id, protocol, phase, archived, position, format, head, hash from run")
      .all() as unknown as StoredRun[];
    const facts = db.prepare(factSql());
    const rows = db.prepare(
      "select id, ready, notable, steel, remaining, fixed, state from task where run = ?",
    );
    return runs.flatMap((run) =>
      verifyRun(
        {
          run,
          facts: facts.all(run.id, 0, Number.MAX_SAFE_INTEGER) as unknown as FactRow[],
          rows: () => rows.all(run.id) as unknown as Row[],
        },
        known,
      ),
    );
  } finally {
    db.exec("commit");
  }
}

export function verifyRun({ run: stored, facts, rows }: Stored, { protocols, root }: Known): Problem[] {
  const protocol = protocols(stored.protocol);
  const run = newRun(stored.id, protocol ?? unknown);
  const places = keeping(root);
  let hash = chainStart;
  for (const row of facts) {
    const expected = run.position + 1;
    hash = chained(hash, row, row.body);
    if (row.position !== expected || row.hash !== hash)
      return [
        problem("chain", `the history of run \`${stored.id}\` is broken at fact ${expected}`, { hint }),
      ];
    if (protocol) apply(run, foundEntry(entryOf(row, places), root));
    else run.position = expected;
  }
  if (hash !== stored.hash)
    return [
      problem("chain", `the history of run \`${stored.id}\` ends at fact ${run.position}, too early`, {
        hint,
      }),
    ];
  const meant = {
    root,
    found: <T extends object>(json: string, value: T) => places.found(json, value, stored.format),
  };
  if (protocol) return [...compareHead(run, stored, meant), ...compareRows(run, rows(), meant)];
  return [
    problem(
      "unknown-protocol",
      `run \`${stored.id}\` follows a protocol that cannot be read: \`${stored.protocol}\``,
      {
        notes: ["its history is whole; what follows from it could not be compared"],
        hint: toCall(`protocol check ${stored.protocol}`),
      },
    ),
  ];
}

/** Stands in for a protocol that cannot be read, while the chain is followed. */
const unknown: Protocol = {
  ...{ name: "", about: "", phases: [], artifacts: {}, subjects: {}, counters: [], rules: [] },
};

/** How texts of a record are read: those of earlier formats name places in full. */
interface Meant extends Pick<Keeping, "found"> {
  readonly root: Root;
}

/** For what is compared as it is meant. */
const asMeant: Pick<Keeping, "kept"> = { kept: (value) => ({ json: JSON.stringify(value), value }) };

function compareHead(run: Run, stored: StoredRun, meant: Meant): Problem[] {
  const listed =
    stored.phase === run.phase &&
    stored.position === run.position &&
    stored.archived === Number(run.archived);
  if (listed && isHead(stored.head, run, meant)) return [];
  return [problem("fold", `the record of run \`${run.id}\` is not the fold of its history`, { hint })];
}

/** Folders may be kept in full or relative to the root: what counts is where they are. */
function isHead(stored: string, run: Run, meant: Meant): boolean {
  const expected = JSON.stringify(headOf(run));
  try {
    const head = meant.found(stored, JSON.parse(stored) as Head);
    return canonical(found(head, meant.root) as unknown as Json) === canonical(JSON.parse(expected));
  } catch {
    return false;
  }
}

function compareRows(run: Run, rows: ReturnType<Stored["rows"]>, meant: Meant): Problem[] {
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
      sameJson(row.fixed, encodeFixed(task, asMeant), meant) &&
      sameJson(row.state, encodeState(task, asMeant), meant);
    if (same) continue;
    problems.push(problem("fold", `the row of task \`${row.id}\` is not the fold of its history`, { hint }));
  }
  return problems;
}

/** What is stored may be damaged beyond parsing: then it is not the same. */
function sameJson(stored: string, expected: string, { found: meant }: Pick<Keeping, "found">): boolean {
  try {
    return canonical(meant(stored, JSON.parse(stored))) === canonical(JSON.parse(expected));
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
