// Agents that do it wrong, one way after the other: each is caught, told what was wrong and where, and the run ends in
// `ready` once the agent behaves (issue 4, "How it will be tried").
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Fact, Ran } from "../e2e/rig.ts";
import { hasBox, Planning } from "./rig.ts";

const failures = (facts: readonly Fact[]) =>
  facts.flatMap(({ fact }) =>
    fact.kind === "job-failed" ? [`${fact.role} ${fact.attempt} ${fact.category}`] : [],
  );

describe("an agent that is wrong once or twice in every role", () => {
  const project = new Planning({
    "logic-architect": [
      'const map = document(); map.flows[0].steps[2].behavior_id = "B99"; put(map)',
      'const map = document(); map.domains[0].capabilities[0].spec_ref.quote = "never said"; put(map)',
      'put("Here is the map you asked for:\\n\\n```json\\n" + JSON.stringify(document(), null, 2) + "\\n```\\nEnjoy!")',
    ],
    "physical-architect": [
      'fs.writeFileSync("physical-map.json", JSON.stringify(document()))',
      'put(JSON.stringify(document(), null, 2).replace(/\\n(\\s*)\\}/g, ",\\n$1}").replace(\'"version": "1.0"\', "\'version\': \'1.0\'"))',
    ],
    "task-author": [
      'putTasks((task) => { if (task.id === "T001") task.dependencies.tasks = ["T005"] })',
      'putTasks((task) => { if (task.id === "T010") task.behaviors = ["B19", "B77"] })',
      "good()",
    ],
    "task-plan-verifier": [
      'const it = document(); it.tasks[3].dimensions.viability = { score: "FAIL", evidence: "no", suggestion: "split" }; put(it)',
      "const it = document(); it.tasks.pop(); put(it)",
      "good()",
    ],
    "plan-auditor": [
      'putTasks((task) => { if (task.id === "T002") task.name = "Something else" })',
      'putTasks((task) => { if (task.id === "T003") task.phase = 9 })',
      "good()",
    ],
  });
  let planned: Ran;
  let facts: Fact[];
  beforeAll(async () => {
    planned = await project.plan();
    facts = await project.history();
  });

  it("C6 ends in `ready` once the agent behaves", async () => {
    expect(planned.code, planned.out + planned.err).toBe(0);
    expect(await project.phase()).toBe("ready");
  });

  it("C13 tells every refusal in the history", () => {
    expect(failures(facts)).toEqual([
      "logic-architect 1 validation",
      "logic-architect 2 validation",
      "physical-architect 1 no-output",
      "task-author 1 validation",
      "task-author 2 validation",
      "task-plan-verifier 1 validation",
      "task-plan-verifier 2 validation",
      "plan-auditor 1 validation",
      "plan-auditor 2 validation",
    ]);
  });

  it("D7 D18 names a dangling reference with file, line and pointer in the next bundle", () => {
    const { problems, attempt } = project.bundle("logic-architect-2");
    expect(attempt).toBe(2);
    expect(problems.join("\n")).toMatch(
      /`B99`.*capability-map\.json, line \d+, \/flows\/0\/steps\/2\/behavior_id/,
    );
  });

  it("D7 names a quote that the specification does not hold", () => {
    expect(project.bundle("logic-architect-3").problems.join("\n")).toMatch(
      /quote.*\/domains\/0\/capabilities\/0\/spec_ref/,
    );
  });

  it("C6 takes a fenced document out of the prose, and keeps what was written", () => {
    const raw = readFileSync(project.attempt("logic-architect-3", "raw/capability-map.json"), "utf8");
    expect(raw).toContain("Enjoy!");
    expect(JSON.parse(project.text("project-planning/artifacts/capability-map.json")).version).toBe("1.0");
  });

  it("D17 reminds an agent that wrote to another path of where to write", () => {
    const { reminder, output, problems } = project.bundle("physical-architect-2");
    expect(reminder).toContain(output.path);
    expect(problems[0]).toContain("no new file was written to");
  });

  it("D17 logs no success before the output was there", () => {
    const before = facts.slice(
      0,
      facts.findIndex(({ fact }) => fact.kind === "job-failed" && fact.role === "physical-architect"),
    );
    expect(
      before.some(({ fact }) => fact.kind === "job-completed" && fact.role === "physical-architect"),
    ).toBe(false);
  });

  it("C6 fixes trailing commas and single quotes", () => {
    expect(existsSync(project.attempt("physical-architect-2", "raw/physical-map.json"))).toBe(true);
    expect(() => JSON.parse(project.text("project-planning/artifacts/physical-map.json"))).not.toThrow();
  });

  it("D10 shows a cycle as a path", () => {
    expect(project.bundle("task-author-2").problems.join("\n")).toMatch(/T001.*T005.*T004.*T00[23].*T001/);
  });

  it("D10 names an unknown behaviour with the task's file and place", () => {
    expect(project.bundle("task-author-3").problems.join("\n")).toMatch(
      /`B77`.*T010\.json, line \d+, \/behaviors\/1/,
    );
  });

  it("D12 refuses a READY verdict that contradicts its own dimensions", () => {
    const { problems } = project.bundle("task-plan-verifier-2");
    expect(problems.join("\n")).toMatch(/READY.*BLOCKED.*task-validation\.json, line \d+, \/verdict/);
  });

  it("D11 refuses a judgement that leaves out a task", () => {
    expect(project.bundle("task-plan-verifier-3").problems.join("\n")).toContain("T010");
  });

  it("D15 refuses an auditor who changes more than phases", () => {
    expect(project.bundle("plan-auditor-2").problems.join("\n")).toMatch(
      /`T002` was changed beyond its phase.*T002\.json/,
    );
    expect(project.task("T002").name).not.toBe("Something else");
  });

  it("D15 refuses a dependency in a later phase", () => {
    expect(project.bundle("plan-auditor-3").problems.join("\n")).toMatch(/T004.*T003.*\.json/);
  });
});

