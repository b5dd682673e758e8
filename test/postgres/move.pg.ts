// Moving a journal from a file to Postgres and back: equal in every fact, and dead at any step the project is as it was, or the next
// `journal move` ends it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { type Journal, StoreFailure } from "../../src/journal/journal.ts";
import { moveJournal } from "../../src/keep/move-journal.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { toReady } from "../journal/inputs.ts";
import { submit, ticking } from "../journal/suite.ts";
import { hasPostgres, Server } from "./server.ts";

let server: Server;
let root: string;
let projects = 0;
const folder = mkdtempSync(join(tmpdir(), "heddle-move-"));

beforeAll(async () => {
  if (!hasPostgres) return;
  server = await Server.start(["fsync=off"]);
  process.env.PGPASSWORD = server.password;
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const { journals } = composition;
const config = () => join(root, ".heddle/config.json");
const opening = () => ({ ...composition, root });
const openIt = () => journals.open({ root, protocols: protocolNamed, now: ticking() });

/** Facts with their hashes, records and rows, whichever store they are in: a backup has them all. */
async function everything(): Promise<string> {
  const journal = await openIt();
  const file = join(folder, `all-${++projects}.db`);
  await journal.copyTo(file);
  journal.close();
  const db = new DatabaseSync(file);
  try {
    const tables = ["run order by id", "fact order by run, position", "task order by run, id"];
    return JSON.stringify(tables.map((table) => db.prepare(`select * from ${table}`).all()));
  } finally {
    db.close();
  }
}

async function write(reason: string): Promise<void> {
  const journal = await openIt();
  try {
    await submit(journal, "plan-1", { kind: "halt", reason });
  } finally {
    journal.close();
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StoreFailure) return error.problem.code;
    const { problems } = error as { problems?: readonly { code: string }[] };
    if (problems?.[0]) return problems[0].code;
    throw error;
  }
  return "no failure";
}

beforeEach(async () => {
  if (!hasPostgres) return;
  root = join(folder, `project-${++projects}`);
  mkdirSync(join(root, ".heddle"), { recursive: true });
  await journals.create(root);
  const journal: Journal = await openIt();
  const [, ...more] = toReady();
  const places = { targetDir: root, planningDir: join(root, "project-planning") };
  await submit(journal, { protocol: "decomposition" }, { kind: "create", ...places }, ...more);
  await submit(journal, "plan-1", { kind: "start", task: "T001" });
  journal.close();
});

const there = () => server.address(`m${projects}`);

/** As a kill at that step would leave it. */
async function killedAfter(to: string, step: "taken" | "left"): Promise<void> {
  if (!journals.stores) throw new Error("there are no stores to move between");
  const { from, to: target } = await journals.stores(root, to);
  const left = from.leave(root, target.name ?? "sqlite", async (copy) => {
    await target.take(root, copy);
    if (step === "taken") throw new Error("killed");
  });
  await (step === "taken" ? expect(left).rejects.toThrow("killed") : left);
}

describe.skipIf(!hasPostgres)("(left out without Postgres)", () => {
  it("U5 takes a journal to Postgres and back: every fact, hash, record and row is the same", async () => {
    writeFileSync(config(), '{\n  // mine\n  "attempts": 2\n}\n');
    const before = await everything();
    const { facts } = await moveJournal(opening(), there());
    expect(facts).toBeGreaterThan(5);
    expect(readFileSync(config(), "utf8")).toContain('// mine\n  "attempts": 2,\n  "journal": "postgres://');
    expect(await everything()).toBe(before);
    await write("on the server");
    const after = await everything();
    expect(after).not.toBe(before);
    await moveJournal(opening(), "sqlite");
    expect(readFileSync(config(), "utf8")).toBe('{\n  // mine\n  "attempts": 2\n}\n');
    expect(await everything()).toBe(after);
    await write("in the file");
    await moveJournal(opening(), there());
    const journal = await openIt();
    expect(await journal.verify()).toEqual([]);
    journal.close();
  });

  it("U5 leaves a file that says where the journal is and refuses to be written to, whoever had it open", async () => {
    const early = await openIt();
    await early.read("plan-1", () => {});
    await moveJournal(opening(), there());
    expect(await codeOf(submit(early, "plan-1", { kind: "halt", reason: "too late" }))).toBe("moved");
    early.close();
    rmSync(config());
    expect(await codeOf(openIt())).toBe("moved");
  });

  it("U5 leaves a database that refuses to be written to, whoever had it open", async () => {
    await moveJournal(opening(), there());
    const early = await openIt();
    await early.read("plan-1", () => {});
    const line = readFileSync(config(), "utf8");
    await moveJournal(opening(), "sqlite");
    expect(await codeOf(submit(early, "plan-1", { kind: "halt", reason: "too late" }))).toBe("moved");
    early.close();
    writeFileSync(config(), line);
    expect(await codeOf(openIt())).toBe("moved");
  });

  it("U5 G1 killed on its way to Postgres before the file is left: the project is as it was, and can be moved", async () => {
    await killedAfter(there(), "taken");
    await write("after the kill");
    const before = await everything();
    await moveJournal(opening(), there());
    expect(await everything()).toBe(before);
  });

  it("U5 G1 killed after the file was left: commands say what to type, and that ends the move", async () => {
    const before = await everything();
    await killedAfter(there(), "left");
    expect(existsSync(config())).toBe(false);
    expect(await codeOf(openIt())).toBe("moved");
    await moveJournal(opening(), there());
    expect(await everything()).toBe(before);
  });

  it("U5 G1 killed after the file was left: it can be taken back as well", async () => {
    const before = await everything();
    await killedAfter(there(), "left");
    await moveJournal(opening(), "sqlite");
    expect(await everything()).toBe(before);
    await write("goes on");
  });

  it.each(["taken", "left"] as const)(
    "U5 G1 killed on its way back, when the copy was %s: the same command ends it",
    async (step) => {
      await moveJournal(opening(), there());
      await write("on the server");
      const before = await everything();
      await killedAfter("sqlite", step);
      expect(await codeOf(openIt().then((journal) => journal.close()))).toBe(
        step === "taken" ? "no failure" : "moved",
      );
      await moveJournal(opening(), "sqlite");
      expect(await everything()).toBe(before);
      await write("goes on");
    },
  );

  it("U5 refuses a project's name that is taken, and changes nothing", async () => {
    await moveJournal(opening(), server.address("taken"));
    const other = join(folder, "other");
    mkdirSync(join(other, ".heddle"), { recursive: true });
    await journals.create(other);
    expect(await codeOf(moveJournal({ ...composition, root: other }, server.address("taken")))).toBe(
      "project-exists",
    );
    expect(existsSync(join(other, ".heddle/config.json"))).toBe(false);
    const journal = await journals.open({ root: other, protocols: protocolNamed, now: ticking() });
    await submit(journal, { protocol: "decomposition" }, ...toReady());
    journal.close();
  });

  it("U5 restores a backup there, and keeps what was there in a file", async () => {
    const { backUp, restoreBackup } = await import("../../src/keep/backup.ts");
    const { App } = await import("../../src/engine/app.ts");
    await moveJournal(opening(), there());
    const [, facts = []] = JSON.parse(await everything()) as unknown[][];
    const app = await App.open({ ...opening(), by: "test" });
    const file = join(folder, `backup-${projects}.db`);
    await backUp(app, file);
    app.close();
    await write("not in the backup");
    const { aside } = await restoreBackup(opening(), file);
    // The view is written again from the backup, and that is a fact as well.
    const [, restored = []] = JSON.parse(await everything()) as unknown[][];
    expect(restored.slice(0, facts.length)).toEqual(facts);
    expect(JSON.stringify(restored)).not.toContain("not in the backup");
    expect(existsSync(join(aside ?? "", "heddle.db"))).toBe(true);
  });
});
