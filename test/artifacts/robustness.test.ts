import fc from "fast-check";
import { expect, it } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import { checkCapabilityMap } from "../../src/packs/decomposition/checks/check-capability-map.ts";
import { checkBundle, checkState } from "../../src/packs/decomposition/checks/check-execution-files.ts";
import { checkPhysicalMap } from "../../src/packs/decomposition/checks/check-physical-map.ts";
import { checkSequencing } from "../../src/packs/decomposition/checks/check-sequencing.ts";
import { checkTaskValidation } from "../../src/packs/decomposition/checks/check-task-validation.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { hintText } from "../../src/view/hint.ts";
import { checkResult } from "../../src/work/result.ts";
import { capabilityMap, physicalMap, spec, task } from "./samples.ts";

const known = new Set(["B1", "T001"]);

/** Every check, on one text. */
function everyProblem(text: string): Problem[] {
  const source = { file: "a.json", text };
  const { problems, warnings, tasks } = checkTasks({
    files: [source, source],
    behaviours: known,
    mapped: known,
  });
  return [
    ...checkCapabilityMap({ ...source, spec }).problems,
    ...checkPhysicalMap({ ...source, behaviours: known, exists: () => false }).problems,
    ...checkTaskValidation({ ...source, tasks: known }).problems,
    ...checkResult({ ...source, taskId: "T001" }).problems,
    ...checkBundle({ ...source, taskId: "T001" }).problems,
    ...checkState(source).problems,
    ...checkSequencing(tasks),
    ...problems,
    ...warnings,
  ];
}

function expectGood(problems: readonly Problem[]) {
  for (const { message, hint, code, place } of problems) {
    expect(`${message}${hintText(hint ?? "")}${place?.source ?? ""}`).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|undefined|\[object/,
    );
    expect(hintText(hint ?? "").length).toBeGreaterThan(0);
    expect(code).toMatch(/^[a-z-]+$/);
  }
}

/** What an agent may have put in place of something else. */
const noise = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("T1", "B1", "../x", -1),
);

it("C14 answers any document with problems that a terminal can show, and never throws", () => {
  fc.assert(
    fc.property(noise, (value) => {
      expectGood(everyProblem(JSON.stringify(value) ?? ""));
    }),
  );
});

it("C14 answers a right file with one part replaced in the same way", () => {
  const samples = [capabilityMap(), physicalMap(), task("T001", ["T002"]), { tasks: { T001: task("T001") } }];
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.nat(), noise, (sample, where, value) => {
      const parts = (change: (part: unknown, index: number) => unknown) => {
        let index = 0;
        return { text: JSON.stringify(sample, (_, part) => change(part, index++)) ?? "", count: index };
      };
      const { count } = parts((part) => part);
      const { text } = parts((part, index) => (index === where % count ? value : part));
      expectGood(everyProblem(text));
    }),
    { numRuns: 500 },
  );
});

it("C14 answers megabytes of the wrong thing with a thousand problems, not with all memory", () => {
  const text = `{"domains": [${"1,".repeat(1_000_000)}1]}`;
  const { problems } = checkCapabilityMap({ file: "a.json", text, spec: undefined });
  expect(problems.length).toBeLessThan(1010);
  expect(problems.at(0)?.place?.file).toBe("a.json");
}, 20_000);
