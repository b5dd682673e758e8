// One task at the prompt, in a real window, as a person does it: begun, taken on, asked, overridden, stopped, accepted and
// taken back (L13, L8, C8, C10); in a narrow window without colours, and in plain lines.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cells } from "../../src/view/width.ts";
import { good, json, Lifecycle, plan, type Turns } from "../lifecycle/rig.ts";
import { hasTmux, prompt, Window } from "./tmux.ts";

const slowly = (turns: Turns, ms: number): Turns =>
  Object.fromEntries(
    Object.entries(turns).map(([role, all]) => [role, all.map((turn) => ({ ...turn, afterMs: ms }))]),
  );
const asking = {
  ...plan,
  blocking_questions: [{ text: "Which language?", options: ["English", "German", "French"] }],
};

function made(turns: Turns = {}): Lifecycle {
  const project = new Lifecycle();
  project.makeTarget();
  project.script(turns);
  project.write(".heddle/config.json", JSON.stringify({ agent: "scripted:script.json" }));
  return project;
}

/** What the window shows between the command that was typed and the next prompt. */
function answerTo(window: Window, typed: string): string {
  const [, after = ""] = window.all.split(`› ${typed}\n`);
  return after.split(/\n\s*\nheddle/)[0] ?? "";
}

describe.skipIf(!hasTmux).concurrent("one task at the prompt (left out without `tmux`)", () => {
  it("L13 L8 from its brief to a commit and back: pasted, asked in place, completed, overridden, decided", async () => {
    const project = made({ planner: [json(asking), json(plan)] });
    const window = new Window(project.root, { rows: 60 });
    await window.sees(prompt);
    window.paste('/task new "greet people\nby their name" --target app');
    await window.sees(/› \/task new "greet people\n {9}by their name" --target app/);
    expect(existsSync(project.path(".heddle/tasks"))).toBe(false);
    window.keys("Enter");
    await window.sees(/task-1: greet people⏎by their name/);
    window.type("/tasks");
    await window.sees(/task-1 +planning +greet people/);
    window.type("/next");
    await window.sees(/\? the plan of task-1 asks: Which language\?\n {2}1 {2}English\n {2}2 {2}German/);
    window.type("german");
    await window.sees(/planning -> plan_review/);
    window.type("/next --dry-run --json");
    await window.sees(/"alternatives": \[\n\s+"planning",\n\s+"codegen"\n\s+\]\n}/);
    expect(JSON.parse(answerTo(window, "/next --dry-run --json"))).toEqual(
      await project.json("next", "--dry-run"),
    );
    window.type("and now?");
    await window.sees(
      /› and now\?\nplan_review \(job\): the plan review is missing\nhint: \/next lets the plan-reviewer/,
    );
    window.keys("-l", '/override "I read it" --to cod');
    window.keys("Tab");
    await window.sees(/--to codegen/);
    window.keys("Enter");
    await window.sees(/Overridden: now in codegen \(I read it\)/);
    window.type("/accept");
    await window.sees(/`accept` is not due: the task is in phase `codegen`/);
    window.type("/next --all");
    await window.sees(/landed: 1 file changed/);
    window.keys("-l", "/revert ta");
    window.keys("Tab");
    await window.sees(/› \/revert task-1/);
    window.keys("-l", " --reason no");
    window.keys("Enter");
    await window.sees(/reverted: [0-9a-f]{12} by [0-9a-f]{12}\n {2}greet\.txt/);
    window.type("/redo");
    await window.sees(/task-1 is open again, in phase planning/);
    window.type("/quit");
    await window.over();
    expect((await project.facts("question-answered")).map(({ answer }) => answer)).toEqual(["German"]);
    expect(readFileSync(project.path(".heddle/repl-history"), "utf8")).not.toContain("german\n");
  });

  it("C10 L13 what runs is shown above the prompt, looked at beside it, halted by one Ctrl-C, ended by two, and by STOP", async () => {
    const project = made(slowly(good, 3_000));
    await project.must("task", "new", "greet", "--target", "app");
    const window = new Window(project.root);
    await window.sees(prompt);
    window.type("/next --all");
    await window.sees(
      /\[planning\] › plan_review[\s\S]*● planner {2}working, attempt 1[\s\S]*\nheddle › *$/m,
    );
    window.type("/next --dry-run");
    await window.sees(/› \/next --dry-run\nplanning \(job\): the plan is missing/);
    window.type("/next");
    await window.sees(/`\/next --all` is at work\nhint: \/halt stops it/);
    window.keys("C-c");
    await window.sees(/HALTED: Ctrl-C/);
    await window.sees(/^heddle, halted › *$/m);
    await window.sees(/halted: Ctrl-C\nplanning -> plan_review/);
    window.type("/resume");
    await window.sees(prompt);
    window.type("/next --all");
    await window.sees(/● plan-reviewer {2}working, attempt 1/);
    window.keys("C-c");
    await window.sees(/HALTED: Ctrl-C/);
    window.keys("C-c");
    await window.sees(/ending what runs/);
    await window.sees(/halted: Ctrl-C\nplan_review \(job\)/);
    window.type("/resume");
    await window.sees(prompt);
    window.type("STOP");
    await window.sees(/Halt requested: STOP was typed/);
    expect(await project.status()).toMatchObject({
      phase: "plan_review",
      halt: { reason: "STOP was typed" },
    });
    window.keys("C-d");
    await window.over();
  });

  it("X18 fits 40 columns without colours, follows resizes, and leaves one frame", async () => {
    const project = made(slowly(good, 4_000));
    await project.must("task", "new", "greet", "--target", "app");
    const window = new Window(project.root, { columns: 40, rows: 24, env: { NO_COLOR: "1" } });
    await window.sees(prompt);
    window.type("/next --all");
    await window.sees(/● planner {2}working, attempt 1/);
    expect(Math.max(...window.screen.split("\n").map(cells))).toBeLessThanOrEqual(40);
    expect(window.screen).toMatch(/^\[planning\] › plan_review/m);
    for (const columns of [90, 40, 60]) {
      window.resize(columns, 24);
      await window.is(
        "one frame",
        (screen) => [...screen.matchAll(/· 1 executor/g)].length === 1 && prompt.test(screen),
      );
    }
    window.keys("C-c", "C-c");
    await window.sees(/ending what runs/);
    await window.sees(/^heddle, halted › *$/m);
    expect(window.painted).not.toMatch(/\u001b\[\d+m/);
  });

  it("L13 in plain lines a question is told once, events are lines, and the prompt comes back", async () => {
    const project = made({ planner: [json(asking), json(plan)] });
    await project.must("task", "new", "greet", "--target", "app");
    const window = new Window(project.root, { env: { TERM: "dumb" } });
    await window.sees(/^heddle>/m);
    window.type("/next");
    await window.sees(/2 {2}German/);
    window.type("2");
    await window.sees(/planning -> plan_review[\s\S]*\nheddle> *$/m);
    window.type("/quit");
    await window.over();
    expect(window.all.split("1  English")).toHaveLength(2);
    expect(window.painted).not.toMatch(/\u001b\[/);
    expect((await project.facts("question-answered")).map(({ answer }) => answer)).toEqual(["German"]);
  });
});
