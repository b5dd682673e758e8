// Turns at what lies around a journal, between processes: the kernel gives them, and takes them back from the dead.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inTurn } from "../../src/journal/turn.ts";
import { codeOf } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-turn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = resolve(import.meta.dirname, "../../src/journal/turn.ts");

/** Another process that has the turn until it is killed. */
async function holding(file: string) {
  const code = `import { inTurn } from ${JSON.stringify(source)};
    await inTurn(${JSON.stringify(file)}, 1000, () => new Promise((end) => { console.log("mine"); setTimeout(end, 60_000); }));`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", code]);
  await new Promise((begun) => child.stdout.once("data", begun));
  return child;
}

it("C3 G1 makes others wait while another process has the turn, and gives it to them when that one is killed", async () => {
  const file = join(folder, "turn");
  const other = await holding(file);
  expect(await codeOf(inTurn(file, 30, async () => "mine"))).toBe("busy");
  const waiting = inTurn(file, 20_000, async () => "mine");
  other.kill("SIGKILL");
  expect(await waiting).toBe("mine");
});

it("C3 goes on where nothing can be written: nobody else can write there either", async () => {
  expect(await inTurn(join(folder, "nowhere/turn"), 30, async () => "done")).toBe("done");
});
