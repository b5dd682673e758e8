// Files that are not what they should be (C14, D10, D16): missing, a folder, binary, a hundred megabytes, a pipe,
// something else entirely. Also a phase that is not the right one, and text that tries to move the terminal.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sample } from "../thorough.ts";
import { eachOf } from "./commands.ts";
import { capabilityMap, chain, taskFile } from "./plan-files.ts";
import {
  ended,
  folder,
  newProject,
  type Project,
  planning,
  type Ran,
  readyProject,
  start,
  within,
} from "./rig.ts";
import { expectNoTrace, expectRefused, expectWhole } from "./whole.ts";

const hundredMegabytes = 100 * 1024 * 1024;

/** Each puts something in the place of a file. */
const harms: Readonly<Record<string, (path: string) => void>> = {
  missing: () => {},
  "a folder": (path) => mkdirSync(path),
  binary: (path) =>
    writeFileSync(
      path,
      Uint8Array.from({ length: 5_000 }, (_, at) => (at * 37) % 256),
    ),
  "a hundred megabytes": (path) => writeFileSync(path, Buffer.alloc(hundredMegabytes, " ")),
  empty: (path) => writeFileSync(path, ""),
  "a link to nothing": (path) => symlinkSync("/nowhere/at/all", path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a pipe": (path) => void spawnSync("mkfifo", [path]),
  "a device": (path) => symlinkSync("/dev/zero", path),
};

const textHarms: Readonly<Record<string, (path: string) => void>> = {
  "no JSON": (path) => writeFileSync(path, "Here is the map you asked for:\n```json\n{}\n```\n"),
  truncated: (path) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 200)),
  "a list": (path) => writeFileSync(path, "[]"),
  "nested a million deep": (path) => writeFileSync(path, "[".repeat(1_000_000)),
  "in another encoding": (path) => writeFileSync(path, Buffer.from(readFileSync(path, "utf8"), "utf16le")),
};

function expectProblems(ran: Ran): void {
  expect(ran.code, `${ran.out}${ran.err}`).toBe(1);
  expect(ran.err).toMatch(/^error: /m);
  expectNoTrace(ran);
}

interface Place {
  readonly file: string;
  readonly words: readonly string[];
  /** How many of the planning commands come before. */
  readonly steps: number;
}

const places: readonly Place[] = [
  { file: "inputs/spec.md", words: ["state", "advance"], steps: 0 },
  { file: "artifacts/capability-map.json", words: ["state", "validate", "capability_map"], steps: 1 },
  { file: "artifacts/physical-map.json", words: ["state", "validate", "physical_map"], steps: 3 },
  { file: "tasks/T002.json", words: ["state", "load-tasks"], steps: 5 },
];

for (const { file, words, steps } of places)
  describe(`project-planning/${file}`, () => {
    let project: Project;
    let back: () => void;
    beforeAll(async () => {
      project = await newProject();
      project.writePlan({ tasks: 3, after: chain });
      for (const each of planning.slice(0, steps)) await project.must(...each);
      back = project.save();
    });
    beforeEach(() => back());
    const path = () => project.path("project-planning", file);

    const all = file.endsWith(".json") ? { ...harms, ...textHarms } : harms;
    for (const [what, harm] of sample(Object.entries(all), 3, steps))
      it(`C14 D16 that is ${what}: \`heddle ${words.join(" ")}\` refuses it, and the phase stays`, async () => {
        const { phase, tasks } = project.stateJson();
        if (!(what in textHarms)) rmSync(path());
        harm(path());
        expectProblems(await within(6, project, words));
        expectRefused(await within(6, project, ["state", "advance"]));
        const after = project.stateJson();
        expect([after.phase, after.tasks]).toEqual([phase, tasks]);
        expect((await project.heddle("verify")).code).toBe(0);
      });
  });

