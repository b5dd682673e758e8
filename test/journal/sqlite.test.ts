// The durable journal against the common suite, and what only a file can show: several connections, tampering,
// files from another version, backups.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import { chained } from "../../src/journal/chain.ts";
import { StoreFailure } from "../../src/journal/journal.ts";
import { createDatabase } from "../../src/journal/schema.ts";
import { SqliteJournal } from "../../src/journal/sqlite.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { Conversation } from "../core/plan.ts";
import { Chance } from "../e2e/random.ts";
import { input, textOf, toReady } from "./inputs.ts";
import { codeOf, codesOf, create, journalSuite, submit, ticking } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-journal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newFile(): string {
  const path = join(folder, `${++files}.db`);
  createDatabase(path);
  return path;
}

const openAt = (path: string, busyMs = 5_000) =>
  new SqliteJournal({ path, protocols: protocolNamed, now: ticking(), busyMs });

journalSuite("sqlite", () => openAt(newFile()));

const plan = { protocol: "decomposition" } as const;

describe("sqlite: several connections", () => {
  let [one, two]: SqliteJournal[] = [];
  beforeEach(async () => {
    const path = newFile();
    [one, two] = [openAt(path), openAt(path)];
    await submit(one, plan, ...toReady());
  });
  afterEach(() => {
    one?.close();
    two?.close();
  });
  const both = () => [one, two] as [SqliteJournal, SqliteJournal];

  it("C4 decides on the newest state, whatever it had read before", async () => {
    const [a, b] = both();
    await b.read("plan-1", textOf);
    await submit(a, "plan-1", { kind: "start", task: "T001" });
    const { problems } = await submit(b, "plan-1", { kind: "start", task: "T001" });
    expect(problems.map(({ code }) => code)).toEqual(["wrong-status"]);
    expect((await submit(b, "plan-1", { kind: "start", task: "T002" })).problems).toEqual([]);
    expect(await a.read("plan-1", (run) => run.running)).toEqual(["T001", "T002"]);
  });

  it("C4 lets readers look while a writer is at work, at the state before", async () => {
    const [a, b] = both();
    let seen: Promise<string> | undefined;
    await a.transact({ run: "plan-1" }, "tester", (draft) => {
      draft.record({ kind: "halt-requested", code: "operator", reason: "x", now: false });
      seen = b.read("plan-1", (run) => String(run.halt));
      return [];
    });
    expect(await seen).toBe("null");
    expect(await b.read("plan-1", (run) => run.halt?.reason)).toBe("x");
  });

  it("D1 gives one of two that begin at once the run, although both had looked before", async () => {
    const path = newFile();
    const [a, b] = [openAt(path), openAt(path)];
    expect([await a.runs(), await b.runs()]).toEqual([[], []]);
    const began = await Promise.all([a, b].map((each) => submit(each, { ...plan, alone: true }, create)));
    expect(began.map(({ problems }) => problems.length).sort()).toEqual([0, 1]);
    a.close();
    b.close();
  });

  it("C4 any interleaving of two connections is one history", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), input), { maxLength: 40 }), async (turns) => {
        const path = newFile();
        const [a, b] = [openAt(path), openAt(path)];
        const model = new Conversation();
        for (const each of toReady()) model.submit(each);
        await submit(a, plan, ...toReady());
        for (const [first, each] of turns) {
          const { problems } = await submit(first ? a : b, "plan-1", each);
          expect(codesOf(problems)).toEqual(codesOf(model.submit(each).problems));
        }
        const texts = await Promise.all([a, b].map((each) => each.read("plan-1", textOf)));
        expect(texts[0]).toBe(texts[1]);
        expect(await b.verify()).toEqual([]);
        a.close();
        b.close();
      }),
      { numRuns: 50 },
    );
  });
});

