// The numbers of S6 and what a skill costs on each path.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gateOf, measure, scoreOf, weightOf } from "../../src/packs/tuning/skill/measure.ts";
import { readSkill } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";
import { folder } from "../e2e/rig.ts";

const counts = (critical: number, high: number, medium: number, low: number) => ({
  critical,
  high,
  medium,
  low,
});

it("S6 scores 25, 15, 5 and 1, and never below 0", () => {
  expect(scoreOf(counts(0, 0, 0, 0))).toBe(100);
  expect(scoreOf(counts(1, 1, 1, 1))).toBe(54);
  expect(scoreOf(counts(9, 0, 0, 0))).toBe(0);
  expect(weightOf(counts(9, 0, 0, 0))).toBe(225);
});

it("S6 passes from 80 with no critical and at most two high, reviews from 60, else fails", () => {
  expect(gateOf(80, counts(0, 0, 4, 0))).toBe("pass");
  expect(gateOf(79, counts(0, 0, 4, 1))).toBe("review");
  expect(gateOf(60, counts(0, 0, 8, 0))).toBe("review");
  expect(gateOf(59, counts(0, 0, 8, 1))).toBe("fail");
  expect(gateOf(90, counts(1, 0, 0, 0))).toBe("review");
  expect(gateOf(85, counts(0, 3, 0, 0))).toBe("review");
});

it("counts the tokens that are there always, when loaded, and on each path", () => {
  const root = folder();
  mkdirSync(join(root, "references"));
  writeFileSync(
    join(root, "SKILL.md"),
    "---\nname: a\ndescription: Says hello. Use it to greet.\n---\n\nHello world.\n",
  );
  writeFileSync(join(root, "references/more.md"), "hello world");
  const { cost } = measure(readSkill({ entry: join(root, "SKILL.md"), kind: "skill" }) as Skill);
  expect(cost.description).toBeGreaterThan(5);
  expect(cost.loaded).toBeGreaterThan(cost.description);
  expect(cost.paths).toEqual({ "references/more.md": cost.loaded + 2 });
});
