// The document that missions come from, sentence by sentence, and the test that proves each with agents that behave
// accordingly. A test that is renamed or lost is noticed here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const branches: readonly (readonly [says: string, test: string])[] = [
  ["1.1 session.json missing: a default one, phase 1, task 0", "M1 writes context and a default session"],
  [
    "1.1 context.md missing: HALT Project not initialized",
    "halts: Project not initialized, says how to begin",
  ],
  [
    "1.2 research_done is not true: researcher, research.json, then it is",
    "M1–M9 brings a goal from research",
  ],
  ["1.2 research_done is true: no research", "is taken over: phase, variables, and the task it stood at"],
  ["1.2 once, also in later phases", "research is not done again"],
  ["1.3 planner with context and research, by its skill", "M1–M9 brings a goal from research"],
  ["1.3 invalid: retry, three in all", "goes back with what was wrong; the third try counts"],
  ["1.3 still invalid: halt", "three wrong plans halt the mission"],
  ["2.1 goes on from current_task_idx", "ends as the one that nobody killed"],
  ["2.2 the executor is given the task alone", "the executor is given its task alone"],
  ["2.2 complete: the next task", "M1–M9 brings a goal from research"],
  ["2.2 complete, and its command fails: a failure (M6)", "whose command is red, is retried three times"],
  [
    "2.2 checkpoint: HALT checkpoint_required, the message, wait for input",
    "shows its options, and the answer",
  ],
  ["2.2 the answer counts once, and can be corrected until it is used", "and can be corrected until then"],
  ["2.2 failed, fewer than three retries: retry", "is retried three times, then: Task Failed"],
  ["2.2 failed after that: HALT Task Failed", "is retried three times, then: Task Failed"],
  ["2.2 blocked: HALT with the reason (M5)", "M5 blocked halts with the reason; the answer starts it again"],
  ["2.3 verifier with plan and summaries", "M1–M9 brings a goal from research"],
  ["2.3 passed: the next phase, HALT Phase Complete", "M1–M9 brings a goal from research"],
  ["2.3 not passed: a gap plan, from the gaps", "gaps lead to a plan of their own"],
  ["2.3 never passed: ends after the bound, and says so (M7)", "a verifier that never passes ends after two"],
  [
    "errors: no JSON: the fixer, once",
    "prose goes to the fixer once; what it makes is checked like anything",
  ],
  ["errors: no JSON from an executor: the fixer, once", "an executor that returns prose: the fixer once"],
  ["errors: still none: HALT", "prose that the fixer cannot fix halts"],
  ["errors: still none from an executor: a try", "prose that stays prose costs a try"],
  ["context limits: less than 20 kB in 5,000 files", "in a repository of 5,000 files, less than 20 kB"],
  ["a plan edited between two runs", "done tasks stay done, changed ones are done again"],
  ["a plan that is wrong now", "that is wrong now is named with its line, and not written over"],
];

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts") && name !== "document.test.ts")
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n");

describe("the document", () => {
  it.each(branches)("%s", (_, title) => {
    expect(tests.match(/\bit[^\n]*(?:\n[^\n]*){0,2}/g)?.some((head) => head.includes(title))).toBe(true);
  });
});
