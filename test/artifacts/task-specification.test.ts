// Tasks held against the specification: quotes and requirements (D9, D10).
import { describe, expect, it } from "vitest";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { codes, type SampleTask, spec, task, taskFiles } from "./samples.ts";

const behaviours = new Set(["B1"]);

function check(...tasks: readonly SampleTask[]) {
  return checkTasks({ files: taskFiles(...tasks), behaviours, spec });
}

const about = (context: Record<string, unknown>) => task("T001", [], { context });
const all = ["REQ-1", "REQ-2"];

describe("what a task quotes", () => {
  it.each([
    "The user logs in with an e-mail address",
    "The cart keeps its items for a week.",
    'an e-mail address and a "password"',
    "The cart\n keeps   its items",
    "",
  ])("D10 accepts %j, white space and quotation marks aside", (quote) => {
    expect(check(about({ spec_ref: { quote } })).problems).toEqual([]);
  });

  it("D10 refuses a passage that the specification does not have, and shows what it has", () => {
    const quote = "The cart keeps its items for a month.";
    expect(check(about({ spec_ref: { quote } })).problems).toMatchObject([
      {
        code: "unknown-quote",
        message: `task \`T001\` quotes what the specification does not say: \`${quote}\``,
        place: { file: "tasks/T001.json", pointer: "/context/spec_ref/quote", line: 7 },
        hint: expect.stringContaining("line 4 of the specification has the first 7 words"),
      },
    ]);
  });

  it("D6 D10 refuses a passage of a later phase", () => {
    const quote = "Orders are exported as CSV.";
    expect(check(about({ spec_ref: { quote } })).problems).toMatchObject([
      { code: "excluded-quote", message: expect.stringContaining("`Phase 2: Export`") },
    ]);
  });

  it.each(["REQ-1", "Section 2.1", "see the introduction"])(
    "D10 takes %j for a reference, as older plans have them",
    (reference) => {
      const { problems, warnings } = check(about({ spec_ref: reference, spec_requirements: all }));
      expect([...problems, ...warnings]).toEqual([]);
    },
  );

  it("D10 only warns of a bare text that is not in the specification", () => {
    const { problems, warnings } = check(about({ spec_ref: "The user pays with gold and silver" }));
    expect(problems).toEqual([]);
    expect(codes(warnings)).toEqual(["unknown-quote"]);
  });

  it("D10 finds it in a file whose shape is wrong elsewhere", () => {
    const wrong = { ...about({ spec_ref: { quote: "never said by anybody" } }), behaviors: [] };
    expect(codes(check(wrong).problems)).toEqual(["out-of-range", "unknown-quote"]);
  });
});

describe("the requirements that a task names", () => {
  it.each([["REQ-1"], ["req-2"], ["Requirement 1"], ["the user can log in"], ["REQ-1: The user logs in"]])(
    "D10 accepts %j",
    (...named) => {
      expect(check(about({ spec_requirements: named })).problems).toEqual([]);
    },
  );

  it("D10 refuses one that the specification does not have, and says which was meant", () => {
    expect(check(about({ spec_requirements: ["REQ-1", "REQ-02"] })).problems).toMatchObject([
      {
        code: "unknown-requirement",
        message: "task `T001` names `REQ-02`, which the specification does not have",
        place: { file: "tasks/T001.json", pointer: "/context/spec_requirements/1" },
        hint: "did you mean `REQ-2`?",
      },
    ]);
  });

  it("D10 knows other ways to number when the specification uses them", () => {
    const files = taskFiles(about({ spec_requirements: ["US-3", "AC 1.2", "US-4"] }));
    const text = "- US-3 as a user I want\n- AC 1.2 it is green\n- US-40 another\n";
    expect(checkTasks({ files, behaviours, spec: text }).problems).toMatchObject([
      { code: "unknown-requirement", message: expect.stringContaining("`US-4`") },
    ]);
  });

  it("D6 D10 refuses one of a later phase", () => {
    expect(check(about({ spec_requirements: ["REQ-3"] })).problems).toMatchObject([
      { code: "excluded-requirement", message: expect.stringContaining("line 9 of the specification") },
    ]);
  });

  it("D21 warns of a requirement that no task names, when tasks name any", () => {
    expect(check(about({ spec_requirements: ["REQ-1"] })).warnings).toMatchObject([
      { code: "uncovered-requirement", message: expect.stringContaining("`REQ-2`") },
    ]);
    expect(check(about({})).warnings).toEqual([]);
  });

  it("D10 looks nothing up without a specification", () => {
    const files = taskFiles(about({ spec_ref: { quote: "anything" }, spec_requirements: ["REQ-99"] }));
    expect(checkTasks({ files, behaviours }).problems).toEqual([]);
  });
});
