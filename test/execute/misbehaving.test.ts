// Agents as bad as they come (facts/reliability.md): each is caught, and nothing of it reaches the branch or the host.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { Execution, hasBox, survivors } from "./rig.ts";

/** One task, and what its first attempt does; the second is good. */
async function tried(turn: string, more: { config?: object; tasks?: number } = {}) {
  const project = await Execution.ready({ tasks: more.tasks ?? 1 }, { T001: [turn, "good()"] });
  if (more.config) project.config(more.config);
  const ran = await project.execute();
  const failures = await project.facts("attempt-failed");
  return { project, ran, failures };
}

/** Whatever it did, the second attempt's work is on the branch, once, and nothing else. */
function expectClean(project: Execution): void {
  expect(project.merged()).toEqual(["T001"]);
  expect(project.git("ls-tree", "-r", "--name-only", "heddle/plan-1")).toBe(
    "README.md\nsrc/T001.txt\ntest/existing.test.js\n",
  );
  expect(survivors(project)).toEqual([]);
}

describe("an agent that misbehaves", () => {
  it("X8 reports success without doing anything", async () => {
    const { project, failures } = await tried("propose()");
    expect(failures).toMatchObject([
      { category: "validation", error: expect.stringContaining("no file changed") },
    ]);
    expectClean(project);
  });

  it("X8 says that it is done and leaves no result", async () => {
    const { project, failures } = await tried('write(); say("T001: SUCCESS")');
    expect(failures).toMatchObject([
      { category: "validation", error: expect.stringContaining("without proposing") },
    ]);
    expectClean(project);
  });

  it("X8 a result after which it crashes counts for what it is", async () => {
    const { project, failures, ran } = await tried("good(); process.exit(3)");
    expect(failures).toEqual([]);
    expect(ran.code).toBe(0);
    expectClean(project);
  });

  it("X11 edits a test that is not its own", async () => {
    const { project, failures } = await tried(
      'put("test/existing.test.js", "// nothing is tested\\n"); good()',
    );
    expect(failures).toMatchObject([
      { category: "scope", error: expect.stringContaining("test/existing.test.js (modified)") },
    ]);
    expectClean(project);
  });

  it("X11 deletes what is not its own", async () => {
    const { project, failures } = await tried('fs.rmSync("README.md"); good()');
    expect(failures).toMatchObject([
      { category: "scope", error: expect.stringContaining("README.md (deleted)") },
    ]);
    expectClean(project);
  });

  it.runIf(hasBox)("G9 writes outside its worktree (left out without bubblewrap)", async () => {
    const { project, ran } = await tried(`
      const tries = ["../../../../../escaped", "/escaped", process.env.HOME + "/../../../../escaped", "/work/escaped", "/etc/escaped"];
      for (const file of tries) { try { fs.writeFileSync(file, "x"); } catch {} }
      try { fs.symlinkSync("/", "root"); fs.writeFileSync("root/tmp/heddle-escaped", "x"); } catch {}
      good(); fs.rmSync("root", { force: true })`);
    expect(ran.code).toBe(0);
    for (const file of ["/escaped", "/work/escaped", "/etc/escaped", "/tmp/heddle-escaped"])
      expect(existsSync(file), file).toBe(false);
    expect(project.has("escaped")).toBe(false);
    expectClean(project);
  });

  it.runIf(hasBox)(
    "G9 reads neither the journal, nor bundles of others, nor the person's home (left out without bubblewrap)",
    async () => {
      const secret = `${process.env.HOME}/.heddle-canary-${process.pid}`;
      mkdirSync(dirname(secret), { recursive: true });
      writeFileSync(secret, "canary");
      const { project } = await tried(
        `const seen = [];
       for (const file of ${JSON.stringify([secret])}.concat([bundle.target_dir + "/../../../../heddle.db", bundle.target_dir + "/../../../../../project-planning/bundles"]))
         if (fs.existsSync(file)) seen.push(file);
       if (process.env.CANARY_TOKEN) seen.push("environment");
       say("seen: " + seen.join()); good()`,
      );
      const { rmSync } = await import("node:fs");
      rmSync(secret);
      expect(readFileSync(project.attempt("T001-1", "stdout.log"), "utf8")).toBe("seen: \n");
    },
  );

  it("§0.4 swaps .git, plants hooks and monitors: nothing of it runs", async () => {
    const { project, ran } = await tried(`
      const canary = process.cwd() + "/../canary";
      const hook = "#!/bin/sh\\ntouch " + canary + " /tmp/heddle-git-canary\\n";
      for (const name of ["pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change"]) {
        put(".git/hooks/" + name, hook); fs.chmodSync(".git/hooks/" + name, 0o755);
      }
      put(".git/fsmonitor", hook); fs.chmodSync(".git/fsmonitor", 0o755);
      fs.appendFileSync(".git/config", "[core]\\n\\tfsmonitor = " + process.cwd() + "/.git/fsmonitor\\n\\thooksPath = " + process.cwd() + "/.git/hooks\\n[filter \\"x\\"]\\n\\tclean = touch /tmp/heddle-git-canary\\n");
      good()`);
    expect(ran.code).toBe(0);
    expect(existsSync("/tmp/heddle-git-canary")).toBe(false);
    expect(existsSync(project.attempt("T001-1", "canary"))).toBe(false);
    expectClean(project);
  });

  it("§0.4 leaves a nested repository, or a path named .git: refused", async () => {
    const { project, failures } = await tried(
      'execSync("git init -q nested && echo x > nested/y", { stdio: "ignore" }); good()',
    );
    expect(failures).toMatchObject([{ category: "scope", error: expect.stringMatching(/nested/) }]);
    expectClean(project);
  });

  it("G5 forks away with setsid: nothing survives it", async () => {
    const { project, ran } = await tried(`
      spawn("setsid", ["sh", "-c", "while true; do sleep 1; done"], { detached: true, stdio: "ignore" }).unref();
      spawnSync("sh", ["-c", "(setsid sleep 600 &) &"], { stdio: "ignore" }); good()`);
    expect(ran.code).toBe(0);
    expectClean(project);
  });

  it("C7 prints without end: its output limit ends it, and memory stays flat", async () => {
    const { project, failures } = await tried('write(); for (;;) fs.writeSync(1, "x".repeat(65536))', {
      config: { limits: { outputMegabytes: 4 } },
    });
    expect(failures).toMatchObject([
      { category: "timeout", error: expect.stringContaining("printed more than 4 MiB") },
    ]);
    expectClean(project);
  });

  it("C7 is silent: its silence limit ends it", async () => {
    const { project, failures } = await tried("write(); hang()", {
      config: { limits: { silenceMinutes: 0.01 } },
    });
    expect(failures).toMatchObject([{ category: "timeout", error: expect.stringContaining("said nothing") }]);
    expectClean(project);
  });

  it("C6 writes its result in prose, fenced and with trailing commas: it is read all the same", async () => {
    const { project, failures } = await tried(
      'write(); put(out, "Here you are:\\n```json\\n{\\"task_id\\": \\"T001\\", \\"status\\": \\"success\\",}\\n```\\nBye.")',
    );
    expect(failures).toEqual([]);
    expectClean(project);
  });

  it("C6 writes a result for another task, or nonsense: refused", async () => {
    const { project, failures } = await tried('write(); propose({ task_id: "T002" })');
    expect(failures).toMatchObject([{ category: "validation" }]);
    expectClean(project);
  });

  it("X8 leaves a link as its result: it is not followed", async () => {
    const { project, failures } = await tried('write(); fs.symlinkSync("/etc/hostname", out)');
    expect(failures).toMatchObject([
      { category: "validation", error: expect.stringContaining("not a plain file") },
    ]);
    expectClean(project);
  });

  it("X8 what it says and what heddle saw are both kept, and the difference is shown", async () => {
    const { project } = await tried(
      'good(); propose({ files: { created: ["src/other.txt"], modified: [] } })',
    );
    const [work] = await project.facts("work-recorded");
    expect(work?.differences).toEqual([
      "says it changed src/other.txt, and did not",
      "changed src/T001.txt and did not say so",
    ]);
    expectClean(project);
  });

  it("G4 an ignored file that it leaves behind cannot make a check pass", async () => {
    const project = await Execution.ready(
      {
        tasks: 1,
        more: () => ({ acceptance_criteria: [{ criterion: "built", verification: "test -f build/out" }] }),
      },
      { T001: ['put(".gitignore", "build/\\n"); put("build/out", "x"); good()'] },
    );
    project.config({ attempts: 1 });
    expect((await project.execute()).code).toBe(1);
    expect(project.merged()).toEqual([]);
  });

  it("X8 a test runner that ran nothing proves nothing", async () => {
    const more = () => ({
      acceptance_criteria: [{ criterion: "tested", verification: "cd src && node --test" }],
    });
    const project = await Execution.ready({ tasks: 1, more }, {});
    project.config({ attempts: 1 });
    const ran = await project.execute();
    expect(ran.out).toContain("no tests were run");
    expect(project.merged()).toEqual([]);
  });
});
