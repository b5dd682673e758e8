// A disk that is full or cannot be written (G7): exit 74 and one sentence, nothing lost, and on it goes when there is
// room again. Left out where nothing can be mounted.
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canMount, Namespace } from "./namespace.ts";
import { planFiles } from "./plan-files.ts";
import { ended, folder, heddle, planning, type Ran, readyProject, start } from "./rig.ts";
import { expectNoTrace, expectOneError, expectWhole } from "./whole.ts";

const store = 74;

function expectStoreFailure(ran: Ran, sentence: RegExp): void {
  expect(ran.code, `${ran.out}${ran.err}`).toBe(store);
  expectOneError(ran);
  expect(ran.err).toMatch(sentence);
}

describe.skipIf(!canMount)("a full disk (left out where no tmpfs can be mounted)", () => {
  let space: Namespace;
  let root: string;
  const inside = (...words: readonly string[]) => space.heddle(root, ...words);
  const filler = () => space.path(`${root}/filler`);
  const status = async () => JSON.parse((await inside("status", "--json")).out);

  /** Writes until nothing more fits, then gives `roomBytes` back. */
  function fill(roomBytes = 0): void {
    const fd = openSync(filler(), "w");
    let size = 0;
    for (const chunk of [65_536, 4_096, 512, 1]) {
      try {
        for (;;) size += writeSync(fd, Buffer.alloc(chunk, 1));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      }
    }
    closeSync(fd);
    truncateSync(filler(), Math.max(0, size - roomBytes));
  }

  beforeEach(async () => {
    root = folder();
    space = await Namespace.open(`mount -t tmpfs -o size=3m none ${root}`);
  });
  afterEach(() => space.close());

  async function ready(): Promise<void> {
    expect((await inside("init", "app")).code).toBe(0);
    for (const [path, text] of planFiles({ tasks: 8 }, `${root}/app`))
      writeFileSync(space.path(`${root}/${path}`), text);
    for (const words of planning) expect((await inside(...words)).code).toBe(0);
  }

  it("G7 refuses a change with exit 74, loses nothing, and goes on when there is room", async () => {
    await ready();
    expect((await inside("state", "start-task", "T001")).code).toBe(0);
    const before = await status();
    fill();
    for (const words of [["state", "complete-task", "T001"], ["state", "start-task", "T002"], ["halt"]])
      expectStoreFailure(await inside(...words), /disk (is full|failed)/);
    rmSync(filler());
    expect((await status()).position).toBe(before.position);
    expect((await inside("verify")).code).toBe(0);
    expect((await inside("state", "complete-task", "T001")).code).toBe(0);
    expect((await status()).tasks.complete).toBe(1);
  });

  it("G7 with little room left, each change is there or not there, as its exit code says", {
    timeout: 180_000,
  }, async () => {
    await ready();
    const seen = new Set<number | null>();
    for (let room = 0; room <= 48; room += 6) {
      fill(room * 4_096);
      const before = await inside("history", "--json");
      const ran = await inside("halt", `with ${room} pages of room`);
      expect([0, store], `${room} pages: ${ran.err}`).toContain(ran.code);
      expectNoTrace(ran);
      seen.add(ran.code);
      rmSync(filler());
      const { halt } = await status();
      expect(halt?.reason ?? null, `${room} pages: ${ran.err}`).toBe(
        ran.code === 0 ? `with ${room} pages of room` : null,
      );
      expect((await inside("verify")).code).toBe(0);
      if (before.code === 0) {
        const history = JSON.parse((await inside("history", "--json")).out);
        expect(history.slice(0, JSON.parse(before.out).length)).toEqual(JSON.parse(before.out));
      }
      if (halt) expect((await inside("resume")).code).toBe(0);
    }
    expect([...seen].sort()).toEqual([0, store]);
  });

  it("G7 init on a full disk fails with exit 74, and works when there is room", async () => {
    fill();
    expectStoreFailure(await inside("init", "app"), /disk (is full|failed)/);
    rmSync(filler());
    expect(await inside("init", "app")).toMatchObject({ code: 0, err: "" });
    expect((await inside("verify")).code).toBe(0);
  });

  it("G7 load-tasks that does not fit loads nothing", async () => {
    await ready();
    for (const [path, text] of planFiles({ tasks: 40 }, `${root}/app`))
      writeFileSync(space.path(`${root}/${path}`), text);
    fill(24 * 4_096);
    const ran = await inside("state", "load-tasks");
    expectStoreFailure(ran, /disk (is full|failed)/);
    rmSync(filler());
    expect((await status()).tasks.pending).toBe(8);
    expect((await inside("verify")).code).toBe(0);
    expect((await inside("state", "load-tasks")).code).toBe(0);
    expect((await status()).tasks.pending).toBe(40);
  });

  it("G7 without an inode to spare it is the same", async () => {
    space.close();
    space = await Namespace.open(`mount -t tmpfs -o size=3m,nr_inodes=40 none ${root}`);
    expect((await inside("init", "app")).code).toBe(0);
    const fillers: string[] = [];
    try {
      for (;;) {
        const path = space.path(`${root}/filler-${fillers.length}`);
        mkdirSync(path);
        fillers.push(path);
      }
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
    const ran = await inside("halt", "x");
    expect([0, store], ran.err).toContain(ran.code);
    expectNoTrace(ran);
    for (const path of fillers) rmSync(path, { recursive: true });
    expect((await status()).halt?.reason ?? null).toBe(ran.code === 0 ? "x" : null);
    expect((await inside("verify")).code).toBe(0);
  });
});

describe.skipIf(!canMount)("a read-only disk (left out where nothing can be mounted)", () => {
  it("C14 every change is refused with exit 74 and one sentence, and nothing is changed", async () => {
    const project = await readyProject({ tasks: 3 });
    const space = await Namespace.open(
      `mount --bind ${project.root} ${project.root}; mount -o remount,ro,bind ${project.root}`,
    );
    try {
      for (const words of [["state", "start-task", "T001"], ["halt"], ["init", "app", "--force"]])
        expectStoreFailure(await space.heddle(project.root, ...words), /cannot be written/);
      for (const words of [["status"], ["verify"], ["history"], ["state", "ready-tasks"], ["why"]]) {
        const ran = await space.heddle(project.root, ...words);
        expect([0, store], ran.err).toContain(ran.code);
        expectNoTrace(ran);
      }
    } finally {
      space.close();
    }
    await expectWhole(project);
  });

  it("C14 init says that it cannot be written", async () => {
    const root = folder();
    const space = await Namespace.open(`mount --bind ${root} ${root}; mount -o remount,ro,bind ${root}`);
    try {
      expectStoreFailure(await space.heddle(root, "init", "app"), /cannot be written/);
    } finally {
      space.close();
    }
  });

  it("C2 a change is recorded where only state.json cannot be written, with a warning", async () => {
    const project = await readyProject({ tasks: 3 });
    const plan = project.path("project-planning");
    const space = await Namespace.open(`mount --bind ${plan} ${plan}; mount -o remount,ro,bind ${plan}`);
    try {
      const ran = await space.heddle(project.root, "state", "start-task", "T001");
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain("warning: the change is recorded");
    } finally {
      space.close();
    }
    expect((await project.status()).running).toEqual(["T001"]);
    await expectWhole(project);
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

describe.skipIf(!isRoot)("a directory of somebody else (left out unless root runs the tests)", () => {
  it("C14 every change is refused with exit 74, and the sentence says how to see who may", async () => {
    const project = await readyProject({ tasks: 3 });
    chmodSync(project.root, 0o755);
    const before = readFileSync(project.database);
    for (const words of [["state", "start-task", "T001"], ["halt"], ["state", "load-tasks"]]) {
      const ran = await ended(start(words, { cwd: project.root, ...nobody }));
      expectStoreFailure(ran, /cannot be written/);
    }
    expect(readFileSync(project.database).equals(before)).toBe(true);
    await expectWhole(project);
  });

  it("C14 init in it is refused with exit 74", async () => {
    const root = folder();
    chmodSync(root, 0o755);
    expectStoreFailure(await heddle(["init", "app"], { cwd: root, ...nobody }), /cannot be written/);
  });
});
