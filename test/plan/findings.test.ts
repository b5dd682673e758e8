// What was found in an existing project, before it becomes something that tasks are held to (D26).
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Planning } from "./rig.ts";
import { hasScript, keys, Terminal } from "./terminal.ts";

it("D26 runs each command once on a copy of the base, and takes a person's lines from the file", async () => {
  const project = new Planning({ "logic-architect": ["process.exit(1)"] });
  project.config({ attempts: 1 });
  const scripts = {
    test: "node -e \"require('node:fs').writeFileSync('left.txt', '')\"",
    lint: "node -e 'process.exit(3)'",
    format: "node -e 0 --write",
    types: "no-such-program",
  };
  project.write("app/package.json", JSON.stringify({ name: "old", scripts }));
  project.write("project-planning/inputs/findings.txt", "build: node -e 0\n");
  await project.heddle(
    ...["plan", "spec.md", "--target", "app", "--existing", "--yes"],
    ...["--agent", "command:./agent.cjs", "--unconfined"],
  );
  const { commands } = JSON.parse(project.text("project-planning/artifacts/project-context.json"));
  const seen = Object.fromEntries(
    commands.map(({ purpose, on_base }: { purpose: string; on_base?: string }) => [purpose, on_base]),
  );
  expect(seen).toEqual({ test: "green", lint: "red", format: undefined, types: undefined, build: "green" });
  expect(project.has("app/left.txt")).toBe(false);
});

it("D26 X24 sets the base up before its commands run, and remembers a person's set-up in the configuration", async () => {
  const project = new Planning({ "logic-architect": ["process.exit(1)"] });
  project.config({ attempts: 1 });
  const scripts = { test: "node -e \"require('node:fs').readFileSync('fetched.txt')\"" };
  project.write("app/package.json", JSON.stringify({ name: "old", scripts }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: join(project.root, "app") });
  git("init", "--quiet");
  git("add", "--all");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "Begin");
  project.write("project-planning/inputs/findings.txt", "set-up: echo fetched > fetched.txt\n");
  const ran = await project.heddle(
    ...["plan", "spec.md", "--target", "app", "--existing", "--yes"],
    ...["--agent", "command:./agent.cjs", "--unconfined"],
  );
  expect(ran.out + ran.err).toContain("remembered as `setup` in .heddle/config.json");
  expect(JSON.parse(project.text(".heddle/config.json"))).toEqual({
    attempts: 1,
    setup: ["echo fetched > fetched.txt"],
  });
  const { commands } = JSON.parse(project.text("project-planning/artifacts/project-context.json"));
  expect(commands).toMatchObject([{ run: "npm test", on_base: "green" }]);
  expect(project.has("app/fetched.txt")).toBe(false);
});

it.skipIf(!hasScript)(
  "D26 has findings corrected line by line, by keys (left out without `script`)",
  async () => {
    const project = new Planning({ "logic-architect": ["process.exit(1)"] });
    project.config({ attempts: 1, agent: "command:./agent.cjs" });
    const scripts = { test: "node -e 0", build: "node -e 0", lint: "node -e 'process.exit(3)'" };
    project.write("app/package.json", JSON.stringify({ name: "old", scripts }));
    const given = ["plan", "spec.md", "--target", "app", "--existing", "--unconfined"];
    const terminal = new Terminal(project.root, given);
    const [asked, line] = [/Plan with these findings/, /Which line should read otherwise/];
    const correct = async (typed: string) => {
      await terminal.answer(asked, "n");
      await terminal.answer(line, typed, keys.enter);
    };
    await correct("colour: red");
    await terminal.answer(/not understood: colour: red/);
    await correct("lint: -");
    await correct("tested with: tap");
    await terminal.answer(/tested with {3}tap/);
    await terminal.answer(asked, "y");
    expect(await terminal.over(), terminal.text).toBe(1);
    const { commands, notes, ...context } = project.bundle("logic-architect-1").project_context;
    expect(terminal.text).toMatch(/npm test: red \(.*no test.*1\.out\)/s);
    expect(commands).toMatchObject([
      { run: "npm test", on_base: "red" },
      { run: "npm run build", on_base: "green" },
    ]);
    expect(context.test_framework).toBe("tap");
    expect(notes).toContain("a person says: tested with: tap");
  },
);

it.skipIf(!hasScript)(
  "D26 an empty line at a correction ends it, and leaves nothing behind (left out without `script`)",
  async () => {
    const project = new Planning();
    project.write("app/package.json", "{}");
    const given = ["plan", "spec.md", "--target", "app", "--existing", ...["--agent", "command:./agent.cjs"]];
    const terminal = new Terminal(project.root, given);
    await terminal.answer(/Plan with these findings/, "n");
    await terminal.answer(/Which line should read otherwise/, keys.enter);
    expect(await terminal.over(), terminal.text).toBe(64);
    expect(terminal.text).toContain("project-planning/inputs/findings.txt");
    expect(project.has("project-planning")).toBe(false);
  },
);
