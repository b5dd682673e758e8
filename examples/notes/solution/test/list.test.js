import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "../src/lines.js";
import { desk } from "./desk.js";

test("an empty list prints nothing", async (t) => {
  const { notes } = await desk(t);
  assert.deepEqual(await notes("list"), { status: 0, printed: "" });
});

test("list prints id, day and text, newest first", async (t) => {
  const { notes } = await desk(t);
  await notes("add", "Call Ada #work");
  await notes("add", "Buy oat milk");
  assert.equal((await notes("list")).printed, "2  2026-03-02  Buy oat milk\n1  2026-03-01  Call Ada #work\n");
});

test("--tag keeps only the notes that have the tag, however it is written", async (t) => {
  const { notes } = await desk(t);
  await notes("add", "Call Ada #Work");
  await notes("add", "Network cables");
  for (const tag of ["work", "Work", "#work"]) {
    assert.equal((await notes("list", "--tag", tag)).printed, "1  2026-03-01  Call Ada #Work\n");
  }
  assert.equal((await notes("list", "--tag", "play")).printed, "");
});

test("ids stand in a column", () => {
  const notes = [9, 10].map((id) => ({ id, text: "x", tags: [], created: "2026-03-01T09:30:00.000Z" }));
  assert.deepEqual(linesOf(notes), ["10  2026-03-01  x", " 9  2026-03-01  x"]);
});
