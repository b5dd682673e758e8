// Agents in the tuning loop: who takes the complaint apart, who looks deeper beside the diagnoses, who writes edits for
// what no rule fixes; and what happens when they crash, lie, or are not there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAdvice } from "../../src/packs/tuning/skill/advice.ts";
import { ended, start, until } from "../e2e/rig.ts";
import { hasBox } from "../execute/rig.ts";
import { skillOf } from "../roles/skill.ts";
import { answers, Bench, type Shown } from "./bench.ts";

const dimensions = (...parts: readonly object[]) => answers("requirement_analysis.dimensions", parts);
const part = (description: string, inferred_category: string, more: object = {}) => ({
  description,
  inferred_category,
  confidence: 0.9,
  ...more,
});
const analysis = (more: object = {}) =>
  answers("gemini_analysis.result", {
    root_causes: [
      { description: "three formats for one answer", severity: "high", file: "SKILL.md", line: 20 },
    ],
    recommendations: [{ action: "agree on JSON", rationale: "one reader" }],
    ...more,
  });
const verdicts = (...list: readonly object[]) => answers("verdicts", list);
const edits = (...list: readonly object[]) => answers("proposed_fixes.edits", list);

const report = ({ workDir }: Shown) => readFileSync(join(workDir, "tuning-report.md"), "utf8");
const document = ({ workDir }: Shown, path: string) => JSON.parse(readFileSync(join(workDir, path), "utf8"));

describe("requirement analysis by an agent", () => {
  it("S4 takes the complaint apart by role, and diagnoses what it is about", async () => {
    const bench = new Bench("doc-researcher");
    const agent = bench.script({
      "requirement-analyst": [dimensions(part("it gets lost half-way", "memory_loss"))],
      "*": [edits()],
    });
    const { shown } = await bench.tune(
      "doc-researcher",
      "--issue",
      "it gets lost half-way",
      "--agent",
      agent,
    );
    const { by, dimensions: found, coverage } = document(shown, "requirement-analysis.json");
    expect({ by, coverage: coverage.status }).toEqual({ by: "agent", coverage: "satisfied" });
    expect(found).toMatchObject([{ id: "DIM-001", inferred_category: "memory_loss" }]);
    expect(existsSync(join(shown.workDir, "diagnosis/memory-diagnosis.json"))).toBe(true);
    expect(existsSync(join(shown.workDir, "diagnosis/context-diagnosis.json"))).toBe(false);
    const bundle = document(shown, "agents/requirement-analyst-1/try-1/bundle.json");
    expect(Object.keys(bundle.key_fields)).not.toContain("issues");
    expect(bundle.key_fields.user_issue_description).toBe("it gets lost half-way");
    expect(bundle.inputs.state).toContain("state.json");
  });

  it("S4 asks the person where the agent is unsure, and asks no agent again after the answer", async () => {
    const bench = new Bench("doc-researcher");
    const turns = [
      dimensions(
        part("nothing comes back", "agent_failure", { confidence: 0.4, possible: ["dataflow_break"] }),
        part("it hums", "unknown", { confidence: 0.3 }),
      ),
      { ends: "crashed" },
    ];
    const agent = bench.script({ "requirement-analyst": turns, "*": [edits()] });
    const words = ["doc-researcher", "--agent", agent];
    const first = await bench.tune(...words, "--issue", "nothing comes back and it hums");
    expect(first.shown.open).toMatchObject([
      { id: "requirements-DIM-001", options: ["agent_failure", "dataflow_break"] },
      { id: "requirements-DIM-002", point: "requirements" },
    ]);
    await bench.run("answer", "requirements-DIM-001", "dataflow_break");
    await bench.run("answer", "requirements-DIM-002", "context_explosion");
    const { shown } = await bench.tune(...words);
    expect(shown.open[0]?.id).toBe("fixes-0");
    expect(document(shown, "requirement-analysis.json")).toMatchObject({ status: "completed", by: "agent" });
    expect(existsSync(join(shown.workDir, "agents/requirement-analyst-2"))).toBe(false);
  });

  it("C6 S10 sends a wrong answer back with what is wrong, three times, then goes by the words and says so", async () => {
    const bench = new Bench("doc-researcher");
    const wrong = dimensions({ description: "it forgets", inferred_category: "sadness", confidence: 2 });
    const agent = bench.script({ "requirement-analyst": [wrong], "*": [edits()] });
    const { shown } = await bench.tune("doc-researcher", "--issue", "it forgets", "--agent", agent);
    const second = document(shown, "agents/requirement-analyst-1/try-2/bundle.json");
    expect(second.previous_problems.join()).toMatch(/inferred_category.*confidence/);
    expect(existsSync(join(shown.workDir, "agents/requirement-analyst-1/try-3"))).toBe(true);
    expect(existsSync(join(shown.workDir, "agents/requirement-analyst-1/try-4"))).toBe(false);
    expect(document(shown, "requirement-analysis.json")).toMatchObject({
      by: "words",
      dimensions: [{ inferred_category: "memory_loss" }],
    });
    expect(shown.summary.join("\n")).toContain("the agent was of no help");
  });

  it("S11 takes no path that the action does not own", () => {
    const answer = {
      stateUpdates: { "requirement_analysis.dimensions": [part("it hums", "unknown")], quality_gate: "pass" },
      outputFiles: [],
      summary: "x",
    };
    expect(readAdvice("dimensions", answer)).toEqual([expect.stringContaining("quality_gate")]);
    expect(readAdvice("dimensions", null)).toHaveLength(1);
  });
});

