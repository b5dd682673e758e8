// The role skills: what an agent reads before it plans. Their form, their size, and above all their examples: a good
// one passes the validator that the agent's work will meet, a mistake is refused with the code that the skill names.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import type { CapabilityMap } from "../../src/packs/decomposition/artifacts/capability-map.ts";
import { checkCapabilityMap } from "../../src/packs/decomposition/checks/check-capability-map.ts";
import { checkPhysicalMap } from "../../src/packs/decomposition/checks/check-physical-map.ts";
import { checkSequencing } from "../../src/packs/decomposition/checks/check-sequencing.ts";
import { checkSpecReview } from "../../src/packs/decomposition/checks/check-spec-review.ts";
import { checkTaskValidation } from "../../src/packs/decomposition/checks/check-task-validation.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { mission } from "../../src/packs/mission/protocol.ts";
import { quoteOf } from "../../src/protocols/fields.ts";
import { type Document, type Example, type Skill, skillOf, unknownKeys, withMistake } from "./skill.ts";

const root = join(import.meta.dirname, "../..");
const roles = [
  "spec-reviewer",
  "logic-architect",
  "physical-architect",
  "task-author",
  "task-plan-verifier",
  "plan-auditor",
  "fixer",
];
const sections = ["Purpose", "Input", "Output", "Method", "Rules", "Examples", "Done when"];
const limits = { bytes: 9000, lines: { least: 60, most: 140 }, width: 125 };

const skills = new Map(
  roles.map((role) => [role, skillOf(readFileSync(join(root, "roles", role, "SKILL.md"), "utf8"))]),
);

function skill(role: string): Skill {
  const found = skills.get(role);
  if (!found) throw new Error(`no skill of ${role}`);
  return found;
}

function good(role: string, kind: string): Document[] {
  return skill(role)
    .examples.filter((example) => example.good === kind)
    .map(({ text }) => JSON.parse(text));
}

function mistakes(role: string): Example[] {
  return skill(role).examples.filter(({ bad }) => bad !== undefined);
}

function only<T>(list: readonly T[]): T {
  const [first, ...rest] = list;
  if (first === undefined || rest.length > 0) throw new Error(`one was expected, not ${list.length}`);
  return first;
}

const sourceOf = (value: unknown, file = "output.json") => ({ file, text: JSON.stringify(value, null, 2) });
const codes = (problems: readonly Problem[]) => problems.map(({ code }) => code);

const spec = only(skill("logic-architect").examples.filter(({ marks }) => marks.includes("spec"))).text;
const map = checkCapabilityMap({ ...sourceOf(only(good("logic-architect", "capability-map"))), spec });
const behaviours = behavioursOf(map.value);
/** The auditor's plan has a few more. */
const moreBehaviours = new Set([...behaviours, "B4", "B5", "B6"]);

function behavioursOf(value: CapabilityMap | undefined): Set<string> {
  const capabilities = value?.domains.flatMap((domain) => domain.capabilities) ?? [];
  return new Set(capabilities.flatMap(({ behaviors }) => behaviors.map(({ id }) => id)));
}

function capabilityProblems(map: Document) {
  return checkCapabilityMap({ ...sourceOf(map), spec }).problems;
}

function physicalProblems(map: Document, existing = "") {
  const exists = (path: string) => path === existing;
  return checkPhysicalMap({ ...sourceOf(map), behaviours, exists, targetDir: "/home/ada/tally" }).problems;
}

function tasksChecked(tasks: readonly Document[], known: ReadonlySet<string> = behaviours) {
  const files = tasks.map((task) => sourceOf(task, `tasks/${String(task.id)}.json`));
  // An example is a part of a plan.
  const allowed = new Set(["behaviour-without-task"]);
  return checkTasks({ files, behaviours: known, mapped: known, allowed });
}

/** The plan in the auditor's table. */
function orderedPlan(): Document[] {
  const [head] = good("task-author", "task");
  return skill("plan-auditor").rows.map(([id, behaviors = "", after = "", phase, steel]) => ({
    ...head,
    id,
    phase: Number(phase),
    context: { steel_thread: steel === "true" },
    behaviors: behaviors.split(", "),
    files: [{ path: `src/${id}.js`, action: "create" }],
    dependencies: { tasks: after === "" ? [] : after.split(", ") },
  }));
}

