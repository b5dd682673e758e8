import assert from "node:assert/strict";
import { test } from "node:test";
import { Mistake } from "../src/failure.js";
import { desk } from "./desk.js";

async function deskWithNotes(t) {
  const { notes } = await desk(t);
  await notes("add", "Call Ada");
  await notes("add", "Buy milk, bread");
  return notes;
}

test("export prints Markdown, oldest note first", async (t) => {
  const notes = await deskWithNotes(t);
  assert.deepEqual(await notes("export"), {
    status: 0,
    printed: "# Notes\n\n## 2026-03-01\n\n- Call Ada\n\n## 2026-03-02\n\n- Buy milk, bread\n",
  });
});

test("--format csv prints a table", async (t) => {
  const notes = await deskWithNotes(t);
  const { printed } = await notes("export", "--format", "csv");
  assert.match(printed, /^id,created,tags,text\n1,.*,Call Ada\n2,.*,"Buy milk, bread"\n$/);
});

test("--format json prints what another program can read", async (t) => {
  const notes = await deskWithNotes(t);
  const { printed } = await notes("export", "--format", "json");
  assert.deepEqual(
    JSON.parse(printed).map(({ id }) => id),
    [1, 2],
  );
});

test("an unknown format is a mistake that names the known ones", async (t) => {
  const notes = await deskWithNotes(t);
  await assert.rejects(
    notes("export", "--format", "pdf"),
    new Mistake("there is no format `pdf`; there are markdown, csv, json"),
  );
});
