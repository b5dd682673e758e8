// What `heddle tune` says of a skill's evals that it cannot measure (S16).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readEvals } from "../../src/packs/tuning/evals/evals.ts";
import { Bench } from "./bench.ts";

it("S16 the summary says which evals were not measured, and which expectations were not graded", async () => {
  const bench = new Bench("doc-researcher");
  const folder = join(bench.root, "doc-researcher/evals");
  mkdirSync(folder);
  const put = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  const checks = [{ answer_contains: "a" }];
  put("evals.json", { evals: [{ id: 1, prompt: "What is X?", checks }] });
  put("more.json", [
    { prompt: "Which?", checks, expectations: ["it is kind", "it is short"] },
    { prompt: "Who?", expectations: ["it names Ada"] },
    { prompt: "When?", should_trigger: false, expectations: "none" },
  ]);
  put("results.json", { score: 1 });
  expect(readEvals(join(bench.root, "doc-researcher")).all.map(({ id }) => id)).toEqual([
    "evals-1",
    "more-1",
  ]);
  await bench.tune("doc-researcher", "--yes", "low");
  const summary = bench.text(".heddle/tune/tune-1/tuning-summary.md");
  const part = summary.slice(summary.indexOf("## Evals that were not measured"));
  expect(part).toContain("- evals/more.json: 2 of 3 tasks without `checks`");
  expect(part).toContain("- evals/more.json: 2 expectations in prose not graded, only the `checks`");
  expect(part).toContain("- evals/results.json has no list of evals");
  expect(part).not.toContain("evals/evals.json");
});