describe("deep analysis", () => {
  it("S5 runs beside the diagnoses, is waited for, and is shown apart from what was measured", async () => {
    const bench = new Bench("doc-researcher");
    const spends = { inputTokens: 1000, outputTokens: 50, costUsd: 0.25 };
    const turn = { ...analysis(), afterMs: 1500, spends };
    const agent = bench.script({
      ...{ "deep-analyst": [turn], "finding-judge": [verdicts()], "fix-author": [edits()] },
    });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent, "--deep");
    const facts = JSON.parse((await bench.run("history", "--run", shown.run, "--all", "--json")).out) as {
      fact: { kind: string; role?: string; values?: Record<string, unknown> };
    }[];
    const at = (found: (fact: (typeof facts)[number]["fact"]) => boolean) =>
      facts.findIndex(({ fact }) => found(fact));
    const gemini = (status: string) =>
      at(
        (fact) =>
          fact.kind === "variable-set" &&
          JSON.stringify(fact).includes(`"status":"${status}"`) &&
          JSON.stringify(fact).includes("gemini_analysis"),
      );
    const began = gemini("running");
    const diagnosed = at(
      ({ kind, role }) => kind === "job-completed" && role === "action-diagnose-token_consumption",
    );
    const settled = gemini("completed");
    const reported = at(({ kind, role }) => kind === "job-started" && role === "action-generate-report");
    expect([began, diagnosed, settled, reported]).toEqual(
      [began, diagnosed, settled, reported].toSorted((a, b) => a - b),
    );
    expect(began).toBeGreaterThan(0);
    expect(shown.deep).toMatchObject({ status: "completed", root_causes: [{ severity: "high" }] });
    expect(report(shown)).toMatch(/## Deep analysis[\s\S]*not measured[\s\S]*three formats for one answer/);
    expect(shown.score).toBe(65);
    expect((await bench.run("status", "--run", shown.run, "--json")).out).toContain("0.25");
  });

  it("S5 goes on when the agent crashes, times out, or leaves nothing that can be read, and says so", async () => {
    for (const turn of [{ ends: "crashed" }, { text: "I think it is fine." }, { ends: "chattering" }]) {
      const bench = new Bench("doc-researcher");
      const agent = bench.script({
        "deep-analyst": [turn],
        "finding-judge": [verdicts()],
        "fix-author": [edits()],
      });
      const { shown } = await bench.tune("doc-researcher", "--agent", agent, "--deep", "--yes", "high");
      expect(shown).toMatchObject({ phase: "done", deep: { status: "failed" } });
      expect(existsSync(join(shown.workDir, "diagnosis/deep-analysis.json"))).toBe(false);
      expect(report(shown)).toContain("Nobody looked deeper: ");
    }
  });

  it("S5 goes on after kill -9 while the agent is at it, and asks it again", async () => {
    const bench = new Bench("doc-researcher");
    const agent = bench.script({ "deep-analyst": [{ ...analysis(), afterMs: 60_000 }] });
    const child = start(["tune", "doc-researcher", "--agent", agent, "--deep", "--dir", bench.root], {
      cwd: bench.root,
    });
    const over = ended(child);
    const waits = join(bench.root, ".heddle/tune/tune-1/diagnosis/token_consumption-diagnosis.json");
    await until("the diagnoses are done", () => existsSync(waits));
    child.kill("SIGKILL");
    await over;
    bench.script({ "deep-analyst": [analysis()], "finding-judge": [verdicts()], "fix-author": [edits()] });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent);
    expect(shown).toMatchObject({ deep: { status: "completed" }, open: [{ id: "fixes-0" }] });
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("S5 without an agent it is skipped, and said so; nothing is made up", async () => {
    const bench = new Bench();
    mkdirSync(join(bench.root, "bare"));
    writeFileSync(join(bench.root, "bare/SKILL.md"), "---\nname: bare\ndescription: d\n---\n");
    const { shown } = await bench.tune("bare");
    expect(shown.deep).toEqual({ status: "skipped", error: "no agent is named" });
    expect(shown.summary.join("\n")).toContain("skipped: no agent is named");
    expect(report(shown)).toContain("Nobody looked deeper: no agent is named.");
  });

  it("S5 an area that only an agent judges calls for it, and everything is still diagnosed", async () => {
    const bench = new Bench("doc-researcher");
    const agent = bench.script({
      "deep-analyst": [analysis()],
      "finding-judge": [verdicts()],
      "fix-author": [edits()],
    });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent, "--focus", "architecture");
    expect(shown.deep).toMatchObject({ status: "completed" });
    expect(existsSync(join(shown.workDir, "diagnosis/docs-diagnosis.json"))).toBe(true);
  });
});