it.concurrent("D15 refuses a broken steel thread", async () => {
  const project = new Planning({
    "plan-auditor": [
      'putTasks((task) => { task.context.steel_thread = ["T002", "T009"].includes(task.id) })',
      "good()",
    ],
  });
  expect(await project.plan()).toMatchObject({ code: 0 });
  expect(project.bundle("plan-auditor-2").problems.join("\n")).toMatch(/steel thread/);
});

it.concurrent("D15 refuses an ordered plan that lacks a task, or has one too many", async () => {
  const project = new Planning({
    "plan-auditor": [
      'putTasks(); fs.rmSync(path.join(out, "T010.json"))',
      'putTasks(); fs.writeFileSync(path.join(out, "T011.json"), JSON.stringify({ ...JSON.parse(read("tasks/T010.json")), id: "T011", files: [{ path: "src/extra.js", action: "create", layer: "domain", purpose: "extra" }] }))',
      "good()",
    ],
  });
  expect(await project.plan()).toMatchObject({ code: 0 });
  expect(project.bundle("plan-auditor-2").problems.join("\n")).toContain("`T010` is missing");
  expect(project.bundle("plan-auditor-3").problems.join("\n")).toContain("T011");
});

it.concurrent("D18 gives a refused output back with its problems: the next attempt can read it", async () => {
  const look =
    "const paths = [out, ...Object.values(bundle.inputs).map((input) => input.path)];" +
    'const texts = paths.filter((file) => fs.existsSync(file)).map((file) => fs.readFileSync(file, "utf8"));' +
    'say("given back: " + texts.some((text) => text.includes("B99"))); good()';
  const project = new Planning({
    "logic-architect": ['const map = document(); map.flows[0].steps[2].behavior_id = "B99"; put(map)', look],
  });
  const { out } = await (hasBox ? project.boxed() : project.plan());
  expect(out).toContain("given back: true");
});

