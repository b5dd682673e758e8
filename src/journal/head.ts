// The record of a run beside its facts, in whatever store: how it is read back, and what is said of one that cannot be.
import { factFormat } from "../core/fact.ts";
import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Head } from "../core/run.ts";
import { isSumOf } from "./checksum.ts";
import { type Protocols, StoreFailure } from "./journal.ts";
import { found, type Keeping, type Root } from "./places.ts";

export interface RunRow {
  readonly id: string;
  readonly protocol: string;
  readonly format: number;
  readonly head: string;
  readonly hash: string;
  readonly sum: number;
}

export function headIn(row: RunRow, { keeping, root }: { keeping: Keeping; root: Root }): Head {
  if (row.format > factFormat)
    throw new StoreFailure(
      problem("newer", `run \`${row.id}\` was written by a newer heddle (format ${row.format})`, {
        hint: "npm install -g heddle@latest",
      }),
    );
  if (!isSumOf(`${row.head}\n${row.hash}`, row.sum))
    throw new StoreFailure(
      problem("corrupt", `the record of run \`${row.id}\` is damaged`, {
        hint: [toCall("verify"), ", then ", toCall("restore <backup>")],
      }),
    );
  const head = keeping.found(row.head, JSON.parse(row.head) as Head, row.format);
  return found(head, root);
}

export function protocolOf(
  { id, protocol: name }: Pick<RunRow, "id" | "protocol">,
  known: Protocols,
): Protocol {
  const protocol = known(name);
  if (protocol) return protocol;
  const what = `run \`${id}\` follows the protocol \`${name}\`, which is not there`;
  throw new StoreFailure(problem("unknown-protocol", what, { hint: toCall("protocol list") }));
}

export function unknownRun(id: string): StoreFailure {
  return new StoreFailure(
    problem("unknown-run", `run \`${id}\` does not exist`, { hint: { do: "show-status" } }),
  );
}
