import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Failure } from "../src/failure.js";
import { notesFile, readNotebook, writeNotebook } from "../src/store.js";

const note = { id: 1, text: "Buy oat milk", tags: [], created: "2026-03-01T09:30:00.000Z" };

async function folderFor(t) {
  const folder = await mkdtemp(join(tmpdir(), "notes-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test("--file wins over NOTES_FILE, and notes.json is the last resort", () => {
  assert.equal(notesFile("given.json", { NOTES_FILE: "named.json" }), "given.json");
  assert.equal(notesFile(undefined, { NOTES_FILE: "named.json" }), "named.json");
  assert.equal(notesFile(undefined, {}), "notes.json");
});

test("a file that does not exist is an empty notebook", async (t) => {
  const file = join(await folderFor(t), "notes.json");
  assert.deepEqual(await readNotebook(file), { next: 1, notes: [] });
});

test("what was written is read again", async (t) => {
  const file = join(await folderFor(t), "notes.json");
  await writeNotebook(file, { next: 2, notes: [note] });
  assert.deepEqual(await readNotebook(file), { next: 2, notes: [note] });
});

test("the file is replaced, and no draft stays behind", async (t) => {
  const folder = await folderFor(t);
  const file = join(folder, "notes.json");
  await writeNotebook(file, { next: 2, notes: [note] });
  await writeNotebook(file, { next: 2, notes: [] });
  assert.deepEqual(await readNotebook(file), { next: 2, notes: [] });
  assert.deepEqual(await readdir(folder), ["notes.json"]);
});

test("a write that fails leaves no draft behind", async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, "notes.json"));
  await assert.rejects(writeNotebook(join(folder, "notes.json"), { next: 1, notes: [] }), Failure);
  assert.deepEqual(await readdir(folder), ["notes.json"]);
});

for (const damaged of ["", '{ "next": 2, "notes": [', "[]", '{ "next": 2, "notes": [{ "id": 1 }] }']) {
  test(`a damaged file is reported and left as it is: ${JSON.stringify(damaged)}`, async (t) => {
    const file = join(await folderFor(t), "notes.json");
    await writeFile(file, damaged);
    await assert.rejects(
      readNotebook(file),
      new Failure(`\`${file}\` is not a notebook; it is left as it is`),
    );
    assert.equal(await readFile(file, "utf8"), damaged);
  });
}
