// The story that issue 4 tells: a specification of one's own with numbered requirements, a later phase and a
// contradiction, and an agent of one's own that does everything wrong in turn. Each mistake is caught with file and
// place, the run ends in `ready` once the agent behaves, and `heddle history` tells what happened.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { confined, Planning } from "./rig.ts";

const spec = `# Short links

- REQ-1: A person gives a long address and gets a short one.
- REQ-2: Opening the short address leads to the long one; an unknown one
  answers 404.
- REQ-3: Links never expire.
- REQ-4: A link that was not opened for thirty days expires.

## Phase 2: Counting

- REQ-5: Every link counts how often it was opened.
`;

/** The agent: what it would write if it behaved, and a turn for each of its calls, by role. */
const agent = `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { HEDDLE_ROLE: role, HEDDLE_OUTPUT: out } = process.env;
fs.appendFileSync(path.join(bundle.target_dir, "..", "calls.log"), role + "\\n");
const call = fs.readFileSync(path.join(bundle.target_dir, "..", "calls.log"), "utf8").split("\\n").filter((each) => each === role).length;
const behaviour = (id, name, type) => ({ id, name, type });
const map = () => ({
  version: "1.0",
  domains: [{ id: "D1", name: "Links", capabilities: [
    { id: "C1", name: "Shorten", spec_ref: { quote: "A person gives a long address and gets a short one." },
      behaviors: [behaviour("B1", "Check the address", "input"), behaviour("B2", "Keep the link", "state")] },
    { id: "C2", name: "Open", spec_ref: { quote: "Opening the short address leads to the long one; an unknown one answers 404." },
      behaviors: [behaviour("B3", "Find the link", "state"), behaviour("B4", "Lead on or answer 404", "output")] } ] }],
  flows: [{ id: "F1", name: "Shorten and open", is_steel_thread: true, steps: ["B1", "B2", "B3", "B4"].map((behavior_id) => ({ behavior_id })) }],
  coverage: { total_requirements: 4, covered_requirements: 3, gaps: ["REQ-4: contradicts REQ-3; a person decided for REQ-3"] },
  phase_filtering: { active_phase: 1, excluded_phases: [{ phase: 2, heading: "Phase 2: Counting", summary: "REQ-5" }], total_excluded_requirements: 1 },
});
const file = (name, layer) => ({ path: name, action: "create", layer, purpose: "its part" });
const files = { B1: "src/check.js", B2: "src/store.js", B3: "src/find.js", B4: "src/open.js" };
const physical = () => ({
  version: "1.0", target_dir: bundle.target_dir,
  file_mapping: Object.entries(files).map(([behavior_id, name]) => ({ behavior_id, files: [file(name, "domain")], tests: [file(name.replace("src", "test"), "test")] })),
  summary: { total_behaviors: 4, total_files: 8 },
});
const task = (id, after, behaviors, requirements, quote) => ({
  id, name: "Build " + behaviors.join(" and "), phase: after.length > 0 ? 2 : 1,
  context: { domain: "Links", spec_ref: { quote }, spec_requirements: requirements, steel_thread: true },
  behaviors, files: behaviors.flatMap((each) => [file(files[each], "domain"), file(files[each].replace("src", "test"), "test")]),
  dependencies: { tasks: after, external: [] },
  acceptance_criteria: behaviors.map((each) => ({ criterion: each + " works", verification: "node --test " + files[each].replace("src", "test") })),
  estimate_hours: 3,
});
const tasks = () => [
  task("T001", [], ["B1", "B2"], ["REQ-1", "REQ-3"], "A person gives a long address and gets a short one."),
  task("T002", ["T001"], ["B3", "B4"], ["REQ-2"], "an unknown one answers 404"),
];
const dimension = (score) => ({ score, evidence: "read it", suggestion: score === "PASS" ? "" : "split it" });
const judged = (verdict, viability) => ({
  verdict, summary: verdict === "BLOCKED" ? "T002 is too large" : "fine", issues: verdict === "BLOCKED" ? ["T002: two things at once"] : [],
  tasks: ["T001", "T002"].map((task_id) => ({ task_id, dimensions: Object.fromEntries(
    ["spec", "phase", "strategy", "preferences", "viability", "criteria"].map((name) => [name, dimension(name === "viability" && task_id === "T002" ? viability : "PASS")])) })),
});
const put = (value, where = out) => fs.writeFileSync(where, typeof value === "string" ? value : JSON.stringify(value, null, 2));
const putTasks = (list) => list.forEach((each) => put(each, path.join(out, each.id + ".json")));
const dangling = () => { const it = map(); it.flows[0].steps[3].behavior_id = "B44"; return it; };
const cut = () => { const text = JSON.stringify(map(), null, 2); return text.slice(0, text.indexOf('"flows"')); };
const turns = {
  "logic-architect": [
    () => put("I have read the specification. It is about links, and I will make a map of it soon."),
    () => console.log(JSON.stringify({ type: "question", id: "expiry", text: "REQ-3 and REQ-4 contradict each other: do links expire?", options: ["never", "after thirty days"] })),
    () => put(cut()),
    () => put(dangling()),
    () => put("Here it is:\\n\\n\`\`\`json\\n" + JSON.stringify(map(), null, 2) + "\\n\`\`\`\\n"),
  ],
  fixer: [() => put("I could not find any JSON in it.")],
  "physical-architect": [
    () => put(physical(), "physical-map.json"),
    () => { const it = physical(); it.file_mapping.pop(); it.summary = { total_behaviors: 3, total_files: 6 }; put(it); },
    () => put(fs.readFileSync(bundle.inputs.previous.path, "utf8")),
    () => put(physical()),
  ],
  "task-author": [
    () => { const [first, second] = tasks(); first.dependencies.tasks = ["T002"]; putTasks([first, second]); },
    () => { const [first, second] = tasks(); second.context.spec_requirements = ["REQ-5"]; putTasks([first, second]); },
    () => putTasks(tasks()),
  ],
  "task-plan-verifier": [
    () => put(judged("READY", "FAIL")),
    () => put(judged("BLOCKED", "FAIL")),
    () => put(judged("READY", "PASS")),
  ],
  "plan-auditor": [() => putTasks(fs.readdirSync(bundle.inputs.tasks.path).filter((name) => name.endsWith(".json")).map((name) => JSON.parse(fs.readFileSync(path.join(bundle.inputs.tasks.path, name)))))],
};
turns[role][call - 1]();
`;

