// The prompt as a person uses it, in a real window (L13, C8, C10).
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cells } from "../../src/view/width.ts";
import { until } from "../e2e/rig.ts";
import { Execution, hasBox, survivors } from "../execute/rig.ts";
import { hasTmux, prompt, Window } from "./tmux.ts";

/** Each agent works until the test lets it finish. */
const slow = { "*": ["say('thinking'); gate(); good()"] };

async function project(tasks: number, turns = slow): Promise<Execution> {
  const made = await Execution.ready({ tasks, steel: [1] }, turns);
  made.config({ agent: "command:./agent.cjs", unconfined: !hasBox });
  return made;
}

const count = (text: string, what: RegExp) => [...text.matchAll(what)].length;

describe.skipIf(!hasTmux).concurrent("the prompt in a window (left out without `tmux`)", () => {
  it("L13 runs commands, completes them, remembers them, and answers plain words with the suggestion", async () => {
    const made = await project(3);
    const window = new Window(made.root);
    await window.sees(prompt);
    window.keys("-l", "/sta");
    window.keys("Tab");
    await window.sees(/^heddle › \/stat\n\s+\/status +show where the run stands\n\s+\/state /m);
    window.keys("-l", "us");
    window.keys("Enter");
    await window.sees(/3 pending/);
    window.keys("-l", "/why T002");
    window.keys("BSpace", "Tab");
    await window.sees(/T002 {2}pending: Build T002/);
    window.keys("-l", "3");
    window.keys("Enter");
    await window.sees(/T003 is pending\n.*ready\nhint: \/execute/);
    window.type("what now?");
    await window.sees(/ready -> executing: .*\nhint: commands begin with a slash/);
    window.type("/stauts");
    await window.sees(/`stauts` is not a heddle command\nhint: did you mean `\/status`\?/);
    window.keys("C-c");
    await window.over();
    expect(window.screen).toContain("nothing is lost");
    window.again(made.root);
    await window.sees(prompt);
    window.keys("Up", "Up");
    await window.sees(/^heddle › what now\?/m);
    window.keys("C-u");
    window.type("/quit");
    await window.over();
    expect(JSON.parse(readFileSync(made.path(".heddle/repl-history"), "utf8").split("\n")[0] ?? "")).toBe(
      "/status",
    );
  });

  it("L13 keeps 200 pasted lines together, and does nothing before Enter", async () => {
    const made = await project(1);
    const window = new Window(made.root);
    await window.sees(prompt);
    const lines = Array.from({ length: 200 }, (_, n) => `/halt line ${n + 1} 漢字`);
    window.paste(`${lines.join("\n")}`);
    await window.sees(/line 200 漢字/);
    expect(window.screen).toContain("↑189");
    expect((await made.status()).halt).toBeNull();
    window.keys("C-c");
    await window.sees(prompt);
    window.paste(`a text\nof ${"many ".repeat(2000)}words\n`);
    await window.sees(/words$/m);
    window.keys("Enter");
    await window.sees(/a text {2}… 1 more line/);
    await window.sees(/hint: \/plan - takes a specification that is pasted/);
    expect(await made.facts("halt-requested")).toEqual([]);
  });

  it("C10 one Ctrl-C halts and lets finish, while the prompt goes on working", async () => {
    const made = await project(3);
    const window = new Window(made.root);
    await window.sees(prompt);
    window.type("/execute --parallel 2");
    await window.sees(/● T002 .*working/);
    window.type("/why T003");
    await window.sees(/T003 is pending/);
    window.type("/execute");
    await window.sees(/`\/execute --parallel 2` is at work\nhint: \/halt stops it/);
    window.keys("C-c");
    await window.sees(/HALTED: Ctrl-C/);
    for (const name of ["T001-1", "T002-1"]) made.release(name);
    await window.sees(/report: /);
    await window.sees(/^heddle, halted › *$/m);
    const { tasks, halt, orchestrator } = await made.status();
    expect(tasks).toMatchObject({ complete: 2, pending: 1, running: 0 });
    expect(halt.reason).toBe("Ctrl-C");
    expect(orchestrator).toBeNull();
    made.agent({});
    window.type("/resume");
    await window.sees(prompt);
    window.type("/execute --batch");
    await window.sees(/landed: 3 files/);
    expect(made.merged().sort()).toEqual(["T001", "T002", "T003"]);
  });

  it("C10 a second Ctrl-C ends what runs, and leaves no process behind", async () => {
    const made = await project(2, { "*": ["hang()"] });
    const window = new Window(made.root);
    await window.sees(prompt);
    window.type("/execute --parallel 2");
    await window.sees(/● T002 .*working/);
    window.keys("C-c");
    await window.sees(/HALTED: Ctrl-C/);
    window.keys("C-c");
    await window.sees(/ending what runs[\s\S]*report: /);
    const halts = await made.facts("halt-requested");
    expect(halts.map(({ now }) => now)).toEqual([false, true]);
    window.type("/quit");
    await window.over();
    await until("no agent is left", () => survivors(made).length === 0);
  });

  it("C10 STOP halts, and /quit halts, waits and leaves", async () => {
    const made = await project(2);
    const window = new Window(made.root);
    await window.sees(prompt);
    window.type("STOP");
    await window.sees(/Halt requested: STOP was typed/);
    window.type("/resume");
    await window.sees(prompt);
    window.type("/execute --batch");
    await window.sees(/● T002 .*working/);
    window.type("/quit");
    await until("the halt", async () => (await made.status()).halt !== null);
    for (const name of ["T001-1", "T002-1"]) made.release(name);
    await window.over();
    const { tasks, halt, orchestrator } = await made.status();
    expect(tasks).toMatchObject({ complete: 2 });
    expect(halt.reason).toBe("Ctrl-C");
    expect(orchestrator).toBeNull();
  });

  it("C8 a question is answered in place, and what had stopped for it goes on", async () => {
    const made = await project(1);
    const asks = { id: "db", text: "Which database?", options: ["sqlite", "postgres"] };
    const files = { "src/T001.txt": "T001\n" };
    writeFileSync(
      made.path("script.json"),
      JSON.stringify({ "*": [{ asks }, { files, proposes: "success" }] }),
    );
    const window = new Window(made.root);
    await window.sees(prompt);
    window.type("/execute T001 --agent scripted:script.json");
    await window.sees(
      /\? T001-1-db: T001 asks: Which database\?\n {2}1 {2}sqlite\n {2}2 {2}postgres\nT001-1-db › *$/m,
    );
    window.keys("-l", "po");
    window.keys("Tab");
    await window.sees(/T001-1-db › postgres/);
    window.keys("Enter");
    await window.sees(/going on: \/execute T001/);
    await window.sees(/landed: 1 file changed/);
    expect((await made.facts("question-answered")).map(({ answer }) => answer)).toEqual(["postgres"]);
    expect(readFileSync(made.path(".heddle/repl-history"), "utf8")).not.toContain("postgres");
  });

  it("G1 killed in the middle it comes back, asks about what was left behind, and goes on", async () => {
    const made = await project(2);
    const window = new Window(made.root);
    await window.sees(prompt);
    window.type("/execute --batch");
    await window.sees(/● T002 .*working/);
    process.kill(window.pid, "SIGKILL");
    await window.over();
    await until("no agent is left", () => survivors(made).length === 0);
    made.agent({});
    window.again(made.root);
    await window.sees(prompt);
    window.type("/execute --batch");
    await window.sees(/\? What becomes of them\?\n {2}1 {2}retry/);
    window.type("/why T001");
    await window.sees(/T001 is running/);
    window.type("nonsense");
    await window.sees(/`nonsense` is not one of the answers: 1 retry, 2 skip, 3 abort/);
    window.type("1");
    await window.sees(/landed: 2 files/);
    expect(made.merged().sort()).toEqual(["T001", "T002"]);
  });

  it("X18 fits 40 columns, follows a resize, and keeps one frame", async () => {
    const made = await project(3);
    const window = new Window(made.root, { columns: 40, rows: 24, env: { NO_COLOR: "1" } });
    await window.sees(prompt);
    window.type("/execute --parallel 3");
    await window.sees(/● T003 .*working/);
    window.keys("-l", "漢字 wide, and more than a line of forty");
    await window.sees(/heddle › 漢字 wide, and more than a lin\n {9}e of forty/);
    window.type("");
    await window.sees(prompt);
    expect(Math.max(...window.screen.split("\n").map(cells))).toBeLessThanOrEqual(40);
    window.resize(80, 30);
    await window.is("one wide table", (screen) => count(screen, /NAME .*LAST/g) === 1 && prompt.test(screen));
    expect(count(window.screen, /executing · 3 executors/g)).toBe(1);
    window.keys("-l", "typed meanwhile");
    for (const name of ["T001-1", "T002-1", "T003-1"]) made.release(name);
    await window.sees(/landed: 3 files/);
    await window.sees(/^heddle › typed meanwhile$/m);
    expect(count(window.all, /── \/execute/g)).toBe(1);
    expect(window.painted).not.toMatch(/\u001b\[\d+m/);
  });
});
