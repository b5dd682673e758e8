// The example is planned offline by scripted roles, and what is seen is compared with `examples/notes/plan.txt`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const example = join(root, "examples/notes");
const folder = mkdtempSync(join(tmpdir(), "heddle-plan-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the example", () => {
  it("D19 is planned from one command, as its transcript shows", () => {
    const args = [
      "plan",
      join(example, "spec.md"),
      "--target",
      "app",
      "--agent",
      `scripted:${join(example, "script.json")}`,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "dist/heddle.js"), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const seen = stdout.replace(/process \d+/g, "process N");
    const transcript = join(example, "plan.txt");
    if (process.env.REWRITE) writeFileSync(transcript, seen);
    else expect(seen).toBe(readFileSync(transcript, "utf8"));
  });
});
