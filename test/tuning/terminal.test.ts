// `heddle tune` as a person uses it, in a real window: the complaint, a question about it, the choice of fixes, the summary.
import { describe, expect, it } from "vitest";
import { hasTmux, Window } from "../repl/tmux.ts";
import { answers, Bench } from "./bench.ts";

const size = { columns: 120, rows: 50 };

describe.skipIf(!hasTmux)("tuning in a window (left out without `tmux`)", () => {
  it("S4 S7 S12 asks what is wrong, what is meant and which fixes to apply, and shows what it did", async () => {
    const bench = new Bench("doc-researcher");
    const window = new Window(bench.root, { ...size, args: ["tune", "doc-researcher"] });
    await window.sees(/What is wrong with the skill\?/);
    window.type("broken links and it hums");
    await window.sees(/What does "it hums" mean\?/);
    window.keys("Down", "Down", "Down", "Down", "Enter");
    await window.sees(/Which of the proposed fixes shall be applied\?[\s\S]*some of them/);
    expect(window.all).toContain("analyze-requirements 2 parts (dataflow break, unclear), 50 % covered");
    expect(window.all).toMatch(/medium +SKILL\.md:8 +DF-007 `docs\/style\.md` is not there/);
    expect(window.all).toMatch(/FIX-1 \(medium risk\): point to `references\/style\.md`/);
    window.keys("Down", "Down", "Down", "Enter");
    await window.sees(/Verified by/);
    window.keys("Down", "Down", "Enter");
    await window.sees(/Which ones\?/);
    window.type("fix-9");
    await window.sees(/name some of FIX-1/);
    window.keys("C-u");
    window.type("fix-1 fix-4");
    await window.over();
    expect(window.all).toMatch(/\| score \| 65 \| 85 \|/);
    expect(window.all).toMatch(/done: pass, score 85; files: \.heddle\/tune\/tune-1/);
    expect(bench.text("doc-researcher/SKILL.md")).toContain("(references/style.md)");
    expect(bench.text("doc-researcher/SKILL.md")).toContain("(source-list.md)");
  });

  it("C8 S12 goes on when the choice of fixes is made elsewhere while its prompt waits", async () => {
    const bench = new Bench("doc-researcher");
    const window = new Window(bench.root, { ...size, args: ["tune", "doc-researcher"] });
    await window.sees(/What is wrong with the skill\?/);
    window.keys("Enter");
    await window.sees(/Which of the proposed fixes shall be applied\?[\s\S]*some of them/);
    expect((await bench.run("answer", "fixes-0", "all")).code).toBe(0);
    await window.over();
    expect(window.all).toMatch(/done: pass, score 95/);
  });

  it("S12 without a path offers the skills that there are, and Enter means no complaint", async () => {
    const bench = new Bench("css-cleanup", "team-chat");
    const window = new Window(bench.root, { ...size, args: ["tune"] });
    await window.sees(/Which skill is to be tuned\?[\s\S]*team-chat\/SKILL\.md/);
    window.keys("Enter");
    await window.sees(/What is wrong with the skill\?/);
    window.keys("Enter");
    await window.over();
    expect(window.all).toContain("no complaint: the skill is looked at from all sides");
    expect(window.all).toMatch(/done: pass, score 100/);
  });

  it("S5 C10 shows that an agent looks deeper; Ctrl-C twice ends it, and the next call goes on", async () => {
    const bench = new Bench("doc-researcher");
    const found = { root_causes: [{ description: "two lists of notes", severity: "low" }] };
    const turn = (more: object) => answers("gemini_analysis.result", found, more);
    const agent = bench.script({ "deep-analyst": [turn({ afterMs: 60_000 })] });
    const args = ["tune", "doc-researcher", "--agent", agent, "--deep", "--focus", "dataflow"];
    const window = new Window(bench.root, { ...size, args });
    await window.sees(
      /gemini-analysis +an agent looks deeper, beside the diagnoses[\s\S]*dataflow +4 medium/,
    );
    window.keys("C-c");
    // Two that come together are one signal.
    await new Promise((settle) => setTimeout(settle, 500));
    window.keys("C-c");
    await window.over();
    expect(window.all).toContain("halted: Ctrl-C");
    bench.script({
      "deep-analyst": [turn({})],
      "finding-judge": [answers("verdicts", [])],
      "fix-author": [answers("proposed_fixes.edits", [])],
    });
    const { shown } = await bench.tune("doc-researcher", "--agent", agent);
    expect(shown.deep).toMatchObject({
      status: "completed",
      root_causes: [{ description: "two lists of notes" }],
    });
    expect(shown.open).toMatchObject([{ id: "fixes-0" }]);
  });
});
