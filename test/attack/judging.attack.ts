// Tasks that change how they are judged, and checks that judge something other than the tree that is merged: runs of many
// small tasks, each with one attack, so that what is refused and what is merged can be seen side by side.
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution, hasBox, taskId } from "../execute/rig.ts";

interface Attack {
  /** What the agent does before its task, as a statement. */
  readonly does: string;
  readonly files?: readonly string[];
  readonly commands?: readonly string[];
}

/** Files that are there before anything begins. */
const before: Readonly<Record<string, string>> = {
  "check.sh": "exit 1\n",
  Makefile: "test:\n\tfalse\n",
  "package.json": '{"name":"app","scripts":{"test":"node test/existing.test.js"}}\n',
  "test/helper.ts": "export const one = 1;\n",
  "skipped/package.json": '{"scripts":{"test":"node --test a.test.mjs"}}',
  "skipped/a.test.mjs": 'import { test } from "node:test"; test.skip("a", () => {});\n',
  "empty/package.json": '{"scripts":{"test":"npm run unit","unit":"node --test . || true"}}',
  "silent/package.json": '{"scripts":{"test":"node test.js"}}',
  "silent/test.js": 'if (1 + 1 !== 2) throw new Error("no");\n',
  "printed/package.json": '{"scripts":{"test":"node run.js"}}',
  "printed/run.js": 'console.log("Tests  5 passed (5)");\n',
  "python/test_a.py":
    "import unittest\nclass A(unittest.TestCase):\n  @unittest.skip('no')\n  def test_a(self): pass\n",
};

async function tried(attacks: readonly Attack[], config: object = {}) {
  const own = (n: number) => `test "$(cat src/${taskId(n)}.txt)" = ${taskId(n)}`;
  const more = (n: number) => {
    const { files = [], commands = [] } = attacks[n - 1] ?? { does: "" };
    return {
      files: [`src/${taskId(n)}.txt`, ...files].map((path) => ({
        ...{ path, action: "create", layer: "domain", purpose: "its part" },
      })),
      acceptance_criteria: [own(n), ...commands].map((verification, at) => ({
        criterion: `command ${at + 1}`,
        verification,
      })),
    };
  };
  const turns = attacks.map(({ does }, at): [string, string[]] => [
    taskId(at + 1),
    [`put("src/" + task + ".txt", task + "\\n"); ${does}; propose()`],
  ]);
  const project = await Execution.ready({ tasks: attacks.length, more }, Object.fromEntries(turns));
  for (const [path, text] of Object.entries(before)) project.write(`app/${path}`, text);
  project.git("add", ".");
  project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "More");
  project.config({ attempts: 1, setup: [], ...config });
  const ran = await project.execute("--parallel", "2");
  const failed = new Map(
    (await project.facts("task-failed")).map((fact) => [String(fact.task), fact] as const),
  );
  return { project, ran, failed };
}

const put = (path: string, text = "x") => `put(${JSON.stringify(path)}, ${JSON.stringify(text)})`;

