// The base is looked at before anybody is paid (X23): real projects, real commands, and agents that leave a trace when they
// are started.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, type Project, start } from "../e2e/rig.ts";
import { Execution, hasBox, survivors } from "./rig.ts";

const looking = { checks: { baseline: true } };

const judgedBy =
  (...commands: readonly string[]) =>
  () => ({
    acceptance_criteria: [
      { criterion: "its file is there", verification: 'test "$(cat src/T001.txt)" = T001' },
      ...commands.map((verification) => ({ criterion: verification, verification })),
    ],
  });

async function project(commands: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const made = await Execution.ready({ tasks: 1, more: judgedBy(...commands) });
  made.config(looking);
  for (const [path, text] of Object.entries(files)) made.write(`app/${path}`, text);
  made.git("add", ".");
  made.git(
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@example.org",
    "commit",
    "-qm",
    "Mine",
    "--allow-empty",
  );
  return made;
}

/** A suite of the project's own: one test passes, one is red from the beginning. */
const redSuite = {
  "package.json": JSON.stringify({ name: "app", scripts: { test: "node suite.js" } }),
  "suite.js":
    'const broken = require("node:fs").existsSync("src/broke.txt");\nconsole.log("TAP version 13\\n1..2\\nnot ok 1 - was red");\nconsole.log((broken ? "not ok" : "ok") + " 2 - was green");\nprocess.exit(1);\n',
};

const statusOf = async (of: Project) => JSON.parse((await of.must("status", "--json")).out);

describe.runIf(hasBox)("the base (left out without bubblewrap)", () => {
  it("X23 charges no task with what was red before, and says so everywhere", async () => {
    const made = await project(["npm test"], redSuite);
    const ran = await made.execute();
    expect(ran.err + ran.out).toContain("red before the work began: `npm test`");
    expect(ran.code).toBe(0);
    const { baseline, tasks } = await statusOf(made);
    expect(tasks.complete).toBe(1);
    expect(baseline.checks).toContainEqual(
      expect.objectContaining({ command: "npm test", own: true, result: "red" }),
    );
    expect((await made.must("why", "T001")).out).toContain("`npm test` was red before, and still is");
    const bundle = JSON.parse(readFileSync(made.attempt("T001-1", "bundle.json"), "utf8"));
    expect(bundle.baseline.red_before[0]).toMatchObject({ command: "npm test", exit: 1 });
    expect(bundle.baseline.red_before[0].output).toContain("not ok 1 - was red");
    const report = readFileSync(made.path("project-planning/reports/execution-report.md"), "utf8");
    expect(report).toContain("red before");
  });

  it("X23 pays nobody where nothing but a suite that is red already checks a task", async () => {
    const made = await Execution.ready({
      tasks: 1,
      more: () => ({ acceptance_criteria: [{ criterion: "the tests pass", verification: "npm test" }] }),
    });
    made.config(looking);
    for (const [path, text] of Object.entries(redSuite)) made.write(`app/${path}`, text);
    made.git("add", ".");
    made.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Mine");
    const ran = await made.execute();
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      "`npm test` already fails before any work begins, and nothing else checks T001",
    );
    expect(await made.facts("task-started")).toEqual([]);
    await made.execute("--skip-baseline", "it is to make them green");
    expect((await made.facts("task-started")).length).toBeGreaterThan(0);
  });

  it("X23 charges a task with a test that fails newly in a suite that was red before", async () => {
    const made = await project(["npm test"], redSuite);
    made.agent({ "*": ['put("src/broke.txt", "x"); good()'] });
    made.config({ ...looking, attempts: 1, scope: "any" });
    const ran = await made.execute();
    expect(ran.code).toBe(1);
    expect((await made.heddle("why", "T001")).out).toContain("fails newly: was green");
  });

  it("X23 marks what is green before the work as proving nothing", async () => {
    const made = await project(["test -f README.md"]);
    expect((await made.execute()).out).toContain("so it proves nothing: `test -f README.md`");
    expect((await made.must("why", "T001")).out).toContain("`test -f README.md` was green before the work");
    const [recorded] = await made.facts("checks-recorded");
    const checks = recorded?.checks as { command: string; before?: string }[];
    expect(checks.map(({ before }) => before)).toEqual(["red", "green"]);
  });

  it("X23 stops before anybody is paid where a command cannot run, and goes on with a reason", async () => {
    const made = await project(["no-such-program --check"]);
    made.config({ ...looking, attempts: 1 });
    const ran = await made.execute();
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("`no-such-program --check` cannot run: there is no program `no-such-program`");
    expect(await made.facts("task-started")).toEqual([]);
    const again = await made.execute();
    expect(again.out).toContain("cannot run");
    expect(await made.facts("baseline-checked")).toHaveLength(2);
    await made.must("resume", "--skip-baseline", "CI has it");
    expect((await made.execute()).out).toContain("no-such-program");
    expect(await made.facts("task-started")).not.toEqual([]);
    const overrides = await made.facts("overridden");
    expect(overrides).toContainEqual(
      expect.objectContaining({ reason: "CI has it", policy: { baseline: false } }),
    );
  });

  it("X23 stops where the project cannot be set up", async () => {
    const made = await project([]);
    made.config({ ...looking, setup: ["echo no network here >&2; false"] });
    const ran = await made.execute();
    expect(ran.out).toContain("the base cannot be set up");
    expect(ran.out).toContain("no network here");
    expect(ran.out).toMatch(/to continue: fix it, then: heddle execute$/m);
    expect(await made.facts("task-started")).toEqual([]);
  });

  it("X24 installs what a manifest without a lock file lists, and writes no lock file", async () => {
    const made = await project(["node -e \"require('dep')\"", "test ! -e package-lock.json"], {
      "package.json": JSON.stringify({ name: "app", dependencies: { dep: "file:./dep" } }),
      "dep/package.json": JSON.stringify({ name: "dep", version: "1.0.0" }),
      "dep/index.js": "module.exports = 1;\n",
    });
    const ran = await made.execute();
    expect(ran.code, ran.err + ran.out).toBe(0);
  });

  it("X23 looks once, also after a kill -9 in the middle of it", async () => {
    const made = await project(["sleep 1; test -e nothing || test -e src/T001.txt"]);
    const killed = start([...made.words, "--batch"], { cwd: made.root });
    const gone = ended(killed);
    while (!existsSync(made.attempt("baseline-1", "checks"))) await new Promise((r) => setTimeout(r, 20));
    killed.kill("SIGKILL");
    await gone;
    expect((await made.execute()).code).toBe(0);
    expect(await made.facts("baseline-checked")).toHaveLength(1);
    expect(survivors(made)).toEqual([]);
  });
});
