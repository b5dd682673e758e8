// Agents in the tuning loop: who takes the complaint apart, who looks deeper beside the diagnoses, who writes edits for
// what no rule mends; and what happens when they crash, lie, or are not there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAdvice } from "../../src/tuning/advice.ts";
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
    await bench.run("answer", "requirements-DIM-001", "agent_failure");
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
    const bench = new Bench("deep-nest");
    const spends = { inputTokens: 1000, outputTokens: 50, costUsd: 0.25 };
    const turn = { ...analysis(), afterMs: 1500, spends };
    const agent = bench.script({ "deep-analyst": [turn], "fix-author": [edits()] });
    const { shown } = await bench.tune("deep-nest", "--agent", agent, "--deep");
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
    expect(shown.score).toBe(55);
    expect((await bench.run("status", "--run", shown.run, "--json")).out).toContain("0.25");
  });

  it("S5 goes on when the agent crashes, times out, or leaves nothing that can be read, and says so", async () => {
    for (const turn of [{ ends: "crashed" }, { text: "I think it is fine." }, { ends: "chattering" }]) {
      const bench = new Bench("deep-nest");
      const agent = bench.script({ "deep-analyst": [turn], "fix-author": [edits()] });
      const { shown } = await bench.tune("deep-nest", "--agent", agent, "--deep", "--yes", "high");
      expect(shown).toMatchObject({ phase: "done", deep: { status: "failed" } });
      expect(existsSync(join(shown.workDir, "diagnosis/deep-analysis.json"))).toBe(false);
      expect(report(shown)).toContain("Nobody looked deeper: ");
    }
  });

  it("S5 goes on after kill -9 while the agent is at it, and asks it again", async () => {
    const bench = new Bench("deep-nest");
    const agent = bench.script({ "deep-analyst": [{ ...analysis(), afterMs: 60_000 }] });
    const child = start(["tune", "deep-nest", "--agent", agent, "--deep", "--dir", bench.root], {
      cwd: bench.root,
    });
    const over = ended(child);
    const waits = join(bench.root, ".heddle/tune/tune-1/diagnosis/token_consumption-diagnosis.json");
    await until("the diagnoses are done", () => existsSync(waits));
    child.kill("SIGKILL");
    await over;
    bench.script({ "deep-analyst": [analysis()], "fix-author": [edits()] });
    const { shown } = await bench.tune("deep-nest", "--agent", agent);
    expect(shown).toMatchObject({ deep: { status: "completed" }, open: [{ id: "fixes-0" }] });
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("S5 without an agent it is skipped, and said so; nothing is made up", async () => {
    const bench = new Bench("ticket-triage");
    const { shown } = await bench.tune("ticket-triage");
    expect(shown.deep).toEqual({ status: "skipped", error: "no agent is named" });
    expect(shown.summary.join("\n")).toContain("skipped: no agent is named");
    expect(report(shown)).toContain("Nobody looked deeper: no agent is named.");
  });

  it("S5 an area that only an agent judges calls for it, and everything is still diagnosed", async () => {
    const bench = new Bench("deep-nest");
    const agent = bench.script({ "deep-analyst": [analysis()], "fix-author": [edits()] });
    const { shown } = await bench.tune("deep-nest", "--agent", agent, "--focus", "architecture");
    expect(shown.deep).toMatchObject({ status: "completed" });
    expect(existsSync(join(shown.workDir, "diagnosis/docs-diagnosis.json"))).toBe(true);
  });
});

describe("a program as the agent", () => {
  it("S5 S11 reads the skill and the findings in heddle's box, and cannot change the skill", async () => {
    const bench = new Bench("sync-notes");
    const before = bench.text("sync-notes/SKILL.md");
    const program = `#!/usr/bin/env node
      const fs = require("node:fs");
      const { inputs, output, key_fields } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
      let written = "no";
      try { fs.appendFileSync(inputs.target + "/SKILL.md", "mine"); written = "yes"; } catch {}
      const skill = fs.readFileSync(inputs.target + "/SKILL.md", "utf8");
      const findings = inputs.findings ? JSON.parse(fs.readFileSync(inputs.findings, "utf8")) : [];
      const path = { "deep-analyst": "gemini_analysis.result", "fix-author": "proposed_fixes.edits" }[process.env.HEDDLE_ROLE];
      const value = path === "gemini_analysis.result"
        ? { root_causes: [{ description: findings.length + " findings, " + skill.length + " characters, written: " + written + ", " + key_fields.status, severity: "low" }] }
        : [];
      fs.writeFileSync(process.env.HEDDLE_OUTPUT, JSON.stringify({ stateUpdates: { [path]: value }, outputFiles: [], summary: "done" }));
    `;
    writeFileSync(join(bench.root, "agent.cjs"), program, { mode: 0o755 });
    const box = hasBox ? [] : ["--unconfined"];
    const { shown } = await bench.tune("sync-notes", "--agent", "command:./agent.cjs", "--deep", ...box);
    const written = hasBox ? "no" : "yes";
    expect(shown.deep).toMatchObject({
      status: "completed",
      root_causes: [{ description: expect.stringContaining(`written: ${written}, running`) }],
    });
    if (hasBox) expect(bench.text("sync-notes/SKILL.md")).toBe(before);
  });
});

describe("edits by an agent", () => {
  const helpful = {
    pattern: "DF-001",
    file: "SKILL.md",
    old: "Remember the last synchronization in `sync-state.json`, and save the conflicts to `conflicts-context.json`.",
    new: "Keep the time of the last synchronization and the conflicts for the summary.",
    reason: "two files of the state less",
  };

  it("S7 S8 count only when they apply, touch the skill alone and measurably help", async () => {
    const bench = new Bench("sync-notes");
    const agent = bench.script({
      "fix-author": [
        edits(
          { ...helpful, old: "this stands nowhere" },
          { ...helpful, file: "../outside.md", old: "a" },
          { ...helpful, pattern: "CTX-001" },
          { ...helpful, new: `${helpful.old} And \`more-state.json\`.` },
          helpful,
        ),
      ],
    });
    const { shown } = await bench.tune("sync-notes", "--agent", agent);
    const { fixes } = document(shown, "fixes/fix-proposals.json") as { fixes: { strategy: string }[] };
    expect(fixes.filter(({ strategy }) => strategy.startsWith("agent:"))).toMatchObject([
      {
        pattern: "DF-001",
        risk: "high",
        description: helpful.reason,
        strategy: "agent:state_centralization",
      },
    ]);
    const second = await bench.tune("sync-notes", "--agent", agent, "--yes", "high");
    expect(second.shown).toMatchObject({ gate: "pass", phase: "done" });
    expect(bench.text("sync-notes/SKILL.md")).toContain(helpful.new);
    const summary = readFileSync(join(shown.workDir, "tuning-summary.md"), "utf8");
    expect(summary).toContain("agent:state_centralization: pass");
    const findings = document(shown, "agents/fix-author-1/try-1/findings.json") as { pattern: string }[];
    expect(findings.map(({ pattern }) => pattern)).toEqual(["DF-001", "DF-006"]);
  });

  it("S7 nobody is asked for edits when no agent is named, and that is said", async () => {
    const bench = new Bench("sync-notes");
    const { shown } = await bench.tune("sync-notes");
    expect(shown.summary.join("\n")).toContain("2 findings that no rule mends; an agent may: --agent claude");
    expect(existsSync(join(shown.workDir, "agents"))).toBe(false);
  });
});

describe.each([
  ["requirement-analyst", "dimensions"],
  ["deep-analyst", "analysis"],
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