/** A journal with a plan at work, closed, and a way to change its file behind its back. */
async function workedOn(): Promise<{ path: string; text: string }> {
  const path = newFile();
  const journal = openAt(path);
  await submit(journal, plan, ...toReady());
  await submit(journal, "plan-1", { kind: "start", task: "T001" });
  await submit(journal, "plan-1", { kind: "complete", task: "T001", created: ["a.ts"], modified: [] });
  await submit(journal, "plan-1", { kind: "start", task: "T002" });
  const text = await journal.read("plan-1", textOf);
  journal.close();
  return { path, text };
}

function tamper(path: string, sql: string, ...values: readonly SQLInputValue[]): void {
  const db = new DatabaseSync(path);
  if (values.length > 0) db.prepare(sql).run(...values);
  else db.exec(sql);
  db.close();
}

async function verified(path: string): Promise<readonly string[]> {
  const journal = openAt(path);
  try {
    return (await journal.verify()).map(({ code }) => code);
  } catch (error) {
    if (error instanceof StoreFailure) return [error.problem.code];
    throw error;
  } finally {
    journal.close();
  }
}

describe("sqlite: what was changed behind its back", () => {
  const changes: readonly (readonly [what: string, sql: string])[] = [
    ["the body of a fact", "update fact set body = replace(body, 'a.ts', 'b.ts')"],
    ["when a fact was written", "update fact set at = '2020-01-01T00:00:00.000Z' where position = 3"],
    ["who wrote a fact", "update fact set by = 'somebody else' where position = 3"],
    ["a fact in the middle, deleted", "delete from fact where position = 4"],
    ["the last fact, deleted", "delete from fact where position = (select max(position) from fact)"],
    ["all facts, deleted", "delete from fact"],
    [
      "two facts, swapped",
      "update fact set position = 99 where position = 3; update fact set position = 3 where position = 4; update fact set position = 4 where position = 99",
    ],
    ["a hash of the chain", "update fact set hash = replace(hash, '0', '1') where position = 2"],
    ["the run's own hash", "update run set hash = replace(hash, '0', '1')"],
    ["the run's record", "update run set head = replace(head, 'executing', 'complete')"],
    ["the run's phase as it is listed", "update run set phase = 'complete'"],
    ["the run's position as it is listed", "update run set position = position - 1"],
    ["whether the run is archived, as it is listed", "update run set archived = 1"],
    ["a task's state", `update task set state = '{"state":"complete"}' where id = 'T002'`],
    [
      "a task's definition",
      "update task set fixed = replace(fixed, 'task T003', 'task X') where id = 'T003'",
    ],
    ["a task's place in the order", "update task set remaining = 99 where id = 'T003'"],
    ["whether a task is ready", "update task set ready = 0 where id = 'T003'"],
    ["whether a task is notable", "update task set notable = 0 where id = 'T002'"],
    ["whether a task is of the steel thread", "update task set steel = 1 where id = 'T003'"],
    ["a task, deleted", "delete from task where id = 'T003'"],
  ];

  for (const [what, sql] of changes)
    it(`G6 verify finds ${what}`, async () => {
      const { path } = await workedOn();
      expect(await verified(path)).toEqual([]);
      tamper(path, sql);
      expect(await verified(path)).not.toEqual([]);
    });

  it("G6 verify finds a fact that was added with a chain that does not add up", async () => {
    const { path } = await workedOn();
    const body = JSON.stringify({ kind: "task-skipped", task: "T003", reason: "forged" });
    tamper(
      path,
      "insert into fact select run, position + 1, at, by, format, ?, hash from fact order by position desc limit 1",
      body,
    );
    expect(await verified(path)).toEqual(["chain"]);
  });

  it("G6 names the fact at which the history is broken", async () => {
    const { path } = await workedOn();
    tamper(path, "update fact set by = 'x' where position = 5");
    const journal = openAt(path);
    expect((await journal.verify()).map(({ message }) => message)).toEqual([
      "the history of run `plan-1` is broken at fact 5",
    ]);
    journal.close();
  });

  it("G6 a tampered task row stops whoever reads it, and names the task", async () => {
    const { path } = await workedOn();
    tamper(path, `update task set state = '{"state":"complete"}' where id = 'T003'`);
    const journal = openAt(path);
    expect(await codeOf(submit(journal, "plan-1", { kind: "start", task: "T003" }))).toBe("corrupt");
    await expect(submit(journal, "plan-1", { kind: "start", task: "T003" })).rejects.toThrow("`T003`");
    journal.close();
  });

  it("G6 a tampered record of the run stops every command", async () => {
    const { path } = await workedOn();
    tamper(path, "update run set head = replace(head, 'executing', 'complete')");
    const journal = openAt(path);
    expect(await codeOf(journal.read("plan-1", () => {}))).toBe("corrupt");
    expect(await codeOf(submit(journal, "plan-1", { kind: "halt", reason: "x" }))).toBe("corrupt");
    journal.close();
  });

  it("G6 a fact that is no JSON stops whoever reads the history", async () => {
    const { path } = await workedOn();
    tamper(path, "update fact set body = substr(body, 1, 9) where position = 2");
    const journal = openAt(path);
    expect(await codeOf(journal.entries("plan-1"))).toBe("corrupt");
    journal.close();
  });
});