describe("task files", () => {
  let project: Project;
  let back: () => void;
  beforeAll(async () => {
    project = await readyProject({ tasks: 3, after: chain });
    back = project.save();
  });
  beforeEach(() => back());
  const write = (n: number, change: object) =>
    project.write(`project-planning/tasks/T00${n}.json`, JSON.stringify({ ...taskFile(n), ...change }));

  it("D10 with several mistakes: all are named at once, each with its file and place, and nothing is loaded", async () => {
    write(1, { files: [{ path: "../../x", action: "create" }] });
    write(2, { dependencies: { tasks: ["T009"] } });
    write(3, { behaviors: ["B9"], acceptance_criteria: [{ criterion: "c", verification: "grep 'open" }] });
    const ran = await project.state("load-tasks");
    expect(ran.code).toBe(1);
    expectNoTrace(ran);
    expect(ran.err.match(/^error: /gm)).toHaveLength(4);
    for (const place of ["T001.json:1:", "T002.json:1:", "T003.json:1:", "/files/0/path", "/behaviors/0"])
      expect(ran.err).toContain(place);
    expect((await expectWhole(project)).position).toBe((await project.history()).length);
    expect((await project.json("state", "export")).tasks.T002.depends_on).toEqual(["T001"]);
  });

  it("D10 that climb out of the target are refused", async () => {
    for (const path of ["../../x", "/etc/passwd", "a/../../x", "..", "a\u0000b"]) {
      write(1, { files: [{ path, action: "create" }] });
      expectProblems(await project.state("load-tasks"));
    }
  });

  it("D10 with control characters in a name are refused, and the name is shown without them", async () => {
    for (const name of ["a\nT999: forged (phase 1)", "\u001b[31mred", "\u202egnp.exe", "bell\u0007"]) {
      write(1, { name });
      const ran = await project.state("load-tasks");
      expectProblems(ran);
      expect(ran.err).not.toMatch(/[\u001b\u0007\u202e]/);
      expect(ran.err).not.toMatch(/^T999/m);
    }
  });

  it("D10 with names in every script are loaded and shown as they are", async () => {
    write(1, { name: "日本語 — Ünïcödé 🧵 'quoted' \"twice\" $HOME `id` ; rm -rf" });
    await project.must("state", "load-tasks");
    expect((await project.state("ready-tasks")).out).toBe(
      "T001: 日本語 — Ünïcödé 🧵 'quoted' \"twice\" $HOME `id` ; rm -rf (phase 1)\n",
    );
  });

  it("D10 in a circle are refused with the way round", async () => {
    write(1, { dependencies: { tasks: ["T003"] } });
    const ran = await project.state("load-tasks");
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/T00\d -> T00\d -> T00\d -> T00\d/);
  });

  it("D10 of which two have one id are refused, and both files are named", async () => {
    project.write("project-planning/tasks/other.json", JSON.stringify(taskFile(1)));
    const ran = await project.state("load-tasks");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("other.json");
    expect(ran.err).toContain("T001.json");
  });

  it("D10 whose keys are parts of JavaScript do no harm", async () => {
    const text = JSON.stringify(taskFile(1)).replace("{", '{"__proto__":{"phase":9},"constructor":{"x":1},');
    project.write("project-planning/tasks/T001.json", text);
    const ran = await project.state("load-tasks");
    expect([0, 1]).toContain(ran.code);
    expectNoTrace(ran);
    await expectWhole(project);
  });
});

describe("the wrong phase", () => {
  let project: Project;
  beforeAll(async () => {
    project = await newProject();
    project.writePlan({ tasks: 2 });
    await project.must("state", "load-tasks");
  });

  it("X12 no task starts before the plan is ready", async () => {
    expectRefused(await project.state("start-task", "T001"), /phase `ingestion`/);
  });

  it("D16 advance says what is missing, one phase after the other", async () => {
    rmSync(project.path("project-planning/inputs/spec.md"));
    expectRefused(await project.state("advance"), /specification/);
    writeFileSync(
      project.path("project-planning/inputs/spec.md"),
      "# Notebook\n\nThe notebook keeps every note.\n",
    );
    await project.must("state", "advance");
    expectRefused(await project.state("advance"), /capability map/);
    await project.must("state", "validate", "capability_map");
    await project.must("state", "advance");
    expectRefused(await project.state("advance"), /physical map/);
  });

  it("D16 an artifact whose input changed since does not count", async () => {
    await project.must("state", "validate", "physical_map");
    const map = {
      ...capabilityMap(),
      coverage: { total_requirements: 2, covered_requirements: 2, gaps: [] },
    };
    project.write("project-planning/artifacts/capability-map.json", JSON.stringify(map));
    expectRefused(await project.state("advance"), /changed since/);
  });

  it("D16 nothing is after the last phase", async () => {
    const done = await readyProject({ tasks: 1 });
    for (const words of [["start-task", "T001"], ["complete-task", "T001"], ["advance"]])
      await done.must("state", ...words);
    expect((await done.status()).phase).toBe("complete");
    expectRefused(await done.state("advance"));
    expectRefused(await done.state("start-task", "T001"));
  });
});

