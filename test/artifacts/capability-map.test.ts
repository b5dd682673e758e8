import { describe, expect, it } from "vitest";
import { checkCapabilityMap } from "../../src/packs/decomposition/checks/check-capability-map.ts";
import { capabilityMap, codes, fileOf, spec } from "./samples.ts";

type Map = ReturnType<typeof capabilityMap>;

function problemsOf(change: (map: Map) => void, specification: string | undefined = spec) {
  const map = capabilityMap();
  change(map);
  return checkCapabilityMap({ ...fileOf(map), spec: specification }).problems;
}

const capability = (map: Map, index: number) => {
  const found = map.domains[0]?.capabilities[index];
  if (!found) throw new Error("bug: the sample has no such capability");
  return found;
};

describe("checkCapabilityMap", () => {
  it("D6 accepts a map that is right, and keeps unknown keys", () => {
    const checked = checkCapabilityMap({ ...fileOf({ ...capabilityMap(), author: "me" }), spec });
    expect(checked.problems).toEqual([]);
    expect(checked.value?.author).toBe("me");
  });

  it("D6 names every violation of the schema at once, each with its place", () => {
    const problems = problemsOf((map) => {
      Reflect.deleteProperty(map, "phase_filtering");
      Object.assign(map, { version: 1 });
      Object.assign(capability(map, 0).behaviors[0] ?? {}, { type: "inputt" });
    });
    expect(problems).toMatchObject([
      {
        code: "missing-field",
        message: "`phase_filtering` is missing",
        place: { pointer: "/phase_filtering", line: 1 },
      },
      { code: "wrong-type", message: "`version` must be a text, but is `1`", place: { line: 2, column: 14 } },
      { code: "wrong-value", hint: "did you mean `input`?", place: { line: 19 } },
    ]);
  });

  it("D6 guesses the key that was meant by a missing one", () => {
    const problems = problemsOf((map) => {
      const { behaviors, ...rest } = capability(map, 1);
      map.domains[0]?.capabilities.splice(1, 1, { ...rest, behaviours: behaviors } as never);
      map.flows[0]?.steps.pop();
    });
    expect(problems).toMatchObject([{ code: "missing-field", hint: "did you mean it by `behaviours`?" }]);
  });

  it.each(["domains", "capabilities", "behaviors", "flows"])(
    "D7 finds ids that occur twice among %s",
    (list) => {
      const problems = problemsOf((map) => {
        const domain = map.domains[0];
        if (list === "domains") map.domains.push({ id: "D1", name: "Again", capabilities: [] });
        if (list === "capabilities") capability(map, 1).id = "C1";
        if (list === "behaviors")
          domain?.capabilities[0]?.behaviors.push({ id: "B3", name: "Again", type: "output" });
        if (list === "flows") map.flows.push({ id: "F1", name: "Again", is_steel_thread: false, steps: [] });
      });
      expect(codes(problems)).toEqual(["duplicate-id"]);
      expect(problems[0]?.place).toMatchObject({ pointer: expect.stringMatching(/\/id$/) });
    },
  );

  it("D7 names every flow step that refers to an unknown behaviour", () => {
    const problems = problemsOf((map) => {
      map.flows[0]?.steps.push({ behavior_id: "B03" }, { behavior_id: "B77" });
    });
    expect(problems).toMatchObject([
      {
        code: "unknown-behaviour",
        place: { pointer: "/flows/0/steps/3/behavior_id" },
        hint: "did you mean `B3`?",
      },
      { code: "unknown-behaviour", place: { pointer: "/flows/0/steps/4/behavior_id" } },
    ]);
  });

  it("D7 asks why a behaviour is in no flow", () => {
    expect(problemsOf((map) => void map.flows[0]?.steps.pop())).toMatchObject([
      {
        code: "stray-behaviour",
        message: "behaviour `B3` is in no flow",
        hint: expect.stringContaining("no_flow_reason"),
      },
    ]);
  });

  it("D7 accepts a behaviour outside of flows that says why", () => {
    const problems = problemsOf((map) => {
      map.flows[0]?.steps.splice(1, 1);
      Object.assign(capability(map, 0).behaviors[1] ?? {}, { no_flow_reason: "runs at night" });
    });
    expect(problems).toEqual([]);
  });

  it("D7 asks for a steel thread", () => {
    const problems = problemsOf((map) => Object.assign(map.flows[0] ?? {}, { is_steel_thread: false }));
    expect(problems).toMatchObject([{ code: "no-steel-thread", place: { pointer: "/flows" } }]);
  });

  it("D7 refuses a second steel thread", () => {
    const problems = problemsOf(
      (map) => void map.flows.push({ id: "F2", name: "Other", is_steel_thread: true, steps: [] }),
    );
    expect(problems).toMatchObject([
      { code: "second-steel-thread", place: { pointer: "/flows/1/is_steel_thread" } },
    ]);
  });

  it("D7 refuses a steel thread without steps", () => {
    const problems = problemsOf((map) => void Object.assign(map.flows[0] ?? {}, { steps: [] }));
    expect(problems.map(({ code }) => code)).toContain("empty-steel-thread");
  });

  it("D7 asks for a quote in every capability", () => {
    const problems = problemsOf((map) => {
      Reflect.deleteProperty(capability(map, 0), "spec_ref");
      capability(map, 1).spec_ref = { quote: "  " };
    });
    expect(codes(problems)).toEqual(["missing-quote", "missing-quote"]);
  });

  it.each([
    ["The cart keeps its items for a month.", "has the first 7 words, then differs"],
    ["the Cart keeps its items", "has other capitals: `The cart keeps its items`"],
    ["Payment is by card.", "word for word"],
  ])("D7 finds that the specification does not say %j", (quote, hint) => {
    const problems = problemsOf((map) => {
      capability(map, 1).spec_ref = { quote };
    });
    expect(problems).toMatchObject([
      {
        code: "unknown-quote",
        place: { pointer: "/domains/0/capabilities/1/spec_ref/quote" },
        hint: expect.stringContaining(hint),
      },
    ]);
  });

  it("D7 does not look quotes up without a specification", () => {
    const map = capabilityMap();
    capability(map, 1).spec_ref = "Payment is by card.";
    expect(checkCapabilityMap({ ...fileOf(map), spec: undefined }).problems).toEqual([]);
  });

  it("D6 refuses a quote from a section that is left for later", () => {
    const problems = problemsOf((map) => {
      capability(map, 1).spec_ref = "Orders are exported as CSV.";
    });
    expect(problems).toMatchObject([
      { code: "excluded-quote", message: expect.stringContaining("`Phase 2: Export`") },
    ]);
  });

  it("D6 accepts a quote that also stands in a section of this phase", () => {
    const both = `${spec}\n# Annex\nOrders are exported as CSV.\n`;
    const problems = problemsOf((map) => {
      capability(map, 1).spec_ref = "Orders are exported as CSV.";
    }, both);
    expect(problems).toEqual([]);
  });

  it("D6 asks for every section that is left out to be listed", () => {
    const problems = problemsOf((map) => void map.phase_filtering.excluded_phases.pop());
    expect(problems).toMatchObject([
      {
        code: "unlisted-phase",
        place: { pointer: "/phase_filtering/excluded_phases" },
        hint: expect.stringContaining('"phase": 2'),
      },
    ]);
  });

  it("D6 recounts the coverage", () => {
    const problems = problemsOf((map) => Object.assign(map.coverage, { total_requirements: 3 }));
    expect(codes(problems)).toEqual(["wrong-count"]);
  });

  const warningsOf = (change: (map: Map) => void) => {
    const map = capabilityMap();
    change(map);
    return checkCapabilityMap({ ...fileOf(map), spec }).warnings;
  };

  it("D6 has nothing to warn of in a map that is right", () => {
    expect(warningsOf(() => {})).toEqual([]);
  });

  it("D6 warns of counts that are not those of the specification", () => {
    const warnings = warningsOf((map) => {
      Object.assign(map.coverage, { total_requirements: 5, covered_requirements: 5 });
      map.phase_filtering.total_excluded_requirements = 4;
    });
    expect(warnings).toMatchObject([
      {
        code: "wrong-count",
        message: "`coverage.total_requirements` is 5, but the specification has 2 numbered requirements",
        place: { pointer: "/coverage/total_requirements", line: expect.any(Number) },
      },
      {
        code: "wrong-count",
        message: expect.stringContaining("has 1 numbered requirements of later phases"),
        place: { pointer: "/phase_filtering/total_excluded_requirements" },
      },
    ]);
  });

  it("D6 warns of a gap and of a section that the specification does not have", () => {
    const warnings = warningsOf((map) => {
      map.coverage.gaps.push("REQ-1", "REQ-9: nobody said so", { requirement: "REQ-8" });
      map.phase_filtering.excluded_phases.push({ phase: 3, heading: "Phase 3: Mail", summary: "mail" });
    });
    expect(warnings).toMatchObject([
      { code: "unknown-requirement", place: { pointer: "/coverage/gaps/1" } },
      { code: "unknown-requirement", place: { pointer: "/coverage/gaps/2" } },
      { code: "unknown-heading", place: { pointer: "/phase_filtering/excluded_phases/1/heading" } },
    ]);
  });

  it("D7 finds mistakes in the parts of a map whose shape is wrong elsewhere", () => {
    const problems = problemsOf((map) => {
      Object.assign(map, { version: "3.0" });
      map.flows[0]?.steps.push({ behavior_id: "B9" });
    });
    expect(codes(problems).sort()).toEqual(["unknown-behaviour", "wrong-value"]);
  });

  it.each(["null", "[]", '"text"', '{"domains": {"id": 1}, "flows": [null, 3], "coverage": 4}'])(
    "D7 answers %s with problems, not with an exception",
    (text) => {
      const checked = checkCapabilityMap({ file: "a.json", text, spec });
      expect(checked.problems.length).toBeGreaterThan(0);
      expect(checked.value).toBeUndefined();
    },
  );
});
