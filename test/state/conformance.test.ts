// How scripts/conformance.ts reads the names of tests. Whether docs/conformance.md is current is for `.ci/run` to say.
import { describe, expect, it } from "vitest";
import { citedBy, testsIn } from "../../scripts/conformance.ts";

describe("citations", () => {
  it.each([
    ["D12 D14 a verdict", ["D12", "D14"]],
    ["C6, D18: an output", ["C6", "D18"]],
    ["D6–D9: an orchestrator", ["D6", "D7", "D8", "D9"]],
    ["defect 3: D14 is kept", ["D14"]],
    ["is repeatable (X14)", ["X14"]],
    ["B1 of D1 is a behaviour", []],
    ["accepts D1 as the id of a domain", []],
    ["T001 is started", []],
  ])("are read from %j", (title, ids) => {
    expect(citedBy(title)).toEqual(ids);
  });
});

describe("a test file", () => {
  it("gives its tests in order, with tables, templates and describe blocks, but none that is skipped", () => {
    const text = `
      describe("M1 the start", () => {
        it("has a default", () => {});
        it("M2 C4 looks once", { timeout: 5 }, async () => {});
      });
      describe("other", () => {
        it.each([["L3 not a title"]])("L3 goes from %s to %s", () => {});
        for (const n of [1]) it(\`X3 \${n} at once\`, () => {});
        test.skip("C1 later", () => {});
        it("cites nothing", () => {});
      });`;
    expect(testsIn(text)).toEqual([
      { ids: ["M1"], title: "M1 the start: has a default" },
      { ids: ["M1", "M2", "C4"], title: "M2 C4 looks once" },
      { ids: ["L3"], title: "L3 goes from … to …" },
      { ids: ["X3"], title: "X3 … at once" },
    ]);
  });
});
