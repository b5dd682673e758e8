// A store that was damaged is noticed and never worked on as if nothing had happened (G6): the database and its log
// truncated, flipped, emptied, deleted, replaced. `HEDDLE_FLIPS` sets how many random flips there are.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { thorough } from "../thorough.ts";
import { chain } from "./plan-files.ts";
import { Chance } from "./random.ts";
import { type Project, readyProject } from "./rig.ts";
import { expectNoTrace, expectOneError, expectRefused, expectWhole } from "./whole.ts";

const flips = Number(process.env.HEDDLE_FLIPS ?? (thorough ? 60 : 20));
const store = 74;

let project: Project;
let back: () => void;
beforeAll(async () => {
  project = await readyProject({ tasks: 6, after: chain });
  await project.must("state", "start-task", "T001");
  await project.must("state", "complete-task", "T001", "--created", "src/T001.ts");
  await project.must("state", "start-task", "T002");
  back = project.save();
});
beforeEach(() => back());

function flip(path: string, chance: Chance): string {
  const bytes = readFileSync(path);
  const [at, bit] = [chance.below(bytes.length), chance.below(8)];
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at}`;
}

/** Everything that can be seen of the project, or nothing when a command noticed that something is wrong. */
async function everything(): Promise<string | undefined> {
  const words = [["verify"], ["state", "export", "--json"], ["status", "--json"]];
  const ran = await Promise.all(words.map((each) => project.heddle(...each)));
  for (const each of ran) expectNoTrace(each);
  return ran.some(({ code }) => code !== 0) ? undefined : ran.map(({ out }) => out).join("\n");
}

describe("a damaged database", () => {
  const harms: readonly (readonly [what: string, harm: () => void])[] = [
    ["empty", () => truncateSync(project.database, 0)],
    ["cut to half a page", () => truncateSync(project.database, 2_048)],
    ["cut to its first page", () => truncateSync(project.database, 4_096)],
    ["cut by its last page", () => truncateSync(project.database, statSync(project.database).size - 4_096)],
    ["a text", () => writeFileSync(project.database, "not a database at all\n".repeat(400))],
    [
      "a folder",
      () => {
        rmSync(project.database);
        mkdirSync(project.database);
      },
    ],
    ["zeroes", () => writeFileSync(project.database, new Uint8Array(statSync(project.database).size))],
  ];
  for (const [what, harm] of harms)
    it(`G6 that is ${what} is refused with exit 74 and one sentence, and left as it is`, async () => {
      harm();
      const before = statSync(project.database).size;
      for (const words of [["status"], ["state", "start-task", "T003"], ["verify"], ["init", "app"]]) {
        const ran = await project.heddle(...words);
        expect(ran.code, `heddle ${words.join(" ")}: ${ran.out}${ran.err}`).toBe(store);
        expectOneError(ran);
      }
      expect(statSync(project.database).size).toBe(before);
    });

  it("G6 that is cut by its last byte is noticed, or nothing is missing", async () => {
    const before = await everything();
    truncateSync(project.database, statSync(project.database).size - 1);
    expect([undefined, before]).toContain(await everything());
  });

  it("G6 verify of a history that was changed exits 74 and says where it is broken", async () => {
    const db = new DatabaseSync(project.database);
    db.exec("update fact set body = replace(body, 'src/T001.ts', 'src/evil.ts') where position > 3");
    db.close();
    const ran = await project.heddle("verify");
    expect(ran.err).toMatch(/history of run `plan-1` is broken at fact \d+/);
    expect(ran.code).toBe(store);
    expect((await project.heddle("verify", "--json")).out).toContain('"ok": false');
  });

  it("G6 a task that was changed in its row stops the command that reads it", async () => {
    const db = new DatabaseSync(project.database);
    db.exec(`update task set state = '{"state":"complete"}' where id = 'T003'`);
    db.close();
    const ran = await project.heddle("why", "T003");
    expect(ran.code).toBe(store);
    expectOneError(ran);
    expect(ran.err).toContain("`T003`");
  });

  it("C14 a journal of a newer heddle is refused by name, and works again for the newer one", async () => {
    const db = new DatabaseSync(project.database);
    const { format } = db.prepare("select format from run").get() as { format: number };
    db.exec("pragma user_version = 7");
    const ran = await project.heddle("status");
    expect(ran.code).toBe(store);
    expectOneError(ran);
    expect(ran.err).toMatch(/written by a newer heddle/);
    db.exec("pragma user_version = 1; update run set format = 9");
    const other = await project.heddle("state", "start-task", "T003");
    expect(other.code).toBe(store);
    expect(other.err).toMatch(/written by a newer heddle/);
    db.exec(`update run set format = ${format}`);
    db.close();
    await expectWhole(project);
  });

  it(`G6 ${flips} random flips are each noticed or without effect`, {
    timeout: 180_000 + 2_000 * flips,
  }, async () => {
    const chance = new Chance();
    const before = await everything();
    expect(before).toBeDefined();
    let noticed = 0;
    for (let n = 0; n < flips; n++) {
      back();
      const what = flip(project.database, chance);
      const after = await everything();
      if (after === undefined) noticed++;
      else expect(after, `seed ${chance.seed}, flip ${n}: ${what}`).toBe(before);
    }
    expect(noticed).toBeGreaterThan(flips / 10);
  });
});

/** As after a power cut: the last commands are in the write-ahead log alone. */
async function withLog(): Promise<() => void> {
  const [database, log] = [project.database, `${project.database}-wal`];
  const holding = new DatabaseSync(database);
  holding.exec("select 1 from run");
  await project.must("state", "complete-task", "T002");
  await project.must("state", "start-task", "T003");
  for (const file of [database, log]) copyFileSync(file, `${file}.copy`);
  holding.close();
  return () => {
    for (const file of [database, log]) copyFileSync(`${file}.copy`, file);
    rmSync(`${database}-shm`, { force: true });
  };
}

describe("a damaged write-ahead log", () => {
  it("C1 one that is whole is taken up by the next command: nothing is lost", async () => {
    const crash = await withLog();
    crash();
    expect((await expectWhole(project)).running).toEqual(["T003"]);
  });

  const harms: readonly (readonly [what: string, harm: (log: string) => void])[] = [
    ["deleted", (log) => rmSync(log)],
    ["emptied", (log) => truncateSync(log, 0)],
    ["cut in half", (log) => truncateSync(log, Math.floor(statSync(log).size / 2))],
  ];
  for (const [what, harm] of harms)
    it(`G6 one that was ${what} is noticed by the view, which knows more; restore accepts the loss`, async () => {
      const crash = await withLog();
      crash();
      harm(`${project.database}-wal`);
      for (const words of [["status"], ["state", "start-task", "T004"]])
        expectRefused(await project.heddle(...words), /state\.json is newer than the journal/);
      await project.must("state", "restore");
      const { running, tasks } = await expectWhole(project);
      expect([running.length + tasks.complete, tasks.pending + tasks.running + tasks.complete]).toEqual([
        2, 6,
      ]);
    });

  it("G6 random flips in it are each noticed or without effect", { timeout: 60_000 }, async () => {
    const chance = new Chance();
    const crash = await withLog();
    const view = readFileSync(project.view);
    const again = () => {
      crash();
      writeFileSync(project.view, view);
    };
    again();
    const before = await everything();
    expect(before).toBeDefined();
    for (let n = 0; n < Math.max(8, flips / 4); n++) {
      again();
      const what = flip(`${project.database}-wal`, chance);
      const after = await everything();
      if (after !== undefined) expect(after, `seed ${chance.seed}, flip ${n}: ${what}`).toBe(before);
    }
  });
});

describe("a store that is gone or was replaced", () => {
  it("G6 C3 a database that was deleted is not passed over", async () => {
    rmSync(project.database);
    const view = readFileSync(project.view, "utf8");
    for (const words of [["status"], ["state", "complete-task", "T002"], ["state", "load-tasks"]]) {
      const ran = await project.heddle(...words);
      expect(ran.code, ran.err).toBe(store);
      expectOneError(ran);
      expect(ran.err).toContain(".heddle/heddle.db is missing");
    }
    expect(readFileSync(project.view, "utf8")).toBe(view);
    expect(existsSync(project.database)).toBe(false);
  });

  it("D1 G6 init does not begin anew over a plan whose database was deleted", async () => {
    rmSync(project.path(".heddle"), { recursive: true });
    const view = readFileSync(project.view, "utf8");
    const ran = await project.heddle("init", "app");
    expect(ran.code, ran.out).not.toBe(0);
    expectOneError(ran);
    expect(readFileSync(project.view, "utf8")).toBe(view);
    expect(existsSync(project.database)).toBe(false);
  });

  it("D1 init --force puts a plan whose database was deleted into the archive first", async () => {
    rmSync(project.path(".heddle"), { recursive: true });
    await project.must("init", "app", "--force");
    expect(await expectWhole(project)).toMatchObject({ phase: "ingestion", tasks: { pending: 0 } });
    expect(project.has("project-planning/tasks/T001.json")).toBe(false);
  });

  it("C3 a database that was replaced by an older copy is noticed by every command", async () => {
    const older = readFileSync(project.database);
    await project.must("state", "complete-task", "T002");
    writeFileSync(project.database, older);
    for (const words of [["status"], ["state", "complete-task", "T002"], ["halt"], ["state", "ready-tasks"]])
      expectRefused(await project.heddle(...words), /state\.json is newer than the journal/);
    await project.must("state", "restore");
    expect((await expectWhole(project)).running).toEqual(["T002"]);
  });
});