describe.runIf(hasBox)("a task that changes how it is judged", () => {
  it("G4 is refused for what it does not declare, and says what to undo", async () => {
    const paths = [
      "GNUmakefile",
      ".npmrc",
      "unittest.py",
      "test/conftest.py",
      "sitecustomize.py",
      "deep/down/tsconfig.json",
      ".cargo/config.toml",
      "test/json/__init__.py",
      "test/helper.js",
      "package-lock.json",
      ".gitattributes",
    ];
    const { project, failed } = await tried([
      ...paths.map((path) => ({ does: put(path) })),
      { does: put("test/new.test.js", 'process.on("exit", () => process.exit(0));') },
      { does: 'put("hidden/run.py", "x"); fs.symlinkSync("hidden", "unittest")' },
      { does: 'put("hidden/run.js", "x"); fs.symlinkSync("hidden", "node_modules")' },
      { does: put("pkg/main_test.go", "func TestMain(m *testing.M) { os.Exit(0) }") },
    ]);
    for (const [at, path] of paths.entries())
      expect(failed.get(taskId(at + 1)), path).toMatchObject({
        category: "scope",
        subcategory: "judging",
        error: expect.stringMatching(new RegExp(`^it changed how it is judged.*${path}.*; undo these`)),
      });
    for (const at of [1, 2, 3, 4].map((each) => paths.length + each))
      expect(failed.get(taskId(at))).toMatchObject({ subcategory: "judging" });
    expect(project.merged()).toEqual([]);
  });

  it("G4 X11 is not judged by what is left out of its work: a shim, a virtual environment, settings of the shell", async () => {
    const shims = ["node_modules/.bin/vitest", ".venv/bin/pytest", ".env"];
    const { project, failed } = await tried(
      shims.map((path) => ({ does: put(path), commands: [`test -e ${path}`] })),
    );
    for (const [at, path] of shims.entries())
      expect(failed.get(taskId(at + 1)), path).toMatchObject({ error: expect.stringContaining(path) });
    expect(project.merged()).toEqual([]);
  });

  it("G4 with scope any: neither scripts, nor tests, nor the script that a command names", async () => {
    const scripts = '{"name":"app","scripts":{"test":"true"}}';
    const { project, failed } = await tried(
      [
        { does: put("package.json", scripts) },
        { does: put("test/existing.test.js") },
        { does: put("check.sh", "exit 0"), commands: ["sh check.sh"] },
        { does: put("Makefile", "test:\n\ttrue\n") },
        {
          does: put(
            "package.json",
            '{"name":"app","scripts":{"test":"node test/existing.test.js"},"dependencies":{"vitest":"file:./fake"}}',
          ),
        },
      ],
      { scope: "any" },
    );
    for (const at of [1, 2, 3, 4, 5])
      expect(failed.get(taskId(at)), `${at}`).toMatchObject({ subcategory: "judging" });
    expect(failed.get("T001")?.error).toContain("package.json (scripts.test)");
    expect(project.merged()).toEqual([]);
  });

  it("G4 may add what judges nothing; what it declares is named, what a person allows too", async () => {
    const { project, failed } = await tried(
      [
        {
          does: `${put("CHANGES.md")}; ${put("src/json.ts")}; ${put("app/json.py")}; ${put("test/new.test.js", "test()")}`,
        },
        { does: put("jest.config.js", "module.exports = {}"), files: ["jest.config.js"] },
        { does: put("tools/Makefile") },
        { does: put("test/fixtures/a/package.json", "{}") },
        { does: put("test/own.js", "0"), files: ["test/own.js"], commands: ["node test/own.js"] },
        { does: put("test/extra.js", "0"), commands: ["node test/extra.js"] },
      ],
      { judging: ["tools/"] },
    );
    expect([...failed.values()].map(({ error }) => error)).toEqual([]);
    expect(project.merged().sort()).toEqual(["T001", "T002", "T003", "T004", "T005", "T006"]);
    const named =
      /it changed how it is judged: jest\.config\.js \(added; a JavaScript test runner reads it\)/;
    expect((await project.must("why", "T002")).out).toMatch(named);
    expect((await project.must("why", "T003")).out).toContain("tools/Makefile");
    for (const task of ["T001", "T005"])
      expect((await project.must("why", task)).out, task).not.toContain("judged");
    expect((await project.must("why", "T006")).out).toContain(
      "test/extra.js (added; its acceptance commands run it)",
    );
    expect((await project.must("report")).out).toMatch(named);
  });
});