describe("a program as the agent", () => {
  it("S5 S11 reads the skill and the findings in heddle's box, and cannot change the skill", async () => {
    const bench = new Bench("doc-researcher");
    const before = bench.text("doc-researcher/SKILL.md");
    const program = `#!/usr/bin/env node
      const fs = require("node:fs");
      const { inputs, output, key_fields } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
      let written = "no";
      try { fs.appendFileSync(inputs.target + "/SKILL.md", "mine"); written = "yes"; } catch {}
      const skill = fs.readFileSync(inputs.target + "/SKILL.md", "utf8");
      const findings = inputs.findings ? JSON.parse(fs.readFileSync(inputs.findings, "utf8")) : [];
      const path = { "deep-analyst": "gemini_analysis.result", "fix-author": "proposed_fixes.edits", "finding-judge": "verdicts" }[process.env.HEDDLE_ROLE];
      const value = path === "gemini_analysis.result"
        ? { root_causes: [{ description: findings.length + " findings, " + skill.length + " characters, written: " + written + ", " + key_fields.status, severity: "low" }] }
        : [];
      fs.writeFileSync(process.env.HEDDLE_OUTPUT, JSON.stringify({ stateUpdates: { [path]: value }, outputFiles: [], summary: "done" }));
    `;
    writeFileSync(join(bench.root, "agent.cjs"), program, { mode: 0o755 });
    const box = hasBox ? [] : ["--unconfined"];
    const { shown } = await bench.tune("doc-researcher", "--agent", "command:./agent.cjs", "--deep", ...box);
    const written = hasBox ? "no" : "yes";
    expect(shown.deep).toMatchObject({
      status: "completed",
      root_causes: [{ description: expect.stringContaining(`written: ${written}, running`) }],
    });
    if (hasBox) expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
  });
});

