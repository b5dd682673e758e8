// Durable commits per second: our transaction, with its facts, rows and chain, against a single row written by the
// same SQLite with the same settings. Blocks of both alternate, because the disk's mood changes by the second.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { carryOut } from "../src/core/step.ts";
import { createDatabase } from "../src/journal/schema.ts";
import { SqliteJournal } from "../src/journal/sqlite.ts";
import { protocolNamed } from "../src/packs/registry.ts";
import type { Bench } from "./figure.ts";
import { idOf, openedPlan, planOf, withFolder } from "./plan.ts";
import { estimate, median, ratio } from "./statistics.ts";

const shape = { size: 1_000, width: 20 };
const commitsPerBlock = 200;

export const journal: Bench = {
  name: "journal",
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const raw = rawCommits(folder);
      const ours = ourCommits(folder);
      const rounds: { raw: number; ours: number }[] = [];
      for (let round = 0; round < (quick ? 11 : 41); round++) {
        const first = round % 2 === 0 ? await rate(raw) : undefined;
        const second = await rate(ours);
        rounds.push({ raw: first ?? (await rate(raw)), ours: second });
      }
      const perSecond = (of: "raw" | "ours") =>
        estimate(rounds, (drawn) => median(drawn.map((each) => each[of])));
      return [
        { name: "journal: raw single-row commits", unit: "/s", measured: perSecond("raw") },
        { name: "journal: start and complete", unit: "/s", measured: perSecond("ours") },
        {
          name: "journal: ours / raw",
          unit: "x",
          measured: ratio(
            rounds,
            (round) => round.ours,
            (round) => round.raw,
          ),
          goal: { least: 0.5 },
        },
      ];
    }),
};

/** Brings everything up that a block needs, then gives the block, one commit per call. */
type Block = () => Promise<(at: number) => unknown>;

async function rate(block: Block): Promise<number> {
  const commit = await block();
  const started = performance.now();
  for (let at = 0; at < commitsPerBlock; at++) await commit(at);
  return commitsPerBlock / ((performance.now() - started) / 1000);
}

function rawCommits(folder: string): Block {
  const db = new DatabaseSync(join(folder, "raw.db"));
  db.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table fact (body text not null) strict;",
  );
  const insert = db.prepare("insert into fact (body) values (?)");
  const body = "x".repeat(200);
  return async () => () => insert.run(body);
}

function ourCommits(folder: string): Block {
  const path = join(folder, "ours.db");
  mkdirSync(folder, { recursive: true });
  createDatabase(path);
  const store = new SqliteJournal({ path, protocols: protocolNamed, now: () => new Date().toISOString() });
  let [run, next] = ["", shape.size];
  return async () => {
    if (next + commitsPerBlock / 2 > shape.size) {
      run = await openRun(store);
      next = 0;
    }
    const first = next;
    next += commitsPerBlock / 2;
    return (at) => {
      const task = idOf(first + Math.floor(at / 2));
      return store.transact({ run }, "bench", (draft) =>
        carryOut(
          draft,
          at % 2 === 0 ? { kind: "start", task } : { kind: "complete", task, created: [], modified: [] },
        ),
      );
    };
  };
}

async function openRun(store: SqliteJournal): Promise<string> {
  const { run } = await store.transact({ protocol: "decomposition" }, "bench", (draft) =>
    [
      { kind: "create", targetDir: "/target", planningDir: "/planning" } as const,
      ...openedPlan(planOf(shape)),
    ].flatMap((input) => carryOut(draft, input)),
  );
  return run;
}
