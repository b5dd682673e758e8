import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Mistake } from "../src/failure.js";
import { desk } from "./desk.js";

async function deskWithNotes(t) {
  const { file, notes } = await desk(t);
  for (const text of ["one", "two", "three"]) await notes("add", text);
  const kept = async () => JSON.parse(await readFile(file, "utf8")).notes.map(({ text }) => text);
  return { notes, kept };
}

test("remove takes the notes away and names each of them", async (t) => {
  const { notes, kept } = await deskWithNotes(t);
  assert.deepEqual(await notes("remove", "3", "1"), { status: 0, printed: "removed 3\nremoved 1\n" });
  assert.deepEqual(await kept(), ["two"]);
});

test("one unknown id, and nothing at all is removed", async (t) => {
  const { notes, kept } = await deskWithNotes(t);
  await assert.rejects(notes("remove", "1", "9"), new Mistake("there is no note `9`; nothing is removed"));
  assert.deepEqual(await kept(), ["one", "two", "three"]);
});

test("an id named twice is removed once", async (t) => {
  const { notes, kept } = await deskWithNotes(t);
  assert.equal((await notes("remove", "2", "2")).printed, "removed 2\n");
  assert.deepEqual(await kept(), ["one", "three"]);
});

test("the id of a removed note is never used again", async (t) => {
  const { notes } = await deskWithNotes(t);
  await notes("remove", "3");
  assert.equal((await notes("add", "four")).printed, "added 4\n");
});

test("a removal without an id is a mistake", async (t) => {
  const { notes } = await deskWithNotes(t);
  await assert.rejects(notes("remove"), Mistake);
});
