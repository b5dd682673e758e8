// The journal in Postgres where a server can fail: several who write at once, connections lost at named points, a server that is killed,
// tampering, and another version's tables.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Entry } from "../../src/core/fact.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Run } from "../../src/core/run.ts";
import type { Draft } from "../../src/core/step.ts";
import { type Change, type Journal, StoreFailure } from "../../src/journal/journal.ts";
import { localJournals } from "../../src/journal/local.ts";
import { MemoryJournal } from "../../src/journal/memory.ts";
import { type Address, addressIn } from "../../src/journal/postgres/address.ts";
import { postgresStore } from "../../src/journal/postgres/store.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { Chance } from "../e2e/random.ts";
import { input, textOf, toReady } from "../journal/inputs.ts";
import { codesOf, create, journalSuite, submit, ticking } from "../journal/suite.ts";
import { simulate } from "../simulation/simulate.ts";
import { Relay } from "./relay.ts";
import { hasPostgres, Server } from "./server.ts";

const plan = { protocol: "decomposition" } as const;
const seed = Number(process.env.HEDDLE_SEED ?? 19);
const kills = Number(process.env.HEDDLE_PG_KILLS ?? 4);
const patienceMs = 30_000;

let server: Server;
let projects = 0;
const open = new Set<{ close(): void }>();

beforeAll(async () => {
  if (!hasPostgres) return;
  server = await Server.start();
  process.env.PGPASSWORD = server.password;
});
afterAll(() => server?.stop());
afterEach(() => {
  for (const each of open) each.close();
  open.clear();
});

const newProject = () => `p${++projects}`;

interface Opened {
  readonly project: string;
  readonly port?: number;
  readonly warn?: (problem: Problem) => void;
}

async function opened({ project, port = server.port, warn }: Opened): Promise<Journal> {
  const text = server.address(project).replace(`:${server.port}/`, `:${port}/`);
  const store = postgresStore(addressIn(text) as Address, localJournals);
  await store.create("");
  const journal = await store.open({
    root: undefined as never,
    protocols: protocolNamed,
    now: ticking(),
    warn,
  });
  open.add(journal);
  return journal;
}

async function failureOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StoreFailure) return error.problem;
    throw error;
  }
  throw new Error("it did not fail");
}

/** The times are those of each journal's own clock. */
const stateOf = (run: Run) => textOf(run).replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "then");

const note = (view: string) => ({ kind: "repair-view", view, was: "missing" }) as const;