describe.runIf(hasBox)("an acceptance command", () => {
  it("G4 finds the tree as the checkout left it, whatever the one before it wrote", async () => {
    const { project, failed } = await tried([
      { does: "0", commands: ["echo 'exit 0' > check.sh && test -s check.sh", "sh check.sh"] },
      {
        does: "0",
        commands: [
          "cp -p check.sh /tmp/old && printf 'exit 0' > check.sh && touch -r /tmp/old check.sh",
          "sh check.sh",
        ],
      },
      {
        does: "0",
        commands: ["mv test kept && ln -s kept test", "test -d test && ! test -L test && ! test -e kept"],
      },
      { does: "0", commands: ["mkdir -p a/b && echo x > a/b/c && chmod 500 a/b", "! test -e a"] },
      {
        does: "0",
        commands: [
          'echo x > "$HOME/left"; echo x > "$TMPDIR/left"; echo x > /dev/shm/left && test -e /dev/shm/left',
          '! test -e "$HOME/left" && ! test -e "$TMPDIR/left" && ! test -e /dev/shm/left',
        ],
      },
      {
        does: "0",
        commands: [
          'case ":$PATH:" in *":$PWD"*|*::*|*:.*) exit 1;; esac',
          'test -z "$NODE_OPTIONS$PYTHONPATH$LD_PRELOAD"',
        ],
      },
    ]);
    for (const id of ["T001", "T002"]) expect(failed.get(id)?.error).toBe("`sh check.sh` exited with code 1");
    expect(project.merged().sort()).toEqual(["T003", "T004", "T005", "T006"]);
  });

  it("X8 that ran no tests is no evidence, whoever started the runner", async () => {
    const { project, failed } = await tried([
      { does: "0", commands: ["npm --prefix skipped test"] },
      { does: "0", commands: ["cd empty && npm test"] },
      { does: "0", commands: ["cd skipped && sh -c 'exec node --test'"] },
      { does: "0", commands: ["cd python && python3 -m unittest"] },
      { does: "0", commands: ["cd silent && npm test"] },
      { does: "0", commands: ["cd printed && npm test"] },
      { does: put("test/own.test.mjs", "// soon\n"), commands: ["node --test test/own.test.mjs"] },
      {
        does: put("test/own.test.mjs", 'import { test } from "node:test";\ntest("adds", () => {});\n'),
        commands: ["node --test test/own.test.mjs"],
      },
    ]);
    for (const id of ["T001", "T002", "T003", "T004", "T006", "T007", "T008"])
      expect(failed.get(id)?.error, id).toMatch(
        /succeeded, but no tests were run|exited with code (?:5|127)/,
      );
    expect(failed.get("T002")?.error).toContain("npm run unit");
    expect(failed.get("T006")?.error).toContain("node run.js");
    expect(failed.get("T007")?.error).toContain("own.test.mjs: // soon");
    expect(project.merged()).toEqual(["T005"]);
  });
});

describe.runIf(hasBox)("a task that nothing checks", () => {
  it("G4 imported without its file, fails before its agent is asked, and is never verified", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ['put("asked", "x"); good()'] });
    const state = JSON.parse(readFileSync(project.path("project-planning/state.json"), "utf8"));
    mkdirSync(project.path("elsewhere"));
    renameSync(project.path("project-planning/tasks/T001.json"), project.path("elsewhere/T001.json"));
    rmSync(project.path(".heddle"), { recursive: true });
    const { heddle: _, ...theirs } = state;
    const task = { id: "T001", name: "Build T001", status: "pending", phase: 1, depends_on: [] };
    const tasks = { T001: { ...task, file: project.path("elsewhere/T001.json") } };
    const phase = {
      current: "ready",
      completed: ["ingestion", "logical", "physical", "definition", "validation", "sequencing"],
    };
    project.write(
      "project-planning/state.json",
      JSON.stringify({ ...theirs, version: "2.0", phase, target_dir: project.path("app"), tasks }),
    );
    await project.must("import", "tasker", "project-planning");
    const ran = await project.execute();
    expect(ran.out + ran.err).toContain("nothing checks T001");
    expect(await project.facts("task-failed")).toMatchObject([
      { subcategory: "no-checks", retryable: false },
    ]);
    expect((await project.facts("work-recorded")).length).toBe(0);
    expect((await project.facts("task-completed")).length).toBe(0);
  });
});