describe("a file to write to", () => {
  let project: Project;
  beforeAll(async () => {
    project = await readyProject({ tasks: 2 });
  });

  for (const words of [["state", "export"], ["backup"]])
    it(`C14 heddle ${words.join(" ")} to a folder, into nothing, or through a file: one sentence, nothing is left`, async () => {
      const place = folder();
      mkdirSync(join(place, "folder"));
      writeFileSync(join(place, "file"), "mine");
      for (const path of ["folder", "not/there/x", "file/x", "x".repeat(300)]) {
        const ran = await project.heddle(...words, join(place, path));
        expect(ran.code, `${path}: ${ran.err}`).not.toBe(0);
        expectNoTrace(ran);
        expect(ran.err.match(/^error: /gm), path).toHaveLength(1);
      }
      expect(readFileSync(join(place, "file"), "utf8")).toBe("mine");
      await expectWhole(project);
    });

  it("C14 restore of what is no backup: exit not 0, one sentence, and the journal is as it was", async () => {
    const place = folder();
    for (const [name, harm] of Object.entries(harms)) {
      const path = join(place, name.replaceAll(" ", "-"));
      harm(path);
      const ran = await within(6, project, ["restore", path]);
      expect(ran.code, `${name}: ${ran.out}`).not.toBe(0);
      expectNoTrace(ran);
      expect(ran.err.match(/^error: /gm), `${name}: ${ran.err}`).toHaveLength(1);
    }
    await expectWhole(project);
  });

  it("C14 import of what is no plan: exit not 0, one sentence, and nothing is made", async () => {
    const place = folder();
    for (const name of ["missing", "binary", "empty", "a hundred megabytes", "a folder"]) {
      const from = join(place, name.replaceAll(" ", "-"));
      mkdirSync(from);
      harms[name]?.(join(from, "state.json"));
      const at = folder();
      const ran = await ended(start(["import", "tasker", from], { cwd: at }));
      expect(ran.code, `${name}: ${ran.out}`).not.toBe(0);
      expectNoTrace(ran);
      expect(ran.err, name).toMatch(/^error: /m);
      expect(
        statSync(at).isDirectory() && !statSync(join(at, ".heddle"), { throwIfNoEntry: false }),
        name,
      ).toBe(true);
    }
  });
});

describe("text that tries to move the terminal", () => {
  const evil = "\u001b[2J\u001b]0;title\u0007red\nforged: line\r\u202eover\u009b31m";
  const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  let project: Project;
  let back: () => void;
  beforeAll(async () => {
    project = await readyProject({ tasks: 3, after: chain });
    await project.must("state", "start-task", "T001");
    back = project.save();
  });
  beforeEach(() => back());

  /** What other people read, after somebody has put the text there. */
  const looks = [
    ["status"],
    ["state", "status"],
    ["history"],
    ["history", "--task", "T001"],
    ["why"],
    ["why", "T001"],
    ["why", "T002"],
    ["replay"],
    ["state", "halt-status"],
    ["state", "check-halt"],
    ["state", "failure-metrics"],
    ["next", "--dry-run", "--explain"],
    ["state", "start-task", "T003"],
    ["halt"],
  ];
  async function obeyedBy(commands: readonly (readonly string[])[]): Promise<string[]> {
    const wrong = await eachOf(commands, async (words) => {
      const { out, err } = await project.heddle(...words);
      return obeyed.test(out + err) || /^forged/m.test(out + err) ? [`heddle ${words.join(" ")}`] : [];
    });
    return wrong.flat();
  }

  const saying: readonly (readonly [where: string, words: readonly string[]])[] = [
    ["a failure", ["state", "fail-task", "T001", evil, "--subcategory", evil]],
    ["a final failure", ["state", "fail-task", "T001", evil, "--no-retry"]],
    ["the reason of a halt", ["halt", evil]],
    ["the reason of an override", ["next", "--override", evil, "--to", "complete"]],
    ["a verdict", ["state", "validate-tasks", "BLOCKED", evil, "--issues", evil]],
    ["the name of an agent", ["state", "log-tokens", evil, "1", "1", "1"]],
  ];
  for (const [where, words] of saying)
    it(`C14 in ${where} is shown to whoever looks, not obeyed`, async () => {
      const said = await project.must(...words);
      expect(await obeyedBy(sample(looks, 2))).toEqual([]);
      expect(said.out + said.err, "the command's own answer").not.toMatch(obeyed);
    });

  it("C14 in the names of files is refused, and shown in the refusal, not obeyed", async () => {
    const said = await project.state("complete-task", "T001", "--created", evil);
    expect(said.code).toBe(64);
    expect(said.err).toContain("has control characters");
    expect(said.out + said.err).not.toMatch(obeyed);
    expect(await obeyedBy(looks)).toEqual([]);
  });

  it("C14 in the name of who acts is shown, not obeyed", async () => {
    const child = start(["halt", "x"], { cwd: project.root, env: { HEDDLE_ACTOR: evil } });
    expect((await ended(child)).code).toBe(0);
    expect(await obeyedBy(looks)).toEqual([]);
  });

  it("C11 is one line in the activity log, and one document in the other", async () => {
    await project.must("halt", evil);
    await project.must("log", "INFO", "agent", "decision", evil);
    const lines = (name: string) =>
      readFileSync(project.path(".heddle/logs", name), "utf8").trimEnd().split("\n");
    const shape = /^\[\d{4}-[^\]]+\] \[(INFO|WARN|ERROR)\] \[.*\] [^ ]+: /;
    expect(lines("activity.log").filter((line) => !shape.test(line) || obeyed.test(line))).toEqual([]);
    for (const line of lines("activity.jsonl")) expect(() => JSON.parse(line)).not.toThrow();
  });

  it("C13 is kept in the history as it was said", async () => {
    await project.must("halt", evil);
    expect((await project.history()).at(-1)?.fact.reason).toBe(evil);
    await expectWhole(project);
  });
});