describe.skipIf(!hasPostgres)("(left out without Postgres)", () => {
  journalSuite("postgres on a disk that is waited for", () => opened({ project: newProject() }), 30);

  describe("several connections", () => {
    it("U5 decides on the newest state, whatever it had read before", async () => {
      const project = newProject();
      const [a, b] = [await opened({ project }), await opened({ project })];
      await submit(a, plan, ...toReady());
      await b.read("plan-1", textOf);
      await submit(a, "plan-1", { kind: "start", task: "T001" });
      const { problems } = await submit(b, "plan-1", { kind: "start", task: "T001" });
      expect(codesOf(problems)).toEqual(["wrong-status"]);
      expect((await submit(b, "plan-1", { kind: "start", task: "T002" })).problems).toEqual([]);
      expect(await a.read("plan-1", (run) => run.running)).toEqual(["T001", "T002"]);
    });

    it("U5 of eight who write at once none is lost, and each sees the one before", async () => {
      const project = newProject();
      const all = await Promise.all(Array.from({ length: 8 }, () => opened({ project })));
      await submit(all[0] as Journal, plan, create);
      await Promise.all(
        all.map(async (journal, who) => {
          for (let n = 0; n < 10; n++) await submit(journal, "plan-1", note(`${who}-${n}`));
        }),
      );
      const entries = await (all[0] as Journal).entries("plan-1");
      expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: 81 }, (_, at) => at + 1));
      expect(new Set(entries.map(({ fact }) => JSON.stringify(fact))).size).toBe(81);
      expect(await all[1]?.verify()).toEqual([]);
    });

    it("U5 of eight who begin the one run that may be, one does", async () => {
      const project = newProject();
      const all = await Promise.all(Array.from({ length: 8 }, () => opened({ project })));
      const made = await Promise.all(all.map((journal) => submit(journal, { ...plan, alone: true }, create)));
      expect(made.filter(({ problems }) => problems.length === 0)).toHaveLength(1);
      expect(await all[3]?.runs()).toHaveLength(1);
    });

    it("U5 any interleaving of two connections is one history", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(input, fc.boolean()), { maxLength: 25 }), async (steps) => {
          const project = newProject();
          const [a, b] = [await opened({ project }), await opened({ project })];
          await submit(a, plan, ...toReady());
          for (const [each, first] of steps) await submit(first ? a : b, "plan-1", each);
          expect(await a.read("plan-1", textOf)).toBe(await b.read("plan-1", textOf));
          expect(await a.verify()).toEqual([]);
          a.close();
          b.close();
        }),
        { numRuns: 15, seed },
      );
    });

    it("U5 gives a turn to one at a time, and whoever is gone has lost it", async () => {
      const project = newProject();
      const [a, b] = [await opened({ project }), await opened({ project })];
      const order: string[] = [];
      let release = () => {};
      const held = a.lease(async () => {
        order.push("a");
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        order.push("a ends");
      });
      await vi.waitFor(() => expect(order).toEqual(["a"]), patienceMs);
      const second = b.lease(async () => order.push("b"));
      release();
      await Promise.all([held, second]);
      expect(order).toEqual(["a", "a ends", "b"]);
      void a.lease(() => new Promise(() => order.push("a for ever")));
      await vi.waitFor(() => expect(order).toContain("a for ever"), patienceMs);
      a.close();
      expect(await b.lease(async () => "taken")).toBe("taken");
    });

    it("U5 tells what others commit, and not what one commits oneself", async () => {
      const project = newProject();
      const [a, b] = [await opened({ project }), await opened({ project })];
      await submit(a, plan, create);
      const [told, ended] = [[] as Change[], new AbortController()];
      const following = (async () => {
        for await (const change of b.changes(ended.signal)) told.push(change);
      })();
      await b.runs();
      let position = 0;
      await vi.waitFor(async () => {
        ({ position } = await submit(a, "plan-1", note("x")));
        expect(told.length).toBeGreaterThan(0);
      }, patienceMs);
      await vi.waitFor(() => expect(told.at(-1)).toEqual({ run: "plan-1", position }), patienceMs);
      const before = told.length;
      await submit(b, "plan-1", note("own"));
      await submit(a, "plan-1", note("last"));
      await vi.waitFor(() => expect(told.at(-1)?.position).toBe(position + 2), patienceMs);
      expect(told.length).toBe(before + 1);
      ended.abort();
      await following;
    });
  });

  describe("connections that are lost", () => {
    it.each(["question", "answer"] as const)(
      "U5 G1 a commit whose %s is lost is there once",
      async (loss) => {
        const relay = await Relay.to(server.port);
        open.add(relay);
        const project = newProject();
        const journal = await opened({ project, port: relay.port });
        await submit(journal, plan, create);
        for (let n = 0; n < 5; n++) {
          relay.losses = [loss];
          const { position } = await submit(journal, "plan-1", note(`v${n}`));
          expect(position).toBe(n + 2);
        }
        relay.losses = [loss];
        expect((await submit(journal, plan, create)).run).toBe("plan-2");
        expect(relay.lost).toBe(6);
        expect(await journal.entries("plan-1")).toHaveLength(6);
        expect(await journal.runs()).toHaveLength(2);
        expect(await journal.verify()).toEqual([]);
      },
    );

    it("U5 G1 a commit whose answer is lost while another writes is there once, before or after it", async () => {
      const relay = await Relay.to(server.port);
      open.add(relay);
      const project = newProject();
      const [near, far] = [await opened({ project }), await opened({ project, port: relay.port })];
      await submit(near, plan, create);
      for (let n = 0; n < 10; n++) {
        relay.losses = [n % 2 === 0 ? "answer" : "question"];
        await Promise.all([
          submit(far, "plan-1", note(`far-${n}`)),
          submit(near, "plan-1", note(`near-${n}`)),
        ]);
      }
      const entries = await near.entries("plan-1");
      expect(entries).toHaveLength(21);
      expect(new Set(entries.map(({ fact }) => JSON.stringify(fact))).size).toBe(21);
      expect(await near.verify()).toEqual([]);
    });

    it("U5 waits for a server that is away, says so once, and tells afterwards what was missed", async () => {
      const relay = await Relay.to(server.port);
      open.add(relay);
      const project = newProject();
      const warned: Problem[] = [];
      const far = await opened({ project, port: relay.port, warn: (found) => warned.push(found) });
      const near = await opened({ project });
      await submit(near, plan, create);
      const [told, ended] = [[] as Change[], new AbortController()];
      const following = (async () => {
        for await (const change of far.changes(ended.signal)) told.push(change);
      })();
      await far.runs();
      relay.shut();
      await vi.waitFor(() => expect(far.away?.()?.code).toBe("server-away"), patienceMs);
      const { position } = await submit(near, "plan-1", note("missed"));
      const asked = submit(far, "plan-1", note("late"));
      await vi.waitFor(() => expect(warned).toHaveLength(1), patienceMs);
      relay.isOpen = true;
      expect((await asked).position).toBe(position + 1);
      await vi.waitFor(() => expect(told.at(-1)?.position).toBeGreaterThanOrEqual(position), patienceMs);
      expect(warned.map(({ code }) => code)).toEqual(["server-away"]);
      ended.abort();
      await following;
    });

    it("U5 gives up when it is told to, with a sentence", async () => {
      const relay = await Relay.to(server.port);
      open.add(relay);
      const journal = await opened({ project: newProject(), port: relay.port });
      await submit(journal, plan, create);
      relay.shut();
      const asked = failureOf(submit(journal, "plan-1", note("never")));
      journal.giveUp?.();
      const found = await asked;
      expect([found.code, found.hint]).toEqual(["server-away", expect.stringContaining("pg_isready")]);
    });
  });

  it("U5 G1 kill -9 of the server in the middle, again and again: nothing acknowledged is lost, and it goes on", async () => {
    const chance = new Chance(seed);
    const project = newProject();
    const journal = await opened({ project });
    await submit(journal, plan, create);
    let acknowledged = 1;
    for (let kill = 0; kill < kills; kill++) {
      const after = acknowledged + chance.below(20) + 1;
      let killing: Promise<void> | undefined;
      for (let n = 0; n < 40; n++) {
        const asked = submit(journal, "plan-1", note(`${kill}-${n}`));
        if (acknowledged === after) killing = server.kill().then(() => server.up());
        expect((await asked).position).toBe(++acknowledged);
      }
      await killing;
      expect(await journal.entries("plan-1")).toHaveLength(acknowledged);
    }
    expect(await journal.verify()).toEqual([]);
  });

  it("U5 histories of the simulation, committed as they came, fold to the same and are proven", async () => {
    for (let at = seed; at < seed + 12; at++) {
      const entries: Entry[] = [];
      const { violation } = await simulate({
        seed: at,
        ended: (log) => entries.push(...log.map((text) => JSON.parse(text) as Entry)),
      });
      expect([at, violation]).toEqual([at, null]);
      const [chance, project] = [new Chance(at), newProject()];
      const [a, b] = [await opened({ project }), await opened({ project })];
      const memory = new MemoryJournal(protocolNamed, ticking());
      for (let from = 0; from < entries.length; ) {
        const some = entries.slice(from, from + 1 + chance.below(4));
        const record = (draft: Draft) => {
          for (const { fact } of some) draft.record(fact);
          return [];
        };
        const target = from === 0 ? plan : { run: "plan-1" };
        // Turn about, so that each has to follow what the other wrote.
        await (chance.below(2) === 0 ? a : b).transact(target, "simulation", record);
        await memory.transact(target, "simulation", record);
        from += some.length;
      }
      const text = await memory.read("plan-1", stateOf);
      expect([await a.read("plan-1", stateOf), await b.read("plan-1", stateOf)]).toEqual([text, text]);
      expect(await a.verify()).toEqual([]);
      a.close();
      b.close();
    }
  });

  describe("what cannot be trusted", () => {
    it("G6 finds a fact, a record and a task that were changed behind its back", async () => {
      const project = newProject();
      const journal = await opened({ project });
      await submit(journal, plan, ...toReady());
      const [id] = await server.sql(`select id from heddle.project where name = '${project}'`);
      const tamper = async (change: string, back: string) => {
        await server.sql(change);
        const found = codesOf(await journal.verify());
        await server.sql(back);
        return found;
      };
      const fact = `update heddle.fact set body = replace(body, 'kind', 'kimd') where project = ${id} and "position" = 3`;
      const unfact = `update heddle.fact set body = replace(body, 'kimd', 'kind') where project = ${id} and "position" = 3`;
      expect(await tamper(fact, unfact)).toEqual(["chain"]);
      const phase = (name: string) => `update heddle.run set phase = '${name}' where project = ${id}`;
      const [was] = await server.sql(`select phase from heddle.run where project = ${id}`);
      expect(await tamper(phase("other"), phase(String(was)))).toEqual(["fold"]);
      const task = (by: number) =>
        `update heddle.task set remaining = remaining + ${by} where project = ${id} and id = 'T001'`;
      expect(await tamper(task(1), task(-1))).toEqual(["fold"]);
      expect(await journal.verify()).toEqual([]);
      await server.sql(task(1));
      const fresh = await opened({ project });
      expect((await failureOf(fresh.read("plan-1", textOf))).code).toBe("corrupt");
    });

    it("C14 refuses tables of a newer heddle, and changes nothing", async () => {
      const project = newProject();
      await opened({ project });
      await server.sql("insert into heddle.migration (version) values (99)");
      try {
        expect((await failureOf(opened({ project }))).code).toBe("newer");
      } finally {
        await server.sql("delete from heddle.migration where version = 99");
      }
    });

    it("U5 makes the tables once, however many begin at the same time", async () => {
      await server.sql("create database fresh");
      const text = server.address("x").replace("/postgres?", "/fresh?");
      const stores = Array.from({ length: 6 }, () =>
        postgresStore(addressIn(text) as Address, localJournals),
      );
      await Promise.all(stores.map((store) => store.create("")));
      const journals = await Promise.all(
        stores.map((store) =>
          store.open({ root: undefined as never, protocols: protocolNamed, now: ticking() }),
        ),
      );
      for (const each of journals) open.add(each);
      await Promise.all(journals.map((journal) => submit(journal, plan, create)));
      expect(await journals[0]?.runs()).toHaveLength(6);
    });

    it("U5 has one sentence for a wrong password, user, database, port and for none", async () => {
      const codes = async (
        change: (text: string) => string,
        env: Record<string, string | undefined> = {},
      ) => {
        const before = { ...process.env };
        Object.assign(process.env, env);
        for (const [key, value] of Object.entries(env)) if (value === undefined) delete process.env[key];
        try {
          const store = postgresStore(addressIn(change(server.address("x"))) as Address, localJournals);
          return (await failureOf(store.has(""))).code;
        } finally {
          Object.assign(process.env, before);
        }
      };
      expect(await codes((text) => text, { PGPASSWORD: "wrong" })).toBe("wrong-password");
      expect(await codes((text) => `${text}&passfile=/nowhere`, { PGPASSWORD: undefined })).toBe(
        "no-password",
      );
      expect(await codes((text) => text.replace("heddle@", "nobody@"))).toBe("wrong-password");
      expect(await codes((text) => text.replace("/postgres?", "/nothing?"))).toBe("no-database");
      expect(await codes((text) => text.replace(/:\d+\//, ":1/"))).toBe("server-away");
    });
  });

  it("C13 keeps projects of one database apart, and a backup is a file like any other", async () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-pg-copy-"));
    try {
      const [one, two] = [await opened({ project: newProject() }), await opened({ project: newProject() })];
      await submit(one, plan, ...toReady());
      expect(await two.runs()).toEqual([]);
      const file = join(folder, "copy.db");
      await one.copyTo(file);
      const copy = await localJournals.copies.open({ file, protocols: protocolNamed, now: ticking() });
      open.add(copy);
      expect(await copy.verify()).toEqual([]);
      expect(await copy.entries("plan-1")).toEqual(await one.entries("plan-1"));
      expect(await copy.read("plan-1", textOf)).toBe(await one.read("plan-1", textOf));
      await expect(one.copyTo(file)).rejects.toThrow(StoreFailure);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
