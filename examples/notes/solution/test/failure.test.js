import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { Failure, Mistake, report } from "../src/failure.js";

const program = join(import.meta.dirname, "..", "bin", "notes.js");

function notes(...args) {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

function reported(error) {
  let said = "";
  const status = report(error, { write: (text) => (said += text) });
  return { status, said };
}

test("trouble with the file is said in one line and exits with status 1", () => {
  assert.deepEqual(reported(new Failure("the disk is full")), {
    status: 1,
    said: "notes: the disk is full\n",
  });
});

test("a mistake on the command line exits with status 2", () => {
  assert.deepEqual(reported(new Mistake("what?")), { status: 2, said: "notes: what?\n" });
});

test("a bug is not dressed up as a mistake", () => {
  assert.throws(() => reported(new TypeError("bug")), TypeError);
});

test("an unknown command is named on standard error", () => {
  const { status, stdout, stderr } = notes("frobnicate");
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /^notes: there is no command `frobnicate`.*\n$/);
});

test("--version prints the version of the package", () => {
  const { status, stdout } = notes("--version");
  assert.equal(status, 0);
  assert.equal(stdout, `${manifest.version}\n`);
});

test("the package depends on nothing", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.devDependencies, undefined);
});
