import assert from "node:assert/strict";
import { test } from "node:test";
import { Mistake } from "../src/failure.js";
import { desk } from "./desk.js";

async function deskWithNotes(t) {
  const { notes } = await desk(t);
  await notes("add", "Call Ada about the engine");
  await notes("add", "Ada's birthday");
  await notes("add", "Buy oat milk");
  return notes;
}

test("search finds the notes that hold every word, whatever the capitals", async (t) => {
  const notes = await deskWithNotes(t);
  assert.deepEqual(await notes("search", "ENGINE", "ada"), {
    status: 0,
    printed: "1  2026-03-01  Call Ada about the engine\n",
  });
});

test("what is found is printed newest first", async (t) => {
  const notes = await deskWithNotes(t);
  const { printed } = await notes("search", "ada");
  assert.equal(printed, "2  2026-03-02  Ada's birthday\n1  2026-03-01  Call Ada about the engine\n");
});

test("several words in quotation marks are looked for as they stand", async (t) => {
  const notes = await deskWithNotes(t);
  assert.equal((await notes("search", "oat milk")).status, 0);
  assert.equal((await notes("search", "milk oat")).status, 1);
});

test("nothing found is status 1 and no line", async (t) => {
  const notes = await deskWithNotes(t);
  assert.deepEqual(await notes("search", "unicorn"), { status: 1, printed: "" });
});

test("a search without a word is a mistake", async (t) => {
  const notes = await deskWithNotes(t);
  await assert.rejects(notes("search", " "), Mistake);
});