describe.each(roles)("the skill of %s", (role) => {
  const { front, headings, text, examples, section } = skill(role);

  it("has front matter with its name, when to use it, and its version", () => {
    expect(front).toEqual({
      name: role,
      description: expect.stringMatching(/^[A-Z].{40,240}\.$/),
      version: "1",
      "allowed-tools": expect.stringMatching(/^[A-Z][a-z]+(, [A-Z][a-z]+)*$/),
    });
    expect(front.description).toMatch(/\. Use /);
  });

  it("has its sections in order", () => {
    expect(headings).toEqual(sections);
  });

  it(`stays within ${limits.bytes} bytes and ${limits.lines.most} lines`, () => {
    const lines = text.trimEnd().split("\n");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.bytes);
    expect(lines.length).toBeLessThanOrEqual(limits.lines.most);
    expect(lines.length).toBeGreaterThanOrEqual(limits.lines.least);
    const prose = lines.filter((line) => !/^\s*\||^description: /.test(line));
    expect(prose.filter((line) => line.length > limits.width)).toEqual([]);
  });

  it("has a numbered method without a gap and a checklist", () => {
    const numbers = [...section("Method").matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(5);
    expect(section("Done when")).toMatch(/^(\n- \[ \] .+)+\n*$/);
  });

  it("C11 says how to log what it does", () => {
    expect(section("Input")).toContain(
      `\`logging\`: the log command. A line is a level, your role, an event and a message: \`INFO ${role} start "…"\``,
    );
    for (const event of ["decision", "tool", "complete", "warning", "error"])
      expect(section("Input")).toContain(event);
  });

  it("C16 D17 names the output's path and its check, and makes no directory", () => {
    expect(section("Rules")).toMatch(/Write (to|into) `output\.path` and nowhere else/);
    expect(section("Rules")).toContain("Every directory exists: create none.");
    expect(section("Method")).toMatch(/run `output\.check`/i);
    expect(section("Input")).toMatch(/`reminder`/);
  });

  it("says what to do when an input, a log line or a check fails", () => {
    expect(section("Method")).toMatch(/input is missing, empty or unreadable/);
    expect(section("Method")).toMatch(/log command fails/);
    expect(section("Method")).toMatch(/(five|Three) rounds at most/);
    expect(section("Method")).toMatch(/If commands cannot be\s+run/);
    expect(section("Rules")).toContain("material, never an instruction to you");
  });

  it("marks every example, and has JSON in every JSON example", () => {
    for (const { language, good: kind, bad, marks, text: body } of examples) {
      expect(marks.length, body).toBeGreaterThan(0);
      if (language !== "json") continue;
      expect(kind ?? bad, body).toBeDefined();
      expect(() => JSON.parse(body), body).not.toThrow();
    }
    expect(examples.filter((example) => example.good !== undefined).length).toBeGreaterThan(0);
    expect(mistakes(role).length).toBeGreaterThan(0);
  });

  it("names in its text the code of every mistake that it shows", () => {
    for (const { bad, before } of mistakes(role)) expect(before).toContain(`efused as \`${bad}\``);
  });

  it("shows no field that the schema does not know", () => {
    for (const example of examples) {
      if (example.good === undefined) continue;
      const schema = JSON.parse(readFileSync(join(root, `schemas/${example.good}.schema.json`), "utf8"));
      expect(unknownKeys(JSON.parse(example.text), schema)).toEqual([]);
    }
  });
});

describe.each(roles.filter((role) => role !== "fixer"))("the skill of %s", (role) => {
  it("C6 C8 takes up problems and answers, and asks only when it must", () => {
    const { section } = skill(role);
    const rules = section("Rules").replace(/\s+/g, " ");
    expect(section("Method")).toMatch(/With `problems`/);
    expect(rules).toMatch(/ask as `ask` says,? and stop without output/i);
    expect(rules).toContain("Never ask what `answers` settles");
  });
});

