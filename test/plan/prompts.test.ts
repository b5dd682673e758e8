// `heddle plan` on a real terminal: it asks for what it could not find, once each, and Ctrl-C at any question leaves
// nothing behind (D2, D3, D5). Without a terminal it never waits.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { start } from "../e2e/rig.ts";
import { Planning } from "./rig.ts";
import { hasScript, keys, Terminal } from "./terminal.ts";

const { enter, down, interrupt, end, clear } = keys;

const questions = {
  target: /Where is the code written to/,
  spec: /Which specification/,
  path: /Its path/,
  paste: /Paste the specification/,
  kind: /has files\. What is it/,
  stack: /Which tech stack/,
  findings: /Plan with these findings/,
  agents: /Which agent works/,
  program: /Which program is the agent/,
};

const on = (project: Planning, ...args: readonly string[]) =>
  new Terminal(project.root, ["plan", "--unconfined", ...args]);

describe.skipIf(!hasScript).concurrent("on a terminal (left out without `script`)", () => {
  it("D3 asks for the target, the specification, the stack and the agent, and plans", async () => {
    const project = new Planning();
    const terminal = on(project);
    await terminal.answer(questions.target, clear, "./app", enter);
    await terminal.answer(questions.spec, enter);
    await terminal.answer(questions.stack, "Node.js, nothing else", enter);
    await terminal.answer(questions.program, clear, "./agent.cjs", enter);
    expect(await terminal.over(), terminal.text).toBe(0);
    expect(terminal.text).toContain("10 tasks in 4 phases");
    expect(project.bundle("logic-architect-1").constraints).toEqual({ tech_stack: "Node.js, nothing else" });
    expect(project.text("project-planning/inputs/spec.md")).toBe(project.text("spec.md"));
  });

  it("D3 asks nothing that flags say, and nothing twice", async () => {
    const project = new Planning();
    const given = [
      "spec.md",
      "--target",
      "app",
      "--new",
      "--stack",
      "Node",
      "--agent",
      "command:./agent.cjs",
    ];
    const first = on(project, ...given);
    expect(await first.over(), first.text).toBe(0);
    const again = on(project);
    expect(await again.over(), again.text).toBe(0);
    for (const question of Object.values(questions)) expect(first.text + again.text).not.toMatch(question);
  });

  it("D3 an empty answer about the stack leaves it to the agents, and is not asked for again", async () => {
    const project = new Planning({ "logic-architect": ["process.exit(1)"] });
    project.config({ attempts: 1, agent: "command:./agent.cjs" });
    const terminal = on(project, "spec.md", "--target", "app");
    await terminal.answer(questions.stack, enter);
    expect(await terminal.over()).toBe(1);
    project.agent({});
    const again = on(project);
    expect(await again.over(), again.text).toBe(0);
    expect(again.text).not.toMatch(questions.stack);
    expect(project.bundle("logic-architect-2").constraints).toEqual({ tech_stack: null });
  });

  it("D3 takes another file by its path, and asks again when there is none", async () => {
    const project = new Planning();
    project.config({ agent: "command:./agent.cjs" });
    project.write("hidden/wish.org", project.text("spec.md"));
    const terminal = on(project, "--target", "app", "--stack", "Node");
    await terminal.answer(questions.spec, down, enter);
    await terminal.answer(questions.path, "nowhere.md", enter);
    await terminal.answer(/does not exist/, clear, "hidden/wish.org", enter);
    expect(await terminal.over(), terminal.text).toBe(0);
    expect(project.text("project-planning/inputs/spec.md")).toBe(project.text("spec.md"));
  });

  it("D3 takes a pasted specification, long lines and all", async () => {
    const project = new Planning({ "logic-architect": ["process.exit(1)"] });
    project.config({ attempts: 1, agent: "command:./agent.cjs" });
    const pasted = `# Mine\n\n- REQ-1: ${"a long line ".repeat(1000)}\n- REQ-2: ünïcode\n`;
    const terminal = on(project, "--target", "app", "--stack", "Node");
    await terminal.answer(questions.spec, down, down, enter);
    await terminal.answer(questions.paste, pasted.replaceAll("\n", "\r"), end);
    expect(await terminal.over()).toBe(1);
    expect(project.text("project-planning/inputs/spec.md")).toBe(pasted);
  });

  it("D3 D5 asks whether a target with files is built on, shows what was found, and has it confirmed", async () => {
    const project = new Planning({ "logic-architect": ["process.exit(1)"] });
    project.config({ attempts: 1, agent: "command:./agent.cjs" });
    project.write("app/package.json", '{ "name": "old", "scripts": { "test": "node --test" } }');
    const terminal = on(project, "spec.md", "--target", "app");
    await terminal.answer(questions.kind, enter);
    await terminal.answer(questions.findings, enter);
    expect(await terminal.over(), terminal.text).toBe(1);
    expect(terminal.text).toContain("npm test");
    expect(terminal.text).not.toMatch(questions.stack);
    expect(project.bundle("logic-architect-1")).toMatchObject({ project_type: "existing" });
  });

  it("D3 a target with files may still be a new project", async () => {
    const project = new Planning({ "logic-architect": ["process.exit(1)"] });
    project.config({ attempts: 1, agent: "command:./agent.cjs" });
    project.write("app/LICENSE", "MIT");
    const terminal = on(project, "spec.md", "--target", "app", "--stack", "Node");
    await terminal.answer(questions.kind, down, enter);
    expect(await terminal.over(), terminal.text).toBe(1);
    expect(project.bundle("logic-architect-1")).toMatchObject({ project_type: "new", project_context: null });
  });

  it("D3 offers the agents of the configuration", async () => {
    const project = new Planning();
    project.config({ agents: { bad: { command: ["false"] }, mine: { command: ["./agent.cjs"] } } });
    const terminal = on(project, "spec.md", "--target", "app", "--stack", "Node");
    await terminal.answer(questions.agents, down, enter);
    expect(await terminal.over(), terminal.text).toBe(0);
  });

  it("C15 asks nothing with --json", async () => {
    const project = new Planning();
    const terminal = on(project, "--json");
    expect(await terminal.over()).toBe(64);
    expect(terminal.text).toContain("--target");
  });

  it("C8 asks a role's question at once, and goes on with the answer", async () => {
    const project = new Planning({
      "logic-architect": [
        "bundle.answers.length > 0 ? good() : say({ type: 'question', id: 'q', text: 'Which colour?', options: ['red', 'blue'] })",
      ],
    });
    const terminal = on(project, "spec.md", "--target", "app", "--new", "--stack", "Node", ...agent);
    await terminal.answer(/◆ +logic-architect of plan-1 asks: Which colour\?/, "2", enter);
    expect(await terminal.over(), terminal.text).toBe(0);
    expect(project.bundle("logic-architect-2").answers).toEqual([
      { question: "Which colour?", answer: "blue" },
    ]);
  });
});

