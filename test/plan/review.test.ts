// The review of a specification before anything is drawn from it (D27): what the text alone proves, what the spec-reviewer
// may say, and how a person is asked, once.
import { describe, expect, it } from "vitest";
import { checkSpecReview } from "../../src/packs/decomposition/checks/check-spec-review.ts";
import { pointsOf } from "../../src/packs/decomposition/review/points.ts";
import { Planning } from "./rig.ts";
import { hasScript, keys, Terminal } from "./terminal.ts";

const kinds = (spec: string) => pointsOf(spec).map(({ kind }) => kind);

describe("what a specification leaves open", () => {
  it.each([
    ["REQ-1: The list must be fast.", ["vague"]],
    ["REQ-1: The list must be fast: under 200 ms.", []],
    ["We love fast software.", []],
    ["The page should be user-friendly\nand quick.", ["vague"]],
    ["REQ-2: Errors must be handled gracefully.", ["unverifiable"]],
    ["REQ-2: Errors must be handled gracefully: exit code 2.", []],
    ["- A note has at most 100 characters.\n- A note has at most 200 characters.", ["contradiction"]],
    ["- A note has at most 100 characters.\n- A title has at most 200 characters.", []],
    ["- A note has at most 100 characters.\n\nAs said, a note has at most 100 characters.", []],
    ["REQ-1: Notes are kept in a file.\nREQ-1: Notes can be sent by mail.", ["duplicate-id"]],
    ["REQ-1: Notes are kept in a file.\n\n| REQ-1 | Notes are kept in a file. |", []],
    ["# Phase 2\n\nREQ-1: The list must be fast.", []],
    ["```\nREQ-1: The list must be fast.\n```", []],
  ])("D27 is found in %j", (spec, found) => {
    expect(kinds(spec)).toEqual(found);
  });

  it("D27 is quoted as it stands, with the line", () => {
    const spec = "# Notes\n\nREQ-1: It must work\ncorrectly.\n";
    const [point] = pointsOf(spec);
    expect(point).toMatchObject({ line: 3, quotes: ["REQ-1: It must work correctly."] });
  });

  it("D27 takes no longer for a long text than its length", () => {
    const started = process.cpuUsage();
    pointsOf(`${"a must fast ".repeat(40_000)}\n${"- x 1 at most\n".repeat(20_000)}`);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

describe("the spec-reviewer's document", () => {
  const spec = "# Tally\n\nA text has at most 5000 words.\nTexts of up to 10000 words are counted.\n";
  const codes = (points: readonly object[]) =>
    checkSpecReview({
      file: "r.json",
      text: JSON.stringify({ version: "1.0", summary: "s", points }),
      spec,
    }).problems.map(({ code }) => code);
  const quotes = ["A text has at most 5000 words.", "Texts of up to 10000 words are counted."];

  it("D27 counts when every quotation stands in the specification", () => {
    expect(codes([{ kind: "contradiction", quotes, question: "How many?" }])).toEqual([]);
    expect(codes([])).toEqual([]);
    expect(codes([{ kind: "vague", quotes: ["A text has few words."], question: "How many?" }])).toEqual([
      "unknown-quote",
    ]);
  });

  it("D27 needs both sides of a contradiction", () => {
    const one = quotes.slice(0, 1);
    expect(codes([{ kind: "contradiction", quotes: [...one, ...one], question: "How many?" }])).toEqual([
      "one-sided",
    ]);
  });
});

describe("heddle plan with a specification that contradicts itself", () => {
  const begin = (project: Planning, more: string) =>
    project.write("spec.md", project.text("spec.md").replace("\n", `\n${more}`));
  const limits = "\n- A title has at most 100 characters.\n- A title has at most 200 characters.\n";
  const review = {
    version: "1.0",
    summary: "one limit, twice",
    points: [
      { kind: "missing", quotes: ["A title has at most 100 characters."], question: "And an empty one?" },
    ],
  };
  const turns = { "spec-reviewer": [`put(${JSON.stringify(review)})`] };

  it("D27 C8 asks once, waits for an answer, and tells it to every planner", async () => {
    const project = new Planning(turns);
    begin(project, limits);
    const waiting = await project.plan("--review");
    expect(waiting.code).toBe(1);
    expect(project.attempts()).toEqual(["spec-reviewer-1"]);
    expect(project.bundle("spec-reviewer-1").found).toMatchObject([{ kind: "contradiction" }]);
    const [question, ...more] = (await project.status()).questions;
    expect(more).toEqual([]);
    expect(question.text).toMatch(/1\. contradiction: .*2\. missing: And an empty one\?/s);
    await project.must("answer", question.id, "1: it is refused");
    const done = await project.again();
    expect(done.code, done.err).toBe(0);
    for (const role of ["logic-architect", "task-author"])
      expect(project.bundle(`${role}-1`).answers).toMatchObject([{ answer: "1: it is refused" }]);
    expect(project.text("project-planning/reports/spec-review.md")).toContain("1: it is refused");
  });

  it("D27 --yes takes it as it is, and that is recorded", async () => {
    const project = new Planning();
    begin(project, limits);
    expect((await project.plan()).code).toBe(1);
    expect(project.attempts()).toEqual([]);
    const done = await project.again("--yes");
    expect(done.code, done.err).toBe(0);
    expect(project.attempts("spec-reviewer")).toEqual([]);
    expect((await project.history()).map(({ fact }) => fact)).toContainEqual(
      expect.objectContaining({ kind: "question-answered", answer: "plan with it as it is (--yes)" }),
    );
  });

  it("D27 does not stop where nobody can be asked and nothing contradicts itself", async () => {
    const project = new Planning();
    begin(project, "\n- The list must be fast.\n");
    const done = await project.plan();
    expect(done.code, done.err).toBe(0);
    expect(project.text("project-planning/reports/spec-review.md")).toContain("The list must be fast.");
  });

  const onTerminal = (project: Planning) => {
    begin(project, limits);
    const given = ["plan", "spec.md", "--target", "app", "--new", "--stack", "Node", "--unconfined"];
    return new Terminal(project.root, [...given, "--agent", "command:./agent.cjs"]);
  };

  it.skipIf(!hasScript)(
    "D27 C8 is asked on a terminal, and plans with what was typed (left out without `script`)",
    async () => {
      const project = new Planning();
      const terminal = onTerminal(project);
      await terminal.answer(/leaves a point open/);
      await terminal.answer(/"A title has at most 200 characters\."/);
      await terminal.answer(/your own answer/, "1: at most 100", keys.enter);
      expect(await terminal.over(), terminal.text).toBe(0);
      expect(project.bundle("logic-architect-1").answers).toMatchObject([{ answer: "1: at most 100" }]);
      expect(project.text("project-planning/reports/spec-review.md")).toContain("1: at most 100");
    },
  );

  it.skipIf(!hasScript)(
    "D27 a number at the terminal means the option (left out without `script`)",
    async () => {
      const project = new Planning();
      const terminal = onTerminal(project);
      await terminal.answer(/your own answer/, "1", keys.enter);
      expect(await terminal.over(), terminal.text).toBe(0);
      const answer = "plan with it as it is";
      expect(project.bundle("logic-architect-1").answers).toMatchObject([{ answer }]);
    },
  );

  it.skipIf(!hasScript)(
    "D27 Ctrl-C at the review leaves it open, and the next call asks again (left out without `script`)",
    async () => {
      const project = new Planning();
      const first = onTerminal(project);
      await first.answer(/your own answer/, keys.interrupt);
      expect(await first.over(), first.text).not.toBe(0);
      expect(project.attempts()).toEqual([]);
      const again = new Terminal(project.root, ["plan", "--unconfined", "--agent", "command:./agent.cjs"]);
      await again.answer(/your own answer/, "at most 200", keys.enter);
      expect(await again.over(), again.text).toBe(0);
      expect(project.bundle("logic-architect-1").answers).toMatchObject([{ answer: "at most 200" }]);
    },
  );
});
