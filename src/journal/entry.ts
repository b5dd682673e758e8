// A fact as it is stored, and how it is read back: upgraded when it is old, refused when it is from the future.

import { isKnown } from "../core/apply.ts";
import { type Entry, type FactKind, factFormat } from "../core/fact.ts";
import { toCall } from "../core/hint.ts";
import { recordIn } from "../core/json.ts";
import { problem } from "../core/problem.ts";
import { type StoredFact, upgrade } from "../core/upgrade.ts";
import { StoreFailure } from "./journal.ts";
import type { Keeping } from "./places.ts";

export interface FactRow {
  readonly position: number;
  readonly at: string;
  readonly by: string;
  readonly format: number;
  readonly body: string;
  readonly hash: string;
}

interface KindsWanted {
  readonly without?: readonly FactKind[] | undefined;
  readonly kinds?: readonly FactKind[] | undefined;
}

/** A fact's text begins with its kind, so those of some kinds can be passed over unread. */
export function factSql({ without = [], kinds }: KindsWanted = {}): string {
  const isOf = (kind: FactKind) => `body like '{"kind":"${kind}"%'`;
  const wanted = kinds ? [`(${["0", ...kinds.map(isOf)].join(" or ")})`] : [];
  const others = [...wanted, ...without.map((kind) => `not ${isOf(kind)}`)]
    .map((each) => ` and ${each}`)
    .join("");
  return `select position, at, by, format, body, hash from fact where run = ? and position > ? and position <= ?${others} order by position`;
}

export function entryOf(row: FactRow, { found }: Keeping): Entry {
  const stored = parse(row, found);
  if (row.format > factFormat || !isKnown(stored.kind))
    throw new StoreFailure(
      problem("newer", `fact ${row.position} (\`${stored.kind}\`) was written by a newer heddle`, {
        hint: "npm install -g heddle@latest",
      }),
    );
  return { position: row.position, at: row.at, by: row.by, fact: upgrade(stored, row.format) };
}

function parse(row: FactRow, found: Keeping["found"]): StoredFact {
  const body = recordIn<StoredFact>(row.body);
  if (body) return found(row.body, body, row.format);
  throw new StoreFailure(
    problem("corrupt", `fact ${row.position} is damaged`, {
      hint: [toCall("verify"), ", then ", toCall("restore <backup>")],
    }),
  );
}
