// The demo, as a newcomer sees it: a git repository, one kill -9 on the way, no line twice, one commit per task.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folder, heddle } from "../e2e/rig.ts";

it("X14 X21 goes on after its kill -9 and lands one commit per task in a git repository", {
  timeout: 180_000,
}, async () => {
  const root = folder("heddle-demo-");
  const { code, out } = await heddle(["demo", "--speed", "20", "--dir", root]);
  expect(code).toBe(0);
  expect(out).toContain("kill -9: heddle is gone in the middle of its work");
  const log = execFileSync("git", ["-C", join(root, "app"), "log", "--format=%s"], { encoding: "utf8" });
  const subjects = log.trim().split("\n");
  expect(subjects).toHaveLength(11);
  expect(subjects.at(-1)).toBe("Begin");
  for (const subject of subjects) expect(out).toContain(subject);
  const begun = out.split("\n").filter((line) => /^ {2}T\d+ (begins|done)/.test(line));
  expect(begun.filter((line, at) => begun.indexOf(line) !== at)).toEqual([]);
  expect(out).not.toMatch(/\$\d/);
});
