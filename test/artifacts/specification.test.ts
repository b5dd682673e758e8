import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { specCoverage } from "../../src/packs/decomposition/checks/spec-coverage.ts";
import { excludedSections, specRequirements } from "../../src/packs/decomposition/checks/specification.ts";
import { processorMs } from "../processor-time.ts";
import { spec, task } from "./samples.ts";

describe("excludedSections", () => {
  it.each([
    ["## Phase 2: Export", 2],
    ["### 4.1 Phase 3 - Reports", 3],
    ["## Export (Phase 2)", 2],
    ["# Phase Two", 2],
    ["## Future", "future"],
    ["## 7. Future work", "future"],
    ["## Future Phases", "future"],
    ["**Phase 2:**", 2],
    ["**Phase 2** we add export.", 2],
    ["Phase 2\n=======", 2],
  ])("D6 leaves out what stands under %j", (heading, phase) => {
    expect(excludedSections(`# Shop\n\n${heading}\n\ntext\n`)).toMatchObject([{ phase, firstLine: 3 }]);
  });

  it.each([
    "## Phase 1: Core",
    "## Future-proofing",
    "## Futures trading",
    "## Future value of money",
    "## What phase 2 will need",
    "## Three-phase power",
    "Phase 2 is mentioned in a sentence.",
    "```\n## Phase 2\n```",
  ])("D6 keeps what stands under %j", (heading) => {
    expect(excludedSections(`# Shop\n\n${heading}\n\ntext\n`)).toEqual([]);
  });

  it("D6 ends a section at the next heading of the same or a higher level", () => {
    const text = "# A\n## Phase 2\n### Detail\ntext\n## Phase 1 again\n**Phase 3:**\nlater\n**Notes**\nnow\n";
    expect(excludedSections(text)).toMatchObject([
      { heading: "Phase 2", firstLine: 2, lastLine: 4 },
      { heading: "Phase 3", firstLine: 6, lastLine: 7 },
    ]);
  });
});

describe("specRequirements", () => {
  it.each([
    ["REQ-12: text", "REQ-12"],
    ["req-12: text", "REQ-12"],
    ["**R1.2** text", "R1.2"],
    ["**REQ-4:** text", "REQ-4"],
    ["[REQ-1] text", "REQ-1"],
    ["- [REQ-1] text", "REQ-1"],
    ["1. REQ-7 — text", "REQ-7"],
    ["### R2: text", "R2"],
    ["R3 text", "R3"],
    ["Requirement 5: text", "REQ-5"],
    ["- **FR-001**: text", "FR-001"],
  ])("D21 finds the requirement in %j", (line, id) => {
    expect(specRequirements(`intro\n${line}\n`)).toEqual([
      { id, text: "text", sourceLine: 2, excluded: false },
    ]);
  });

  it.each(["R2-D2 text", "see REQ-1: text", "r3 text", "REQ-1", "```\nREQ-1: text\n```", "RFC 2119 text"])(
    "D21 finds none in %j",
    (line) => {
      expect(specRequirements(line)).toEqual([]);
    },
  );

  it("D21 marks requirements of later phases", () => {
    expect(specRequirements(spec).map(({ id, excluded }) => [id, excluded])).toEqual([
      ["REQ-1", false],
      ["REQ-2", false],
      ["REQ-3", true],
    ]);
  });

  it("D21 takes the first of two with one id, unless that one is excluded", () => {
    const text = "## Future\nREQ-1: later\n## Now\nREQ-1: first\nREQ-1: second\n";
    expect(specRequirements(text)).toMatchObject([{ text: "first", sourceLine: 4 }]);
  });

  it.each([
    [
      "- REQ-1: the cart keeps\n  what was put in\n  for a day\n- REQ-2: x",
      "the cart keeps what was put in for a day",
    ],
    ["REQ-1: the cart keeps\nwhat was put in\n\nAnother paragraph.", "the cart keeps what was put in"],
    ["- REQ-1: it takes\n  - cash\n  - cards\n- else", "it takes - cash - cards"],
    ["> REQ-1: the cart\n> keeps", "the cart keeps"],
    ["REQ-1: the cart\n```\ncode\n```", "the cart"],
    ["REQ-1: the cart\n## Heading", "the cart"],
    ["REQ-1: the cart\nHeading\n-------", "the cart"],
    ["### REQ-1: the cart\nIt keeps everything.", "the cart"],
    ["1. REQ-1: the cart\n2. something else", "the cart"],
  ])("D21 keeps all of a requirement that is wrapped: %j", (text, whole) => {
    expect(specRequirements(text)[0]).toMatchObject({ id: "REQ-1", text: whole, sourceLine: 1 });
  });

  it("D21 takes linear time on hostile text", () => {
    const started = processorMs();
    for (const part of ["- ", "* ", "#", "**", "R1.", "1. ", "[", " ", "phase ", "REQ-1", "=\n", "a\n-\n"]) {
      specRequirements(part.repeat(300_000));
    }
    expect(processorMs() - started).toBeLessThan(5000);
  });

  it("D21 never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("R", "1", ".", "-", "*", "#", "[", "]", " ", "\n", ":", "`") }),
        (text) => {
          specRequirements(text);
        },
      ),
    );
  });
});

describe("specCoverage", () => {
  const requirements = specRequirements(spec);

  it("D21 counts tasks that name a requirement or quote its number", () => {
    const tasks = [
      task("T001", [], { context: { spec_requirements: ["req-1"] } }),
      task("T002", [], { context: { spec_ref: "see REQ-1" } }),
      task("T003", [], { context: { spec_ref: { quote: "REQ-3: Orders are exported as CSV." } } }),
    ];
    expect(specCoverage(requirements, tasks)).toEqual({
      requirements: [
        { id: "REQ-1", text: expect.any(String), source_line: 3, covered_by: ["T001", "T002"] },
        { id: "REQ-2", text: "The cart keeps its items for a week.", source_line: 4, covered_by: [] },
      ],
      coverage_pct: 50,
      covered_count: 1,
      total_count: 2,
      uncovered: ["REQ-2"],
      excluded: [{ id: "REQ-3", text: "Orders are exported as CSV.", source_line: 9 }],
    });
  });

  it("D21 rounds to one decimal", () => {
    const three = specRequirements("R1 a\nR2 b\nR3 c\n");
    expect(specCoverage(three, [task("T001", [], { context: { spec_ref: "R2" } })]).coverage_pct).toBe(33.3);
  });

  it("D21 calls nothing to cover fully covered", () => {
    expect(specCoverage([], [])).toMatchObject({ coverage_pct: 100, total_count: 0 });
  });
});

describe("D21 D23 ids as people write them", () => {
  it.each([
    ["a table's row", "| REQ-1 | The store keeps notes | high |", "REQ-1", "The store keeps notes"],
    ["a table with numbers", "| 1 | FR-2 | It is fast |", "FR-2", "It is fast"],
    ["a checklist", "- [ ] REQ-3: It is small", "REQ-3", "It is small"],
    ["a ticked checklist", "* [x] **REQ-4** It is kind", "REQ-4", "It is kind"],
    ["emphasis", "*REQ-5*: It is calm", "REQ-5", "It is calm"],
    ["code", "`REQ-6` It is plain", "REQ-6", "It is plain"],
    ["a story", "### US-7: As a reader I search", "US-7", "As a reader I search"],
    ["a criterion", "- AC-7.1: Results are shown", "AC-7.1", "Results are shown"],
  ])("D21 D23 %s", (_, line, id, text) => {
    expect(specRequirements(`# Spec\n\n${line}\n`)).toMatchObject([{ id, text }]);
  });
});