describe("the story of issue 4", () => {
  const project = new Planning();
  const step = { first: "", asked: "", answered: "", blocked: "", done: "" };
  let history = "";

  beforeAll(async () => {
    project.write("spec.md", spec);
    project.program(agent);
    step.first = await ran(1, "plan", "spec.md", "--target", "app", "--new", ...confined(false));
    step.asked = await ran(1, "plan", ...confined(false));
    await project.must("answer", "logic-architect-2-expiry", "never");
    step.answered = await ran(1, "plan", ...confined(false));
    step.blocked = await ran(1, "plan", ...confined(false));
    const smaller = { ...project.task("T002"), name: "Open a link", estimate_hours: 2 };
    project.write("project-planning/tasks/T002.json", JSON.stringify(smaller, null, 2));
    step.done = await ran(0, "verify-plan", ...confined(false));
    history = (await project.must("history", "--all")).out;
  }, 120_000);

  async function ran(code: number, ...words: readonly string[]): Promise<string> {
    const { code: actual, out, err } = await project.heddle(...words);
    expect(actual, out + err).toBe(code);
    return out + err;
  }

  const told = (attempt: string) => project.bundle(attempt).problems.join("\n");

  it("C6 prose: the fixer has its turn, then the role is told, and the raw output stays where it was", () => {
    const raw = project.attempt("logic-architect-1", "out/capability-map.json");
    expect(told("logic-architect-2")).toContain("logic-architect-1/out/capability-map.json");
    expect(readFileSync(raw, "utf8")).toContain("I have read the specification");
  });

  it("C8 the contradiction: the question stays until it is answered, and the answer reaches the agent", () => {
    expect(step.asked).toContain("REQ-3 and REQ-4 contradict each other");
    expect(step.asked).toContain("heddle answer logic-architect-2-expiry");
    expect(project.bundle("logic-architect-3").answers).toEqual([
      { question: expect.stringContaining("do links expire?"), answer: "never" },
    ]);
  });

  it("C6 a truncated file: what is missing is named, with its file", () => {
    expect(told("logic-architect-4")).toMatch(/`flows` is missing \(capability-map\.json/);
  });

  it("D7 a dangling reference: named with file, line and pointer", () => {
    expect(told("logic-architect-5")).toMatch(
      /`B44`.*\(capability-map\.json, line \d+, \/flows\/0\/steps\/3\/behavior_id\)/,
    );
  });

  it("C6 fenced JSON: taken out of the prose, and kept as it was written", () => {
    expect(project.text("project-planning/artifacts/capability-map.json")).toMatch(/^\{/);
    const raw = project.attempt("logic-architect-5", "raw/capability-map.json");
    expect(readFileSync(raw, "utf8")).toContain("Here it is:");
  });

  it("D17 an output at the wrong path: a reminder of the right one", () => {
    expect(project.bundle("physical-architect-2").reminder).toContain("out/physical-map.json");
    expect(told("physical-architect-2")).toContain("no new file was written to");
  });

  it("D8 a behaviour without files: named with file, line and pointer", () => {
    expect(told("physical-architect-3")).toMatch(
      /`B4` has no files \(physical-map\.json, line \d+, \/file_mapping\)/,
    );
  });

  it("D17 an unchanged old file: it does not count, and the halt says what is wrong with it", () => {
    expect(step.answered).toContain("HALTED");
    expect(step.answered).toContain("the same as the one before");
    expect(step.answered).toContain("`B4` has no files");
  });

  it("D10 a cycle: shown as a path, with file, line and pointer", () => {
    expect(told("task-author-2")).toMatch(
      /`T001 -> T002 -> T001` \(T001\.json, line \d+, \/dependencies\/tasks\/0\)/,
    );
  });

  it("D6 D10 a requirement of the later phase: refused, with file, line and pointer", () => {
    expect(told("task-author-3")).toMatch(
      /`REQ-5`, which is left for later.*\(T002\.json, line \d+, \/context\/spec_requirements\/0\)/,
    );
  });

  it("D12 a READY that contradicts its own dimensions: refused, with the dimension that does", () => {
    expect(told("task-plan-verifier-2")).toMatch(
      /`READY`.*`BLOCKED`: `T002` has FAIL on `viability` \(task-validation\.json, line \d+, \/verdict\)/,
    );
  });

  it("D14 a BLOCKED verdict: kept, shown with its report, and judged again after the tasks changed", () => {
    expect(step.blocked).toContain("BLOCKED: T002 is too large");
    expect(step.blocked).toContain("task-validation-report.md");
    expect(step.blocked).toContain("heddle verify-plan");
  });

  it("D19 ends in `ready` once the agent behaves", async () => {
    expect(step.done).toContain("Planning complete: 2 tasks in 2 phases");
    expect(step.done).toMatch(/steel thread +T001 → T002/);
    expect(await project.phase()).toBe("ready");
  });

  it("D21 covers every requirement of this phase but the gap", async () => {
    const { uncovered, excluded } = await project.json("state", "spec-coverage");
    expect(uncovered).toEqual(["REQ-4"]);
    expect(excluded).toMatchObject([{ id: "REQ-5" }]);
  });

  it("C13 `heddle history` tells the story in order", () => {
    const story = [
      /logic-architect .*unparseable/,
      /REQ-3 and REQ-4 contradict/,
      /logic-architect waits for an answer/,
      /never/,
      /`flows` is missing/,
      /logic-architect attempt 4 failed \(validation\): 2 problems/,
      /capability_map is valid/,
      /no new file was written to/,
      /`B4` has no files/,
      /the same as the one before/,
      /physical_map is valid/,
      /T001 -> T002 -> T001/,
      /`REQ-5`/,
      /2 tasks: 2 added/,
      /`READY`, but the dimensions make it `BLOCKED`/,
      /task_validation.*(BLOCKED|is valid)/,
      /-> ready/,
    ];
    let rest = history;
    for (const part of story) {
      const at = rest.search(part);
      expect(at, `${part} is not told, or not in order:\n${history}`).toBeGreaterThanOrEqual(0);
      rest = rest.slice(at + 1);
    }
  });

  it("pays for each turn once", () => {
    const calls = project.text("calls.log").split("\n").filter(Boolean);
    const count = (role: string) => calls.filter((each) => each === role).length;
    expect(["logic-architect", "fixer", "physical-architect"].map(count)).toEqual([5, 1, 4]);
    expect(["task-author", "task-plan-verifier", "plan-auditor"].map(count)).toEqual([3, 3, 1]);
  });
});
