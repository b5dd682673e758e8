// The tuning loop on the engine, through the real CLI: unattended, with answers that come later, killed, twice at once.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownedUpdates } from "../../src/packs/tuning/skill/actions/action.ts";
import { verify } from "../../src/packs/tuning/skill/actions/fixes.ts";
import { type Applied, applyFix } from "../../src/packs/tuning/skill/apply.ts";
import type { Fix } from "../../src/packs/tuning/skill/fix.ts";
import { ended, folder, heddle, start } from "../e2e/rig.ts";
import { Bench } from "./bench.ts";

describe("heddle tune", () => {
  it("S1 S9 goes round until the gate is passed, and shows before and after", async () => {
    const bench = new Bench("doc-researcher");
    const { code, shown } = await bench.tune("doc-researcher", "--yes", "high");
    expect({ code, phase: shown.phase, gate: shown.gate }).toEqual({ code: 0, phase: "done", gate: "pass" });
    const summary = readFileSync(join(shown.workDir, "tuning-summary.md"), "utf8");
    expect(summary).toMatch(/\| score \| 65 \| 95 \|/);
    expect(summary).toMatch(/\| gate \| review \| pass \|/);
    for (const row of ["critical", "high", "medium", "low", "tokens when loaded"])
      expect(summary).toMatch(new RegExp(`\\| ${row} \\| \\d+ \\| \\d+ \\|`));
    expect(shown.before).toMatchObject({ score: 65, high: 1, medium: 4, tokens: expect.any(Number) });
    expect(shown.after).toMatchObject({ gate: "pass", high: 0, medium: 1, tokens: expect.any(Number) });
    expect((await bench.run("tune", "--check", "doc-researcher")).code).toBe(0);
    expect((await bench.run("verify")).code).toBe(0);
    // The report, which the page shows too, is about the skill and not about tasks.
    const { out: report } = await bench.run("report", "--run", "tune-1");
    expect(report).toMatch(/^# Done: tune-1\n/);
    expect(report).toContain("| score | 65 | 95 |");
    expect(report).toContain("| FIX-1 | medium | SKILL.md | point to");
    expect(report).toMatch(/## Difference\n\n```+diff\n--- a\/SKILL\.md\n\+\+\+ b\/SKILL\.md\n@@ /);
    expect(report).not.toMatch(/tasks done|heddle land/);
    for (const name of [
      "target-skill.json",
      "requirement-analysis.json",
      "tuning-report.md",
      "fixes/fix-proposals.md",
      "verification.json",
    ])
      expect(existsSync(join(shown.workDir, name)), name).toBe(true);
  });

  it("S7 S15 applies nothing above the risk that was named, and explains what is left", async () => {
    const bench = new Bench("doc-researcher");
    const { code } = await bench.tune("doc-researcher", "--yes", "low");
    const text = bench.text("doc-researcher/SKILL.md");
    expect(text).toContain("name: doc-researcher\n");
    expect(text).toContain("(docs/style.md)");
    expect(code).toBe(0);
    const summary = bench.text(".heddle/tune/tune-1/tuning-summary.md");
    expect(summary).toMatch(
      /## Left\n\n(.*\n)*- medium SKILL\.md:\d+ DF-007 `glossary\.md` is not there\. Point to/,
    );
    expect(summary).toMatch(/## Suggestions\n\n- medium SKILL\.md:\d+ CTX-001/);
    expect(summary).toContain("what an agent does with the skill was not measured");
    expect(summary).not.toMatch(/: pass$/m);
  });

  it("S17 S10 the state has the document's fields, and they agree with score and exit code", async () => {
    const bench = new Bench("doc-researcher");
    const first = await bench.tune("doc-researcher");
    const stateOf = () => JSON.parse(bench.text(".heddle/tune/tune-1/state.json")).vars;
    expect(stateOf()).toMatchObject({
      ...{ status: "running", current_action: null, quality_gate: "review", quality_score: 65 },
      issues_by_severity: { critical: 0, high: 1, medium: 4, low: 0 },
      suggestions: 1,
    });
    expect(first).toMatchObject({ code: 1, shown: { gate: "review", score: 65 } });
    const done = stateOf().completed_actions as string[];
    expect(done.slice(0, 3)).toEqual([
      "action-init",
      "action-analyze-requirements",
      "action-diagnose-context",
    ]);
    const { shown } = await bench.tune("doc-researcher", "--yes", "high");
    expect(stateOf()).toMatchObject({
      status: "completed",
      quality_gate: "pass",
      quality_score: shown.score,
    });
  });

  it("S17 a focus narrows the diagnoses, never the gate", async () => {
    const bench = new Bench("doc-researcher");
    const { code, shown } = await bench.tune("doc-researcher", "--focus", "context", "--yes", "high");
    expect({ code, gate: shown.gate, score: shown.score }).toEqual({ code: 1, gate: "review", score: 65 });
    expect(shown.applied).toEqual([]);
  });

  it("S17 a finished tuning blocks nothing: the next one begins, on this skill or another", async () => {
    const bench = new Bench("doc-researcher", "broken-front");
    await bench.tune("doc-researcher");
    await bench.run("answer", "fixes-0", "none");
    expect((await bench.tune("doc-researcher")).shown.open).toMatchObject([{ id: "summary-0" }]);
    const other = await bench.tune("broken-front", "--yes", "high");
    expect(other).toMatchObject({ code: 0, shown: { phase: "done", run: "tune-2" } });
    expect((await bench.tune("doc-researcher")).shown).toMatchObject({
      run: "tune-3",
      open: [{ id: "fixes-0" }],
    });
  });

  it("C8 S12 waits for the selection, takes it later, and goes on from there", async () => {
    const bench = new Bench("doc-researcher");
    const before = bench.text("doc-researcher/SKILL.md");
    const first = await bench.tune("doc-researcher");
    expect(first.shown.open).toMatchObject([{ id: "fixes-0", point: "fixes" }]);
    expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
    await bench.run("answer", "fixes-0", "FIX-1");
    const second = await bench.tune("doc-researcher");
    expect(second.shown.open).toMatchObject([{ id: "continue-0", options: ["continue", "stop"] }]);
    expect(bench.text("doc-researcher/SKILL.md")).toContain("(references/style.md)");
    expect(bench.text("doc-researcher/SKILL.md")).not.toContain("name: doc-researcher");
    await bench.run("answer", "continue-0", "stop");
    const third = await bench.tune("doc-researcher");
    expect(third.shown.open).toMatchObject([{ id: "summary-0" }]);
    await bench.run("answer", "summary-0", "finish");
    expect((await bench.tune("doc-researcher")).shown.phase).toBe("done");
  });

  it("S4 asks what a complaint means, and looks only at what it is about", async () => {
    const bench = new Bench("doc-researcher");
    const first = await bench.tune("doc-researcher", "--issue", "it hums; it has broken links");
    expect(first.shown.open).toMatchObject([{ id: "requirements-DIM-001", point: "requirements" }]);
    await bench.run("answer", "requirements-DIM-001", "token_consumption");
    const second = await bench.tune("doc-researcher");
    expect(second.shown.open[0]?.id).toBe("fixes-0");
    const { dimensions, coverage } = JSON.parse(
      readFileSync(join(second.shown.workDir, "requirement-analysis.json"), "utf8"),
    );
    expect(coverage).toMatchObject({ rate: 100, status: "satisfied" });
    expect(dimensions.map((each: { inferred_category: string }) => each.inferred_category)).toEqual([
      "token_consumption",
      "dataflow_break",
    ]);
    expect(existsSync(join(second.shown.workDir, "diagnosis/token_consumption-diagnosis.json"))).toBe(true);
    expect(existsSync(join(second.shown.workDir, "diagnosis/memory-diagnosis.json"))).toBe(false);
  });

  it("S12 an answer that means nothing is no decision: the question comes again", async () => {
    const bench = new Bench("doc-researcher");
    const before = bench.text("doc-researcher/SKILL.md");
    await bench.tune("doc-researcher");
    await bench.run("answer", "fixes-0", "FIX-99");
    const { shown } = await bench.tune("doc-researcher");
    expect(shown.open).toMatchObject([
      { id: "fixes-0.2", text: expect.stringContaining("`FIX-99` is no answer") },
    ]);
    expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
    await bench.run("answer", "fixes-0.2", "none");
    expect((await bench.tune("doc-researcher")).shown.open).toMatchObject([{ id: "summary-0" }]);
  });

  it("S7 takes an applied fix back, the last one first, after the end too", async () => {
    const bench = new Bench("doc-researcher");
    const before = bench.text("doc-researcher/SKILL.md");
    const { shown } = await bench.tune("doc-researcher", "--yes", "high");
    const fixes = shown.applied.map(({ fix_id }) => fix_id);
    const early = await bench.run("tune", "doc-researcher", "--undo", fixes[0] ?? "");
    expect(early.err).toContain("has changed since `FIX-1`");
    for (const id of fixes.toReversed())
      expect((await bench.run("tune", "doc-researcher", "--undo", id)).code, id).toBe(0);
    expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
    expect((await bench.run("tune", "doc-researcher", "--undo", "FIX-99")).err).toContain("no fix `FIX-99`");
  });

  it("C5 says which rule fired and what it saw", async () => {
    const bench = new Bench("doc-researcher");
    const { shown } = await bench.tune("doc-researcher");
    const { code, out } = await bench.run("next", "--explain", "--run", shown.run);
    expect(code).toBe(1);
    expect(out).toContain("heddle tune doc-researcher/SKILL.md goes on with it");
    expect(out).toContain("fixes are proposed and none is selected");
    expect(out).toMatch(/selection.*open/);
    const again = await bench.run("next", "--explain", "--run", shown.run);
    expect(again.out).toBe(out);
  });

  it("S10 a state that does not parse is restored", async () => {
    const bench = new Bench("doc-researcher");
    const { shown } = await bench.tune("doc-researcher");
    expect(shown.workDir).toBe(join(bench.root, ".heddle/tune", shown.run));
    const view = join(shown.workDir, "state.json");
    writeFileSync(view, '{"half');
    expect((await bench.tune("doc-researcher")).shown.open).toMatchObject([{ id: "fixes-0" }]);
    expect(JSON.parse(readFileSync(view, "utf8"))).toHaveProperty("position");
  });

  it("S10 a skill that may not be written: the changes are put elsewhere, and the end says where", async () => {
    const bench = new Bench("doc-researcher");
    const before = bench.text("doc-researcher/SKILL.md");
    chmodSync(bench.root, 0o777);
    chmodSync(join(bench.root, "doc-researcher"), 0o555);
    // Root may write everywhere, so somebody else tries.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { code, out } = await heddle(["tune", "doc-researcher", "--yes", "high", "--dir", bench.root], {
      cwd: bench.root,
      ...nobody,
    });
    chmodSync(join(bench.root, "doc-researcher"), 0o755);
    expect(code).toBe(1);
    expect(out).toMatch(
      /FIX-1 repair_reference: fail, the skill may not be written; the change is in .*alternative\/FIX-1/,
    );
    expect(bench.text("doc-researcher/SKILL.md")).toBe(before);
    const made = join(bench.root, ".heddle/tune/tune-1/round-0/alternative/FIX-1/SKILL.md");
    expect(readFileSync(made, "utf8")).toContain("(references/style.md)");
  });

  it("S2 keeps ten actions in the view and all of them in the history", async () => {
    const bench = new Bench("doc-researcher");
    const { shown } = await bench.tune("doc-researcher", "--yes", "high");
    expect(shown.summary.length).toBe(10);
    const { out } = await bench.run("history", "--run", shown.run, "--all", "--json");
    const facts = JSON.parse(out) as { fact: { kind: string } }[];
    expect(facts.filter(({ fact }) => fact.kind === "job-completed").length).toBeGreaterThan(10);
  });

  it("S2 halts when the steps are used up, and goes on with more", async () => {
    const bench = new Bench("doc-researcher");
    const first = await bench.tune("doc-researcher", "--yes", "high", "--steps", "4");
    expect(first.shown).toMatchObject({ halted: "step_limit", phase: "tuning" });
    expect((await bench.tune("doc-researcher", "--yes", "high", "--steps", "60")).code).toBe(0);
  });

  it("S10 skips what fails three times, and aborts after three such errors", async () => {
    const bench = new Bench("doc-researcher");
    const { shown } = await bench.tune("doc-researcher");
    rmSync(join(bench.root, "doc-researcher"), { recursive: true });
    await bench.run("answer", "fixes-0", "all");
    mkdirSync(join(bench.root, "doc-researcher"));
    writeFileSync(join(bench.root, "doc-researcher/SKILL.md"), Buffer.from([0, 1, 2]));
    const second = await bench.tune("doc-researcher");
    expect(second).toMatchObject({ code: 1, shown: { phase: "aborted" } });
    expect(readFileSync(join(shown.workDir, "abort-report.md"), "utf8")).toContain("action-apply-fix");
    const { errors, status } = JSON.parse(readFileSync(join(shown.workDir, "state.json"), "utf8")).vars;
    expect(status).toBe("failed");
    for (const { timestamp } of errors) expect(Date.parse(timestamp)).toBeGreaterThan(0);
  });

  it("S10 a person who leaves ends it well, and what was applied stays", async () => {
    const bench = new Bench("doc-researcher", "broken-front");
    await bench.tune("doc-researcher");
    const other = await bench.run("tune", "broken-front");
    expect(other.code).toBe(1);
    expect(other.err).toContain("is not finished");
    expect((await bench.tune("doc-researcher", "--leave")).code).toBe(0);
    expect((await bench.tune("broken-front", "--yes", "high")).code).toBe(0);
  });

  it("two at once on one skill: each change is made once, and nothing is half", async () => {
    const bench = new Bench("doc-researcher");
    const words = ["tune", "doc-researcher", "--yes", "high", "--dir", bench.root];
    const both = await Promise.all([1, 2].map(() => ended(start(words, { cwd: bench.root }))));
    for (const { code, err } of both) expect(code === 0 || /error: /.test(err), err).toBe(true);
    expect(both.some(({ code }) => code === 0)).toBe(true);
    const text = bench.text("doc-researcher/SKILL.md");
    expect(text.split("(references/style.md)").length).toBe(2);
    expect(text.split("name: doc-researcher").length).toBe(2);
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("two at once on two skills of one project: one is tuned, the other is told why not, and can go on after", async () => {
    const bench = new Bench("doc-researcher", "broken-front");
    const names = ["doc-researcher", "broken-front"];
    const both = await Promise.all(
      names.map((name) =>
        ended(start(["tune", name, "--yes", "high", "--dir", bench.root], { cwd: bench.root })),
      ),
    );
    for (const { code, err } of both)
      expect(code === 0 || /is not finished|hint: /.test(err), err).toBe(true);
    expect(both.some(({ code }) => code === 0)).toBe(true);
    for (const name of names) expect((await bench.tune(name, "--yes", "high")).code).toBe(0);
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("goes on after kill -9 at any moment, and ends with the same skill", async () => {
    const whole = new Bench("doc-researcher");
    await whole.tune("doc-researcher", "--yes", "high");
    const bench = new Bench("doc-researcher");
    for (const afterMs of [250, 350, 450, 550, 700, 900]) {
      const child = start(["tune", "doc-researcher", "--yes", "high", "--dir", bench.root], {
        cwd: bench.root,
      });
      const over = ended(child);
      const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
      const { signal } = await over;
      clearTimeout(timer);
      if (signal === null) break;
    }
    expect((await bench.tune("doc-researcher", "--yes", "high")).code).toBe(0);
    expect(bench.text("doc-researcher/SKILL.md")).toBe(whole.text("doc-researcher/SKILL.md"));
    expect((await bench.run("verify")).code).toBe(0);
  });

  it("runs beside a plan: commands that name no run are about the plan", async () => {
    const bench = new Bench("doc-researcher");
    await bench.run("init", "app");
    await bench.tune("doc-researcher");
    const { code, out } = await bench.run("status");
    expect(code).toBe(0);
    expect(out).toContain("decomposition");
  });

  it("tunes one skill at a time", async () => {
    const bench = new Bench("doc-researcher", "broken-front");
    const { code, err } = await bench.run("tune", ".");
    expect(code).toBe(1);
    expect(err).toContain("one skill is tuned at a time");
  });
});

describe("verification", () => {
  const skill = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\nDo it.\n";

  it("S8 takes a change back that makes the skill worse", () => {
    const root = folder();
    writeFileSync(join(root, "SKILL.md"), skill);
    const place = { folder: root, workDir: join(root, "work") };
    mkdirSync(place.workDir);
    const after = `${skill}\nSee [the rules](rules.md).\n`;
    const fix = {
      id: "FIX-1",
      strategy: "none",
      changes: [{ file: "SKILL.md", before: skill, after }],
    } as unknown as Fix;
    const applied = applyFix(place, fix) as Applied;
    const state: Readonly<Record<string, unknown>> = {
      applied_fixes: [applied],
      quality_score: 100,
      issues: [],
    };
    const given = {
      place: { entry: join(root, "SKILL.md"), kind: "skill" as const },
      workDir: place.workDir,
      round: 0,
      answers: {},
    };
    const { stateUpdates } = verify({ ...given, state: (path) => state[path] as never });
    expect(stateUpdates).toMatchObject({
      applied_fixes: [{ verification_result: "rolled_back" }],
      quality_score: 100,
    });
    expect(readFileSync(join(root, "SKILL.md"), "utf8")).toBe(skill);
  });

  it("S11 takes only what the action owns, by path", () => {
    const updates = {
      "diagnosis.context": { status: "completed" },
      quality_gate: "pass",
      status: "completed",
    };
    expect(ownedUpdates("action-diagnose-context", updates)).toEqual({
      "diagnosis.context": { status: "completed" },
    });
    expect(ownedUpdates("action-generate-report", updates)).toEqual({ quality_gate: "pass" });
  });
});
