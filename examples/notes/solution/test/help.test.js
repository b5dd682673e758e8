import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { desk } from "./desk.js";

test("help has one line about every command", async (t) => {
  const { notes } = await desk(t);
  const { status, printed } = await notes("help");
  assert.equal(status, 0);
  const described = Array.from(printed.matchAll(/^ {2}(\w+).* {2}\w.+$/gm), ([, name]) => `${name}.js`);
  assert.deepEqual(described, (await readdir(join(import.meta.dirname, "..", "src", "commands"))).sort());
});

test("--help and no words at all print the same", async (t) => {
  const { notes } = await desk(t);
  const help = await notes("help");
  assert.deepEqual(await notes("--help"), help);
  assert.deepEqual(await notes(), help);
});