describe("sqlite: flipped bits", () => {
  const flips = Number(process.env.HEDDLE_FLIPS ?? 400);

  /** All that can be read, or nothing when the store says that it is damaged. */
  async function everything(path: string): Promise<string | undefined> {
    let journal: SqliteJournal | undefined;
    try {
      journal = openAt(path);
      if ((await journal.verify()).length > 0) return undefined;
      const runs = JSON.stringify(await journal.runs());
      return `${runs}${await journal.read("plan-1", textOf)}${JSON.stringify(await journal.entries("plan-1"))}`;
    } catch (error) {
      if (error instanceof StoreFailure) return undefined;
      throw error;
    } finally {
      journal?.close();
    }
  }

  it(`G6 ${flips} of them, one at a time, are each noticed or without effect`, {
    timeout: 120_000,
  }, async () => {
    const { path } = await workedOn();
    const [whole, before] = [readFileSync(path), await everything(path)];
    const chance = new Chance();
    const wrong: string[] = [];
    let noticed = 0;
    for (let n = 0; n < flips; n++) {
      const [at, bit] = [chance.below(whole.length), chance.below(8)];
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      writeFileSync(path, bytes);
      const after = await everything(path).catch((error: Error) => `crash: ${error.message}`);
      if (after === undefined) noticed++;
      else if (after !== before)
        wrong.push(`seed ${chance.seed}, bit ${bit} of byte ${at}: ${after.slice(0, 120)}`);
      for (const rest of ["-wal", "-shm"]) rmSync(`${path}${rest}`, { force: true });
    }
    expect(wrong).toEqual([]);
    expect(noticed).toBeGreaterThan(flips / 10);
  });
});

