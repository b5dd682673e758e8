// What a commit costs in Postgres and in SQLite, interleaved on one disk: one fact, the record and one row, through the journals as heddle
// uses them. Exits 1 where the median in Postgres is more than twice SQLite's.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { taskOf } from "../../src/core/run.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { localJournals } from "../../src/journal/local.ts";
import { type Address, addressIn } from "../../src/journal/postgres/address.ts";
import { postgresStore } from "../../src/journal/postgres/store.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { toReady } from "../journal/inputs.ts";
import { submit, ticking } from "../journal/suite.ts";
import { hasPostgres, Server } from "./server.ts";

const rounds = Number(process.argv[2] ?? 300);

/** One fact, the record, and one task's row. */
async function commit(journal: Journal, round: number): Promise<number> {
  const began = performance.now();
  await journal.transact({ run: "plan-1" }, "bench", ({ run, record }) => {
    record({ kind: "view-repaired", view: `v${round}`, was: "missing" });
    run.tasks.set(taskOf(run, "T001"));
    return [];
  });
  return performance.now() - began;
}

const at = (times: readonly number[], part: number) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
const row = (name: string, times: readonly number[]) =>
  `${name.padEnd(20)} ${[0.5, 0.9, 0.99].map((part) => at(times, part).toFixed(2).padStart(7)).join(" ")}`;

async function measured(journals: readonly Journal[]): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const [which, journal] of journals.entries()) times[which]?.push(await commit(journal, round));
  console.log(`${rounds} commits of each, ms:      p50     p90     p99`);
  console.log(row("SQLite", times[0]));
  console.log(row("Postgres, socket", times[1]));
  const ratio = at(times[1], 0.5) / at(times[0], 0.5);
  console.log(
    `a commit to Postgres takes ${ratio.toFixed(2)} times as long as one to SQLite (the goal is at most 2)`,
  );
}

if (!hasPostgres) console.log("there is no Postgres here: left out");
else {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  const server = await Server.start();
  process.env.PGPASSWORD = server.password;
  const stores = [
    localJournals,
    postgresStore(addressIn(server.address("bench", "socket")) as Address, localJournals),
  ];
  const opened: Journal[] = [];
  const root = join(folder, "project");
  try {
    for (const store of stores) {
      mkdirSync(join(root, ".heddle"), { recursive: true });
      await store.create(root);
      const journal = await store.open({ root, protocols: protocolNamed, now: ticking() });
      await submit(journal, { protocol: "decomposition" }, ...toReady());
      opened.push(journal);
    }
    // A figure, shown and not judged: other work of the machine can slow one of the two down.
    await measured(opened);
  } finally {
    for (const journal of opened) journal.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
