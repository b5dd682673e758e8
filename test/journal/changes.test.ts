// The stream of changes between two who have one journal open, and the `Watch` that remembers it for those who only ask.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import type { Change } from "../../src/journal/journal.ts";
import { createDatabase } from "../../src/journal/schema.ts";
import { SqliteJournal } from "../../src/journal/sqlite.ts";
import { Watch } from "../../src/journal/watch.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { toReady } from "./inputs.ts";
import { create, submit, ticking } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-changes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plan = { protocol: "decomposition" } as const;
let a: SqliteJournal;
let b: SqliteJournal;
let files = 0;

beforeEach(async () => {
  const path = join(folder, `${++files}.db`);
  createDatabase(path);
  const open = () => new SqliteJournal({ path, protocols: protocolNamed, now: ticking() });
  [a, b] = [open(), open()];
  await submit(a, plan, ...toReady());
  return () => {
    a.close();
    b.close();
  };
});

it("C4 tells what another has committed, several at once as the last of them", async () => {
  const ended = new AbortController();
  const told: Change[] = [];
  const following = (async () => {
    for await (const change of b.changes(ended.signal)) {
      told.push(change);
      if (told.length === 2) ended.abort();
    }
  })();
  await submit(a, "plan-1", { kind: "start", task: "T001" });
  const { position } = await submit(a, "plan-1", { kind: "start", task: "T002" });
  await vi.waitFor(() => expect(told).toEqual([{ run: "plan-1", position }]));
  const second = await submit(a, plan, create);
  await following;
  expect(told[1]).toEqual({ run: second.run, position: second.position });
});

it("C4 ends when the journal is closed, though nobody said so", async () => {
  const told: Change[] = [];
  const following = (async () => {
    for await (const change of b.changes(new AbortController().signal)) told.push(change);
  })();
  b.close();
  await following;
  expect(told).toEqual([]);
});

it("C4 remembers for one who looks now and then that something changed, once", async () => {
  const watch = new Watch(b);
  expect([watch.hasChanged(), watch.hasChanged()]).toEqual([true, false]);
  await submit(a, "plan-1", { kind: "start", task: "T001" });
  await vi.waitFor(() => expect(watch.hasChanged()).toBe(true));
  expect(watch.hasChanged()).toBe(false);
  watch.stop();
  await submit(a, "plan-1", { kind: "start", task: "T002" });
  expect(watch.hasChanged()).toBe(false);
});
