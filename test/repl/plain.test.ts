// Plain mode, and where there is no terminal: lines only, never a movement of the cursor (L13, C10, C14).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { heddle } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";
import { hasScript, keys, Terminal } from "../plan/terminal.ts";

const { enter, interrupt, end } = keys;

async function project(tasks: number, turn = "good()"): Promise<Execution> {
  const made = await Execution.ready({ tasks, steel: [1] }, { "*": [turn] });
  made.config({ agent: "command:./agent.cjs", unconfined: !hasBox });
  return made;
}

/** No escape sequence, and nothing drawn over what was there. */
const isPlain = (raw: string) => !/\u001b|\r(?!\n)|\u0008/.test(raw);

describe.skipIf(!hasScript).concurrent("plain mode (left out without `script`)", () => {
  it("L13 a line per event, commands while something runs, and Ctrl-C halts", async () => {
    const made = await project(3, "gate(); good()");
    const terminal = new Terminal(made.root, [], { HEDDLE_PLAIN: "1" });
    await terminal.answer(/heddle> /, "/execute --parallel 2", enter);
    await terminal.answer(/T002 begins: Build T002/, "/why T003", enter);
    await terminal.answer(/T003 is pending/, interrupt);
    await terminal.answer(/halting: what runs may finish/);
    for (const name of ["T001-1", "T002-1"]) made.release(name);
    await terminal.answer(/T001 done: verified and merged/);
    await terminal.answer(/report: /, "/resume", enter);
    await terminal.answer(/Execution resumed/, "/quit", enter);
    expect(await terminal.over(), terminal.text).toBe(0);
    expect(isPlain(terminal.raw)).toBe(true);
    expect((await made.status()).tasks).toMatchObject({ complete: 2, pending: 1 });
  });

  it("L13 asks in lines, one after the other, and takes the answers in place", async () => {
    const made = await project(2);
    const terminal = new Terminal(made.root, ["--plain"]);
    await terminal.answer(/heddle> /, "/execute", enter);
    await terminal.answer(/\? Go on with T002\? \(y, n, or a task id\) \(Enter: y\)/, "n", enter);
    await terminal.answer(/1 pending · 1 complete/, "/undo T001", enter);
    await terminal.answer(/\? Take back what T001 changed\? \[yes \| no\]/, "maybe", enter);
    await terminal.answer(/`maybe` is not one of the answers: 1 yes, 2 no/, "no", enter);
    await terminal.answer(/nothing was changed/, end);
    expect(await terminal.over(), terminal.text).toBe(0);
    expect(isPlain(terminal.raw)).toBe(true);
  });

  it("L13 a dumb terminal gets it by itself; the same flag and questions work for one command", async () => {
    const made = await project(1);
    const dumb = new Terminal(made.root, [], { TERM: "dumb" });
    await dumb.answer(/heddle> /, "/tasks", enter);
    await dumb.answer(/T001 {2}pending {3}Build T001/, end);
    expect(await dumb.over()).toBe(0);
    const once = new Terminal(made.root, ["execute", "--plain"]);
    await once.answer(/T001 begins: Build T001/);
    expect(await once.over(), once.text).toBe(0);
    const undo = new Terminal(made.root, ["undo", "T001", "--plain"]);
    await undo.answer(/Take back what T001 changed/, "2", enter);
    expect(await undo.over(), undo.text).toBe(1);
    for (const each of [dumb, once, undo]) expect(isPlain(each.raw)).toBe(true);
  });

  it("L13 a pasted specification of many lines ends with a dot", async () => {
    const made = new Execution();
    const terminal = new Terminal(made.root, ["--plain"]);
    await terminal.answer(/\/run "<task>" or \/plan spec\.md begins/);
    await terminal.answer(
      /heddle> /,
      `/plan - --target app --new --stack Node --agent command:./none${hasBox ? "" : " --unconfined"}`,
      enter,
    );
    await terminal.answer(
      /a line with a single `\.` ends it/,
      "# Notes",
      enter,
      "/quit is no command here",
      enter,
    );
    await terminal.answer(/no command here/, ".", enter);
    await terminal.answer(/to continue: \/doctor, then: \/plan/, end);
    await terminal.over();
    expect(readFileSync(made.path("project-planning/inputs/spec.md"), "utf8")).toBe(
      "# Notes\n/quit is no command here",
    );
  });
});

describe("without a terminal", () => {
  it("C14 heddle alone prints its help and ends", async () => {
    const { code, out } = await heddle([]);
    expect(code).toBe(0);
    expect(out).toContain("heddle help COMMAND says more");
    expect(out).toContain("a prompt with all of them");
    expect((await heddle(["--plain"])).out).toBe(out);
  });
});

describe("flags before the command", () => {
  it("C14 those that every command has may stand there; any other is named with where it belongs", async () => {
    const made = await project(1);
    const { out } = await made.must("status", "--json");
    expect((await heddle(["--json", "--dir", made.root, "status"])).out).toBe(out);
    expect((await heddle([`--dir=${made.root}`, "--format", "json", "status"])).out).toBe(out);
    const wrong = await heddle(["--all", "status"]);
    expect([wrong.code, wrong.err]).toEqual([
      64,
      "error: `--all` cannot stand before the command\nhint: heddle status --all\n",
    ]);
    expect((await heddle(["--dir", made.root, "stauts"])).err).toContain("did you mean `heddle status`?");
  });
});

describe("C15 tasks and history", () => {
  it("lists tasks by status, and only the newest facts", async () => {
    const made = await project(3);
    expect((await made.must("tasks")).out).toBe(
      ["T001", "T002", "T003"].map((id) => `${id}  pending   Build ${id}\n`).join(""),
    );
    expect((await made.must("tasks", "--status", "failed")).out).toBe("no task is failed\n");
    expect((await made.json("tasks"))[0]).toMatchObject({ id: "T001", status: "pending", attempts: 0 });
    const all = await made.json("history");
    expect(await made.json("history", "--last", "2")).toEqual(all.slice(-2));
    expect((await made.heddle("history", "--last", "0")).code).toBe(64);
  });
});
