import assert from "node:assert/strict";
import { test } from "node:test";
import { formats } from "../src/formats.js";
import { makeNote } from "../src/note.js";

const notes = [
  makeNote(1, "Call Ada #work #idea", new Date("2026-03-01T09:30:00Z")),
  makeNote(2, 'Read "Sketches", again', new Date("2026-03-01T21:00:00Z")),
  makeNote(4, "Buy oat milk", new Date("2026-03-02T08:00:00Z")),
];

test("Markdown has one heading for each day", () => {
  assert.equal(
    formats.markdown(notes),
    `# Notes

## 2026-03-01

- Call Ada #work #idea
- Read "Sketches", again

## 2026-03-02

- Buy oat milk`,
  );
});

test("CSV quotes the fields that hold commas or quotation marks", () => {
  assert.equal(
    formats.csv(notes),
    `id,created,tags,text
1,2026-03-01T09:30:00.000Z,work idea,Call Ada #work #idea
2,2026-03-01T21:00:00.000Z,,"Read ""Sketches"", again"
4,2026-03-02T08:00:00.000Z,,Buy oat milk`,
  );
});

test("JSON holds the notes as they are kept", () => {
  assert.deepEqual(JSON.parse(formats.json(notes)), notes);
});

test("an empty notebook is fine in every format", () => {
  assert.equal(formats.markdown([]), "# Notes");
  assert.equal(formats.csv([]), "id,created,tags,text");
  assert.equal(formats.json([]), "[]");
});
