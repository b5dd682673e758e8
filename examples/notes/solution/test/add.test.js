import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { Failure, Mistake } from "../src/failure.js";
import { desk } from "./desk.js";

test("add keeps the note and prints its id", async (t) => {
  const { file, notes } = await desk(t);
  assert.deepEqual(await notes("add", "Call Ada #work"), { status: 0, printed: "added 1\n" });
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")), {
    next: 2,
    notes: [{ id: 1, text: "Call Ada #work", tags: ["work"], created: "2026-03-01T09:30:00.000Z" }],
  });
});

test("several words need no quotation marks, and ids count up", async (t) => {
  const { file, notes } = await desk(t);
  await notes("add", "Buy", "oat", "milk");
  assert.equal((await notes("add", "Bake bread")).printed, "added 2\n");
  const { notes: kept } = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(
    kept.map(({ text }) => text),
    ["Buy oat milk", "Bake bread"],
  );
});

test("--file names another notebook", async (t) => {
  const { file, notes } = await desk(t);
  await notes("add", "--file", `${file}.other`, "Elsewhere");
  assert.match(await readFile(`${file}.other`, "utf8"), /Elsewhere/);
  await assert.rejects(readFile(file), { code: "ENOENT" });
});

test("a note without any text is refused and no file appears", async (t) => {
  const { file, notes } = await desk(t);
  await assert.rejects(notes("add"), Mistake);
  await assert.rejects(readFile(file), { code: "ENOENT" });
});

test("a damaged notebook is not overwritten", async (t) => {
  const { file, notes } = await desk(t);
  await writeFile(file, "half a note");
  await assert.rejects(notes("add", "Buy milk"), Failure);
  assert.equal(await readFile(file, "utf8"), "half a note");
});

test("an unknown option is a mistake", async (t) => {
  const { notes } = await desk(t);
  await assert.rejects(notes("add", "--colour", "red"), { status: 2, message: /^Unknown option '--colour'/ });
});