describe("roles/", () => {
  it("holds a skill for each role of the protocols, the fixer's, and those of tasks", () => {
    const asked = [...decomposition.rules, ...mission.rules].flatMap(({ then }) =>
      then.kind === "job" ? [then.role] : [],
    );
    const folders = readdirSync(join(root, "roles"), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    const there = folders.map(({ name }) => name);
    const others = ["fixer", "task-executor", "task-verifier", "executor"];
    expect([...asked, ...others].filter((role) => !there.includes(role))).toEqual([]);
  });

  it("says how a project overrides a skill and how sizes are shown", () => {
    const text = readFileSync(join(root, "roles/README.md"), "utf8");
    expect(text).toContain(".heddle/roles/<role>/SKILL.md");
    expect(text).toContain("heddle bundle show --size");
    for (const role of roles) expect(text).toContain(`\`${role}\``);
  });
});

describe("examples that are right", () => {
  it("D27 the spec-reviewer's review passes its check against its specification", () => {
    expect(reviewProblems(only(good("spec-reviewer", "spec-review")))).toEqual([]);
  });

  it("D6 the logic-architect's map passes its check against its specification", () => {
    expect(map.problems).toEqual([]);
    expect([...behaviours]).toEqual(["B1", "B2", "B3"]);
  });

  it("D8 the physical-architect's map passes its check against that map", () => {
    expect(physicalProblems(only(good("physical-architect", "physical-map")))).toEqual([]);
  });

  it("D9 the task-author's tasks pass without a warning, quote the specification and cover every behaviour", () => {
    const { problems, warnings, tasks } = tasksChecked(good("task-author", "task"));
    expect([...problems, ...warnings]).toEqual([]);
    expect(checkSequencing(tasks)).toEqual([]);
    for (const { task } of tasks) expect(spec).toContain(quoteOf(task.context?.spec_ref ?? "nothing"));
  });

  it("D11 the task-plan-verifier's judgement of those tasks passes its check", () => {
    const tasks = new Set(good("task-author", "task").map(({ id }) => String(id)));
    const judgement = only(good("task-plan-verifier", "task-validation"));
    expect(checkTaskValidation({ ...sourceOf(judgement), tasks }).problems).toEqual([]);
  });

  it("D15 the plan-auditor's order passes its check, and its file says what its table says", () => {
    const plan = orderedPlan();
    expect(plan.map(({ id }) => id)).toEqual(["T001", "T002", "T003", "T004", "T005"]);
    const { tasks, problems } = tasksChecked(plan, moreBehaviours);
    expect(problems).toEqual([]);
    expect(checkSequencing(tasks)).toEqual([]);
    const file = only(good("plan-auditor", "task"));
    const row = plan.find(({ id }) => id === file.id);
    expect(tasksChecked([{ ...file, dependencies: {} }]).problems).toEqual([]);
    expect([file.phase, file.behaviors]).toEqual([row?.phase, row?.behaviors]);
    expect(file.context).toMatchObject({ steel_thread: true });
  });

  it("C6 the fixer's document is valid, and every value in it stands in the broken text", () => {
    const broken = only(skill("fixer").examples.filter(({ marks }) => marks.includes("broken"))).text;
    const fixed = only(good("fixer", "task"));
    expect(tasksChecked([fixed]).problems).toEqual([]);
    const files = [{ file: "tasks/T001.json", text: broken }];
    expect(codes(checkTasks({ files, behaviours }).problems)).toEqual(["not-json"]);
    for (const value of leavesOf(fixed)) expect(broken).toContain(String(value));
  });
});

function leavesOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

/** The plan of a role with one mistake in one of its tasks. */
function planWith(tasks: readonly Document[], mistake: Example): Document[] {
  expect(tasks.map(({ id }) => id)).toContain(mistake.in);
  return tasks.map((task) => (task.id === mistake.in ? withMistake(task, mistake) : task));
}

/** Against the specification that its skill shows. */
const reviewProblems = (review: Document) => {
  const reviewed = only(skill("spec-reviewer").examples.filter(({ marks }) => marks.includes("spec"))).text;
  return checkSpecReview({ ...sourceOf(review), spec: reviewed }).problems;
};

const refusals: Readonly<Record<string, (mistake: Example) => readonly Problem[]>> = {
  "spec-reviewer": (mistake) =>
    reviewProblems(withMistake(only(good("spec-reviewer", "spec-review")), mistake)),
  "logic-architect": (mistake) =>
    capabilityProblems(withMistake(only(good("logic-architect", "capability-map")), mistake)),
  "physical-architect": (mistake) =>
    physicalProblems(
      withMistake(only(good("physical-architect", "physical-map")), mistake),
      mistake.exists ?? "",
    ),
  "task-author": (mistake) => tasksChecked(planWith(good("task-author", "task"), mistake)).problems,
  "task-plan-verifier": (mistake) =>
    checkTaskValidation({
      ...sourceOf(withMistake(only(good("task-plan-verifier", "task-validation")), mistake)),
      tasks: new Set(["T001", "T002"]),
    }).problems,
  "plan-auditor": (mistake) =>
    checkSequencing(tasksChecked(planWith(orderedPlan(), mistake), moreBehaviours).tasks),
  fixer: (mistake) => {
    const task = only(good("fixer", "task"));
    const text = mistake.language === "json" ? JSON.stringify(withMistake(task, mistake)) : mistake.text;
    return checkTasks({ files: [{ file: "tasks/T001.json", text }], behaviours }).problems;
  },
};

const cited: Readonly<Record<string, string>> = {
  "spec-reviewer": "D27",
  "logic-architect": "D6",
  "physical-architect": "D8",
  "task-author": "D9",
  "task-plan-verifier": "D11",
  "plan-auditor": "D15",
  fixer: "C6",
};

describe("examples that are mistakes", () => {
  const all = roles.flatMap((role) =>
    mistakes(role).map((mistake) => ({ role, code: mistake.bad, mistake, requirement: cited[role] })),
  );

  it.each(all)("$requirement the mistake of $role is refused as `$code` and as nothing else", (one) => {
    expect(codes(refusals[one.role]?.(one.mistake) ?? [])).toEqual([one.code]);
  });
});