const agent = ["--agent", "command:./agent.cjs"];

describe.concurrent("without a terminal", () => {
  it.each([
    ["the target", ["plan", "spec.md", ...agent], "--target"],
    ["the specification", ["plan", "--target", "app", ...agent], "heddle plan spec.md"],
    ["the findings", ["plan", "spec.md", "--target", "old", ...agent], "--yes"],
    ["the agent", ["plan", "spec.md", "--target", "app"], "--agent"],
  ])(
    "D3 never waits for %s, though standard input stays open: it says what to type",
    async (_, args, hint) => {
      const project = new Planning();
      project.write("old/package.json", "{}");
      const child = start([...args, "--unconfined"], { cwd: project.root });
      let said = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      const [code] = await once(child, "close");
      expect([1, 64]).toContain(code);
      expect(said).toContain(hint);
      expect(project.attempts()).toEqual([]);
    },
  );
});

describe.skipIf(!hasScript).concurrent("Ctrl-C at a question (left out without `script`)", () => {
  type Step = readonly [RegExp, ...string[]];
  const moments: readonly (readonly [string, readonly string[], readonly Step[]])[] = [
    ["the target", [], [[questions.target, interrupt]]],
    ["the specification", ["--target", "app"], [[questions.spec, interrupt]]],
    [
      "its path",
      ["--target", "app"],
      [
        [questions.spec, down, enter],
        [questions.path, interrupt],
      ],
    ],
    [
      "the paste",
      ["--target", "app"],
      [
        [questions.spec, down, down, enter],
        [questions.paste, "# A\r", interrupt],
      ],
    ],
    ["new or existing", ["spec.md", "--target", "old"], [[questions.kind, interrupt]]],
    ["the findings", ["spec.md", "--target", "old", "--existing"], [[questions.findings, interrupt]]],
    ["the stack", ["spec.md", "--target", "app"], [[questions.stack, interrupt]]],
    ["the agent", ["spec.md", "--target", "app", "--stack", "x"], [[questions.program, interrupt]]],
  ];

  it.each(moments)("D3 C10 about %s: exit 130, and nothing is written", async (_, args, steps) => {
    const project = new Planning();
    project.write("old/package.json", "{}");
    const before = readdirSync(project.root);
    const terminal = on(project, ...args);
    for (const [question, ...typed] of steps) await terminal.answer(question, ...typed);
    expect(await terminal.over(), terminal.text).toBe(130);
    expect(terminal.text).toContain("nothing was changed");
    expect(readdirSync(project.root)).toEqual(before);
  });
});
