// U4: whoever follows a store rests while nothing is written, looks as soon as something is, and never relies on being told.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { Pace } from "../../src/journal/pace.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-pace-"));
afterAll(() => rmSync(root, { recursive: true }));
let made = 0;
function folder(): string {
  const path = join(root, String(made++));
  mkdirSync(path);
  return path;
}

const hourMs = 3_600_000;
/** Nothing but a write, or the end, wakes these. */
const onlyWoken = { stirredMs: 0, restMs: hourMs, unsureMs: hourMs };

/** Whether `write` wakes it. A watch may begin a moment after it was asked for: written until it is seen. */
async function wakes(pace: Pace, write: () => void): Promise<boolean> {
  const ended = new AbortController();
  let isAwake = false;
  const resting = pace.next(ended.signal).then(() => {
    isAwake = true;
  });
  for (const limit = Date.now() + 30_000; !isAwake && Date.now() < limit; ) {
    write();
    await new Promise((settle) => setTimeout(settle, 10));
  }
  const woken = isAwake;
  ended.abort();
  await resting;
  pace.close();
  return woken;
}

it("U4 rests until its file, or one beside it of that name, is written to", async () => {
  const file = join(folder(), "heddle.db");
  writeFileSync(file, "");
  writeFileSync(`${file}-wal`, "");
  expect(await wakes(new Pace(file, onlyWoken), () => appendFileSync(`${file}-wal`, "x"))).toBe(true);
  expect(await wakes(new Pace(file, onlyWoken), () => appendFileSync(file, "x"))).toBe(true);
});

it("U4 wakes by another connection's commit, whether the store keeps a log or not, and by a link to it", async () => {
  for (const mode of ["wal", "delete"]) {
    const home = folder();
    const file = join(home, "heddle.db");
    const db = new DatabaseSync(file);
    db.exec(`pragma journal_mode = ${mode}; create table t (n integer)`);
    const elsewhere = join(folder(), "heddle.db");
    symlinkSync(file, elsewhere);
    for (const path of [file, elsewhere])
      expect(await wakes(new Pace(path, onlyWoken), () => db.exec("insert into t values (1)"))).toBe(true);
    db.close();
  }
});

it("U4 is not woken by other files of its folder", async () => {
  const home = folder();
  const file = join(home, "heddle.db");
  writeFileSync(file, "");
  const [pace, ended] = [new Pace(file, onlyWoken), new AbortController()];
  let isAwake = false;
  const resting = pace.next(ended.signal).then(() => {
    isAwake = true;
  });
  for (let tick = 0; tick < 5; tick++) {
    writeFileSync(join(home, "state.json"), String(tick));
    await new Promise((settle) => setTimeout(settle, 5));
  }
  expect(isAwake).toBe(false);
  ended.abort();
  await resting;
  await pace.next(ended.signal);
  pace.close();
});

it("U4 looks again by itself: a file that is replaced, a folder that is gone, a watch that cannot be had", async () => {
  const [home, ended] = [folder(), new AbortController()];
  const file = join(home, "heddle.db");
  writeFileSync(file, "");
  const times = { stirredMs: 0, restMs: 20, unsureMs: 10 };
  const pace = new Pace(file, times);
  renameSync(file, `${file}.old`);
  writeFileSync(file, "another");
  await pace.next(ended.signal);
  rmSync(home, { recursive: true });
  await pace.next(ended.signal);
  await pace.next(ended.signal);
  pace.close();
  await pace.next(ended.signal);
  const missing = new Pace(join(home, "not-there/heddle.db"), { stirredMs: 0, restMs: hourMs, unsureMs: 10 });
  await missing.next(ended.signal);
  missing.close();
});

it("U4 rests only where every write is told: elsewhere it is looked at within the time that a halt may take", async () => {
  // /proc is no file system of a disk; like one of a network, it tells of no writes.
  const pace = new Pace("/proc/self/status", { stirredMs: 0, restMs: hourMs });
  await pace.next(new AbortController().signal);
  pace.close();
});

it("U4 ends its rest with whoever follows, and leaves nothing on the signal", async () => {
  const file = join(folder(), "heddle.db");
  writeFileSync(file, "");
  const ended = new AbortController();
  let listeners = 0;
  const { signal } = ended;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--;
    remove(...given);
  };
  const quick = new Pace(file, { stirredMs: 0, restMs: 1, unsureMs: 1 });
  for (let look = 0; look < 20; look++) await quick.next(signal);
  quick.close();
  expect(listeners).toBe(0);
  const pace = new Pace(file, onlyWoken);
  const resting = pace.next(signal);
  ended.abort();
  await resting;
  pace.close();
});
