// Set-up, scope, the disk and the person's own surroundings: what a workspace has and what it must not have.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { chain } from "../e2e/plan-files.ts";
import { ended, folder, start } from "../e2e/rig.ts";
import { hasBox, whereIs } from "../needs.ts";
import { Execution, heddleIn } from "./rig.ts";

/** Leaves a folder beside the project's files, with a number of its own. */
const setup = ['mkdir -p deps/lib && echo "made $(date +%s%N)" > deps/stamp && echo x > deps/lib/x'];

describe("set-up", () => {
  it("X22 runs once per digest of what it reads, is in every workspace and clean room, and counts as no task's work", async () => {
    const more = (n: number) => ({
      acceptance_criteria: [
        { criterion: "the file", verification: `test -f src/T00${n}.txt` },
        { criterion: "its dependencies are there", verification: "test -f deps/lib/x" },
      ],
    });
    const project = await Execution.ready(
      { tasks: 3, after: chain, more },
      { "*": ['if (!fs.existsSync("deps/stamp")) throw 1; good()'] },
    );
    project.config({ setup, setupReads: [] });
    expect((await project.execute()).code).toBe(0);
    expect(readdirSync(heddleIn(project, "setup"))).toHaveLength(1);
    expect(project.git("ls-tree", "-r", "--name-only", "heddle/plan-1")).not.toContain("deps");
    expect(project.merged()).toEqual(["T001", "T002", "T003"]);
  });

  it("X22 a task that changes a lock file has it run again", async () => {
    const more = (n: number) => ({
      ...(n === 1 && {
        files: [
          { path: "src/T001.txt", action: "create", layer: "domain", purpose: "its part" },
          { path: "requirements.txt", action: "create", layer: "infra", purpose: "dependencies" },
        ],
      }),
    });
    const project = await Execution.ready({ tasks: 2, after: chain, more });
    project.config({ setup, setupReads: [] });
    expect((await project.execute()).code).toBe(0);
    expect(readdirSync(heddleIn(project, "setup"))).toHaveLength(2);
  });

  it("X22 a set-up that fails halts the run with its error and its log, and costs no attempt", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.config({ setup: ["echo no such registry >&2; exit 3"], attempts: 1 });
    const ran = await project.execute();
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("exited with code 3: no such registry (whole log: ");
    expect(ran.out).toContain("to continue: heddle doctor, then: heddle execute");
    expect(await project.facts("task-failed")).toEqual([]);
    const [, log = ""] = /whole log: (\S+\.log)\)/.exec(ran.out) ?? [];
    expect(readFileSync(heddleIn(project, "setup", basename(log)), "utf8")).toContain("no such registry");
    project.config({ setup: [], attempts: 1 });
    expect((await project.execute()).code).toBe(0);
  });

  it("X22 acceptance commands have no network, agents' own environment and credentials do not reach them", async () => {
    const more = () => ({
      acceptance_criteria: [
        {
          criterion: "alone",
          verification:
            'test -z "$CANARY_KEY" && ! (exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && test -f src/T001.txt',
        },
      ],
    });
    const project = await Execution.ready({ tasks: 1, more });
    const child = start([...project.words, "--batch"], { cwd: project.root, env: { CANARY_KEY: "secret" } });
    expect((await ended(child)).code).toBe(0);
  });

  it("X6 each attempt has a home, a temporary folder and a port of its own", async () => {
    const say =
      "say(JSON.stringify([process.env.HOME, process.env.HEDDLE_WORKSPACE, process.env.HEDDLE_PORT])); good()";
    const project = await Execution.ready({ tasks: 2 }, { "*": [say] });
    expect((await project.execute("--parallel", "2")).code).toBe(0);
    const [one, two] = ["T001-1", "T002-1"].map((name) =>
      JSON.parse(readFileSync(project.attempt(name, "stdout.log"), "utf8").trim()),
    );
    for (const at of [0, 1, 2]) expect(one[at]).not.toBe(two[at]);
    expect(Number(one[2])).toBeGreaterThan(1024);
  });

  it("X11 strict scope refuses new files as well, and `any` nothing", async () => {
    const turns = { T001: ['put("extra.txt", "x"); good()'] };
    const strict = await Execution.ready({ tasks: 1 }, turns);
    strict.config({ scope: "strict", attempts: 1 });
    expect((await strict.execute()).out).toContain("extra.txt (added)");
    const any = await Execution.ready({ tasks: 1 }, { T001: ['put("README.md", "mine"); good()'] });
    any.config({ scope: "any" });
    expect((await any.execute()).code).toBe(0);
    expect(any.show("README.md")).toBe("mine");
  });
});

describe("what may be in the way", () => {
  it("a left-over index.lock, a checked-out branch of heddle's, hooks of the person's: nothing is lost, nothing runs", async () => {
    const project = await Execution.ready({ tasks: 2, after: chain });
    writeFileSync(project.path("app/.git/index.lock"), "");
    mkdirSync(project.path("app/.git/hooks"), { recursive: true });
    for (const hook of ["reference-transaction", "post-merge", "post-checkout"]) {
      writeFileSync(project.path("app/.git/hooks", hook), `#!/bin/sh\ntouch ${project.path("hooked")}\n`);
      chmodSync(project.path("app/.git/hooks", hook), 0o755);
    }
    const ran = await project.execute();
    expect(project.merged()).toEqual(["T001", "T002"]);
    expect(ran.out).toMatch(/not landed: .*index\.lock/);
    expect(existsSync(project.path("hooked"))).toBe(false);
  });

  it("no agent is named, no such agent, the plan is not ready: one sentence and what to type", async () => {
    const project = await Execution.ready({ tasks: 1 });
    const none = await project.heddle("execute", "--batch");
    expect(none.code).toBe(1);
    expect(none.err).toMatch(/no agent is named.*\n.*hint: .*--agent/s);
    const box = hasBox ? [] : ["--unconfined"];
    const missing = await project.heddle("execute", "--batch", "--agent", "command:./nobody", ...box);
    expect(missing.code).toBe(1);
    expect(missing.out + missing.err).toContain("nobody");
    const many = await project.heddle("execute", "--parallel", "65", ...box);
    expect([many.code, many.err]).toEqual([1, expect.stringContaining("64 at most")]);
  });

  it("X3 without bubblewrap it refuses, unless the person chose otherwise, and then every view says so", async () => {
    const project = await Execution.ready({ tasks: 1 });
    // Not in the project: programs that lie there are never taken.
    const bin = folder("heddle-bin-");
    for (const name of ["git", "sh", "node", "env", "mkfifo", "cp", "cat", "test"]) {
      const real = whereIs(name);
      if (real) execFileSync("ln", ["-s", real, `${bin}/${name}`]);
    }
    const words = ["execute", "--batch", "--agent", "command:./agent.cjs"];
    const without = { cwd: project.root, env: { PATH: bin } };
    const refused = await ended(start(words, without));
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/bubblewrap.*is not installed.*\n.*hint: .*--unconfined/s);
    const chosen = await ended(start([...words, "--unconfined"], without));
    expect(chosen.code).toBe(0);
    expect(chosen.out).toMatch(/unconfined/i);
    expect((await project.must("status")).out).toMatch(/unconfined/i);
    expect(readFileSync(project.path("project-planning/reports/execution-report.md"), "utf8")).toMatch(
      /unconfined/i,
    );
  });
});
