// A fact as it is stored, and how it is read back: upgraded when it is old, refused when it is from the future.
import { isKnown } from "../core/apply.ts";
import { type Entry, type FactKind, factFormat } from "../core/fact.ts";
import { problem } from "../core/problem.ts";
import { type StoredFact, upgrade } from "../core/upgrade.ts";
import { StoreFailure } from "./journal.ts";

export interface FactRow {
  readonly position: number;
  readonly at: string;
  readonly by: string;
  readonly format: number;
  readonly body: string;
  readonly hash: string;
}

/** A fact's text begins with its kind, so those of some kinds can be passed over unread. */
export function factSql(without: readonly FactKind[] = []): string {
  const others = without.map((kind) => ` and body not like '{"kind":"${kind}"%'`).join("");
  return `select position, at, by, format, body, hash from fact where run = ? and position > ? and position <= ?${others} order by position`;
}

export function entryOf(row: FactRow): Entry {
  const stored = parse(row);
  if (row.format > factFormat || !isKnown(stored.kind))
    throw new StoreFailure(
      problem("newer", `fact ${row.position} (\`${stored.kind}\`) was written by a newer heddle`, {
        hint: "npm install -g heddle@latest",
      }),
    );
  return { position: row.position, at: row.at, by: row.by, fact: upgrade(stored, row.format) };
}

function parse(row: FactRow): StoredFact {
  try {
    return JSON.parse(row.body) as StoredFact;
  } catch {
    throw new StoreFailure(
      problem("corrupt", `fact ${row.position} is damaged`, {
        hint: "heddle verify, then heddle restore <backup>",
      }),
    );
  }
}