describe("sqlite: files of another time", () => {
  async function refusal(path: string, look: (journal: SqliteJournal) => Promise<unknown>): Promise<Problem> {
    let journal: SqliteJournal | undefined;
    try {
      journal = openAt(path);
      await look(journal);
    } catch (error) {
      if (error instanceof StoreFailure) return error.problem;
      throw error;
    } finally {
      journal?.close();
    }
    throw new Error("it was not refused");
  }
  const read = (journal: SqliteJournal) => journal.read("plan-1", textOf);

  it("C14 refuses a run in a newer format with a sentence and a way out, and loses nothing", async () => {
    const { path, text } = await workedOn();
    tamper(path, "update run set format = 99");
    const found = await refusal(path, read);
    expect(found.code).toBe("newer");
    expect(found.message).toContain("newer heddle");
    expect(found.hint).toContain("heddle@latest");
    const writing = (journal: SqliteJournal) => submit(journal, "plan-1", { kind: "halt", reason: "x" });
    expect((await refusal(path, writing)).code).toBe("newer");
    tamper(path, "update run set format = 1");
    const journal = openAt(path);
    expect(await read(journal)).toBe(text);
    expect(await journal.verify()).toEqual([]);
    journal.close();
  });

  it("C14 refuses a fact of a kind that it does not know, and loses nothing", async () => {
    const { path } = await workedOn();
    const db = new DatabaseSync(path);
    const last = db.prepare("select * from fact order by position desc limit 1").get() as {
      [key: string]: string | number;
    };
    const [at, by, body] = ["2030-01-01T00:00:00.000Z", "newer", JSON.stringify({ kind: "task-danced" })];
    const position = Number(last.position) + 1;
    const hash = chained(String(last.hash), { position, at, by }, body);
    db.prepare("insert into fact values (?, ?, ?, ?, 2, ?, ?)").run("plan-1", position, at, by, body, hash);
    db.close();
    const found = await refusal(path, (journal) => journal.entries("plan-1"));
    expect(found.code).toBe("newer");
    expect(found.message).toContain("task-danced");
    expect(await verified(path)).not.toEqual([]);
    tamper(path, "delete from fact where position = ?", position);
    expect(await verified(path)).toEqual([]);
  });

  it("C14 refuses a newer schema without touching the file", async () => {
    const { path } = await workedOn();
    tamper(path, "pragma user_version = 2");
    const before = readFileSync(path);
    const found = await refusal(path, read);
    expect([found.code, found.message.includes("newer heddle")]).toEqual(["newer", true]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("C14 refuses a database that is not a journal, a file that is no database, an empty one, and none", async () => {
    const other = join(folder, "other.db");
    tamper(other, "create table t (x)");
    expect((await refusal(other, read)).code).toBe("corrupt");
    const text = join(folder, "text.db");
    writeFileSync(text, "this is no database, but it is longer than a header of one hundred bytes".repeat(9));
    expect((await refusal(text, read)).code).toBe("corrupt");
    const empty = join(folder, "empty.db");
    writeFileSync(empty, "");
    expect((await refusal(empty, read)).code).toBe("corrupt");
    expect((await refusal(join(folder, "none.db"), read)).code).toBe("no-project");
    expect(statSync(empty).size).toBe(0);
  });

  it("C14 refuses a run of a protocol that is not there", async () => {
    const { path } = await workedOn();
    const journal = new SqliteJournal({ path, protocols: () => undefined, now: ticking() });
    expect(await codeOf(journal.read("plan-1", () => {}))).toBe("unknown-protocol");
    journal.close();
  });
});

describe("sqlite: creating and copying", () => {
  it("creating a journal where there is one leaves it alone", async () => {
    const { path, text } = await workedOn();
    createDatabase(path);
    const journal = openAt(path);
    expect(await journal.read("plan-1", textOf)).toBe(text);
    journal.close();
  });

  it("a backup opens, verifies, and is what was, whatever happens to the original later", async () => {
    const { path, text } = await workedOn();
    const copy = join(folder, `copy-${++files}.db`);
    const journal = openAt(path);
    await journal.copyTo(copy);
    await submit(journal, "plan-1", { kind: "complete", task: "T002", created: [], modified: [] });
    journal.close();
    const again = openAt(copy);
    expect(await again.read("plan-1", textOf)).toBe(text);
    expect(await again.verify()).toEqual([]);
    expect((await submit(again, "plan-1", { kind: "start", task: "T003" })).problems).toEqual([]);
    again.close();
  });

  it("a backup goes over nothing that is there", async () => {
    const { path } = await workedOn();
    const taken = join(folder, "taken.db");
    writeFileSync(taken, "mine");
    const journal = openAt(path);
    await expect(journal.copyTo(taken)).rejects.toThrow();
    expect(readFileSync(taken, "utf8")).toBe("mine");
    journal.close();
  });
});