describe("edits by an agent", () => {
  const old = "look each of them up in the [glossary](glossary.md).";
  const helpful = {
    pattern: "DF-007",
    file: "SKILL.md",
    old,
    new: "look each of them up in the glossary of the manual.",
    reason: "there is no file of that name",
  };

  it("S7 S8 S15 count only when they apply, lose no words, and measurably help", async () => {
    const bench = new Bench("doc-researcher");
    const agent = bench.script({
      "finding-judge": [verdicts()],
      "fix-author": [
        edits(
          { ...helpful, old: "this stands nowhere" },
          { ...helpful, file: "../outside.md", old: "a" },
          { ...helpful, pattern: "TKN-006" },
          { ...helpful, new: "look each of them up." },
          { ...helpful, new: `${old} And [more](more.md).` },
          helpful,
        ),
      ],
    });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent);
    const { fixes } = document(shown, "fixes/fix-proposals.json") as { fixes: { strategy: string }[] };
    expect(fixes.filter(({ strategy }) => strategy.startsWith("agent:"))).toMatchObject([
      { pattern: "DF-007", risk: "high", description: helpful.reason, strategy: "agent:repair_reference" },
    ]);
    const findings = document(shown, "agents/fix-author-1/try-1/findings.json") as { pattern: string }[];
    expect(findings.map(({ pattern }) => pattern)).toEqual(["DF-007"]);
    const second = await bench.tune("doc-researcher", "--agent", agent, "--yes", "high");
    expect(second.shown).toMatchObject({ gate: "pass", score: 100, phase: "done" });
    expect(bench.text("doc-researcher/SKILL.md")).toContain(helpful.new);
  });

  it("S7 nobody is asked for edits when no agent is named, and that is said", async () => {
    const bench = new Bench("doc-researcher");
    const { shown } = await bench.tune("doc-researcher");
    expect(shown.summary.join("\n")).toContain("1 finding that no rule fixes; an agent may: --agent claude");
    expect(existsSync(join(shown.workDir, "agents"))).toBe(false);
  });
});

describe("suspicions", () => {
  const key = async (bench: Bench) => {
    const { out } = await bench.run("tune", "--check", "doc-researcher", "--json");
    const [skill] = (JSON.parse(out) as { skills: { findings: { key: string; pattern: string }[] }[] })
      .skills;
    return skill?.findings.find(({ pattern }) => pattern === "CTX-001")?.key ?? "";
  };
  const judged = async (verdict: object) => {
    const bench = new Bench("doc-researcher");
    const said = verdicts({ key: await key(bench), reason: "so it is", ...verdict });
    const agent = bench.script({ "finding-judge": [said], "fix-author": [edits()] });
    return (await bench.tune("doc-researcher", "--agent", agent)).shown;
  };

  it("S14 one that an agent confirms with words of the skill counts; without such words it does not", async () => {
    const confirmed = await judged({ verdict: "confirmed", quotation: "history.push({ question, answer })" });
    expect(confirmed).toMatchObject({ score: 60 });
    expect(confirmed.left.map(({ pattern }) => pattern)).toContain("CTX-001");
    expect(report(confirmed)).toContain('confirmed by an agent: "history.push({ question, answer })"');
    const made = await judged({ verdict: "confirmed", quotation: "history is kept for ever and ever" });
    expect(made).toMatchObject({ score: 65 });
    const rejected = await judged({ verdict: "rejected" });
    expect(rejected).toMatchObject({ score: 65 });
  });
});