describe.concurrent("an output that is no document", () => {
  it("C6 goes to the fixer once, and a good fixer costs no attempt", async () => {
    const project = new Planning({
      "logic-architect": ['put("I have thought about it, and the map is as follows: one domain.")'],
      fixer: ['put(read("artifacts/capability-map.json"))'],
    });
    const { code, err } = await project.plan();
    expect(code, err).toBe(0);
    expect(project.attempts("logic-architect")).toEqual(["logic-architect-1"]);
    const raw = readFileSync(project.attempt("logic-architect-1", "raw/capability-map.json"), "utf8");
    expect(raw).toContain("I have thought about it");
  });

  it("C6 gives the fixer the broken file and the schema", async () => {
    const project = new Planning({
      "logic-architect": ['put("prose")'],
      fixer: [
        'if (fs.readFileSync(bundle.inputs.broken.path, "utf8") === "prose" && JSON.parse(fs.readFileSync(bundle.inputs.schema.path))) put(read("artifacts/capability-map.json"))',
      ],
    });
    expect((await project.plan()).code).toBe(0);
  });

  it("C6 tells the agent when the fixer cannot fix it, three tries in all; then halts and shows where the raw output is", async () => {
    const project = new Planning({ "logic-architect": ['put("prose only")'], fixer: ['put("still prose")'] });
    const { code, out, err } = await project.plan();
    expect(code).toBe(1);
    const kept = project.attempt("logic-architect-3", "out/capability-map.json");
    expect(readFileSync(kept, "utf8")).toBe("prose only");
    expect(out + err).toContain(kept);
    const told = readFileSync(project.attempt("logic-architect-2", "bundle.json"), "utf8");
    expect(JSON.parse(told).problems.join()).toContain("is not a JSON document");
    expect(failures(await project.history())).toEqual(
      [1, 2, 3].map((attempt) => `logic-architect ${attempt} unparseable`),
    );
    expect(project.attempts("logic-architect")).toHaveLength(3);
  });

  it("C6 goes on after the halt when the agent behaves and `heddle plan` is typed again", async () => {
    const project = new Planning({ "logic-architect": ['put("prose only")'], fixer: ['put("still prose")'] });
    await project.plan();
    project.agent({});
    const { code, err } = await project.again();
    expect(code, err).toBe(0);
    expect(project.attempts("logic-architect")).toHaveLength(4);
  });

  it("C6 never counts a truncated document as a whole one", async () => {
    const project = new Planning({
      "logic-architect": [
        "const text = read('artifacts/capability-map.json'); put(text.slice(0, text.length * 0.6))",
        "good()",
      ],
    });
    const { code, err } = await project.plan();
    expect(code, err).toBe(0);
    expect(project.attempts("logic-architect")).toHaveLength(2);
    expect(project.bundle("logic-architect-2").problems.join("\n")).toMatch(/capability-map\.json/);
  });

  it("C6 names each task file that is no document", async () => {
    const project = new Planning({
      "task-author": ['putTasks(); fs.writeFileSync(path.join(out, "T004.json"), "see T003")'],
      fixer: ['put(read("tasks/T004.json"))'],
    });
    const { code, err } = await project.plan();
    expect(code, err).toBe(0);
    expect(project.attempts("task-author")).toHaveLength(1);
  });
});

describe.concurrent("an output that did not change", () => {
  it("D17 is refused as the old one, not as a new try", async () => {
    const project = new Planning({
      "logic-architect": ["const map = document(); map.flows = []; put(map)"],
    });
    expect((await project.plan()).code).toBe(1);
    expect(project.bundle("logic-architect-3").problems[0]).toContain("the same as the one before");
  });

  it("C6 still tells the agent, and the person at the halt, what was wrong with it", async () => {
    const project = new Planning({
      "logic-architect": ['const map = document(); map.flows[0].steps[2].behavior_id = "B99"; put(map)'],
    });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(project.bundle("logic-architect-3").problems.join("\n")).toContain("B99");
    expect(out.slice(out.indexOf("HALTED"))).toContain("B99");
  });

  it("D17 counts when the attempt before crashed and was never looked at", async () => {
    const project = new Planning({ "logic-architect": ["good(); process.exitCode = 3", "good()"] });
    const { code, out } = await project.plan();
    expect(code, out).toBe(0);
  });
});

describe("C6 an agent that stays wrong", () => {
  const project = new Planning({
    "logic-architect": [
      "const map = document(); map.flows[0].name = 'try ' + attempt; delete map.domains; put(map)",
    ],
  });
  let planned: Ran;
  beforeAll(async () => {
    planned = await project.plan();
  });

  it("has three attempts in all, then the run halts with the problems", () => {
    expect(planned.code).toBe(1);
    expect(project.attempts("logic-architect")).toHaveLength(3);
    expect(planned.out + planned.err).toMatch(/logic-architect failed(?: \d times)? \(validation\).*domains/);
  });

  it("keeps every raw output", () => {
    for (const attempt of [1, 2, 3])
      expect(
        readFileSync(project.attempt(`logic-architect-${attempt}`, "out/capability-map.json"), "utf8"),
      ).toContain(`try ${attempt}`);
  });

  it("gets another try from `heddle resume` and `heddle plan`", async () => {
    project.agent({});
    expect((await project.heddle("resume")).code).toBe(0);
    expect((await project.again()).code).toBe(0);
    expect(project.attempts("logic-architect")).toHaveLength(4);
  });
});