describe("evals beside a skill", () => {
  const withEvals = (
    prompts: readonly string[],
    checks: readonly unknown[] = [{ answer_contains: "sources" }],
  ) => {
    const bench = new Bench("doc-researcher");
    mkdirSync(join(bench.root, "doc-researcher/evals"));
    const evals = prompts.map((prompt, at) => ({
      ...{ id: at + 1, prompt },
      checks,
    }));
    writeFileSync(join(bench.root, "doc-researcher/evals/evals.json"), JSON.stringify({ evals }));
    return bench;
  };
  const works = { text: "The answer, with sources." };
  const fails = { text: "I do not know." };
  const tuned = async (bench: Bench, turns: readonly object[], ...more: readonly string[]) => {
    const agent = bench.script({ evaluated: turns, "finding-judge": [verdicts()], "fix-author": [edits()] });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent, "--yes", "low", ...more);
    return shown.applied;
  };

  it("S16 are run before and after a fix, several times, and a fix that holds is called pass", async () => {
    const applied = await tuned(withEvals(["What is X?"]), [works]);
    expect(applied).toMatchObject([
      { verification_result: "pass", evals: "evals 100 % ± 0 -> 100 % ± 0 (1 task, 3 runs each)" },
    ]);
  });

  it("S16 a fix that makes them worse is taken back", async () => {
    const checks = ["test -s answer.txt", { answer_contains: "sources" }, { file: "answer.txt" }];
    const bench = withEvals(["What is X?"], checks);
    const before = bench.text("doc-researcher/SKILL.md");
    const agent = join(bench.root, "agent.cjs");
    // It does its work only as long as the skill has no name.
    writeFileSync(
      agent,
      `#!/usr/bin/env node
      const fs = require("node:fs");
      const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
      const paths = { "finding-judge": "verdicts", "fix-author": "proposed_fixes.edits" };
      const path = paths[process.env.HEDDLE_ROLE];
      if (path) {
        const answer = { stateUpdates: { [path]: [] }, outputFiles: [], summary: "done" };
        fs.writeFileSync(process.env.HEDDLE_OUTPUT, JSON.stringify(answer));
      } else if (!bundle.skill.text.includes("name:")) {
        fs.writeFileSync("answer.txt", bundle.task);
        fs.writeFileSync(process.env.HEDDLE_OUTPUT, "All sources.");
      }
      `,
      { mode: 0o755 },
    );
    const box = hasBox ? [] : ["--unconfined"];
    const words = [
      "doc-researcher",
      "--agent",
      "command:./agent.cjs",
      "--yes",
      "low",
      "--eval-runs",
      "2",
      ...box,
    ];
    const { code, shown } = await bench.tune(...words);
    expect(shown.applied).toMatchObject([
      { verification_result: "rolled_back", evals: "evals 100 % ± 0 -> 0 % ± 0 (1 task, 2 runs each)" },
    ]);
    expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
    expect(code).toBe(1);
  });

  it("S16 what fails before and after is no fault of the fix, and is shown", async () => {
    const applied = await tuned(withEvals(["What is X?", "What is Y?"]), [fails], "--eval-runs", "1");
    expect(applied).toMatchObject([{ evals: "evals 0 % ± 0 -> 0 % ± 0 (2 tasks, 1 run each)" }]);
  });
});

describe.each([
  ["requirement-analyst", "dimensions"],
  ["deep-analyst", "analysis"],
  ["finding-judge", "verdicts"],
  ["fix-author", "edits"],
] as const)("the skill of %s", (role, kind) => {
  const path = join(import.meta.dirname, "../../roles", role, "SKILL.md");
  const skill = skillOf(readFileSync(path, "utf8"));

  it("S11 has its sections in order, and shows an answer that is taken", () => {
    expect(skill.front.name).toBe(role);
    expect(skill.headings).toEqual([
      "Purpose",
      "Input",
      "Output",
      "Method",
      "Rules",
      "Examples",
      "Done when",
    ]);
    const [good] = skill.examples.filter((example) => example.good === kind);
    expect(readAdvice(kind, JSON.parse(good?.text ?? "null"))).toHaveProperty("summary");
  });
});
