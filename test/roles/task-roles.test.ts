// The skills of a task's roles: their form, their size, and their examples held against the validators that the agent's
// work will meet.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTaskArtifact, type TaskArtifact } from "../../src/packs/lifecycle/artifacts/check.ts";
import { lifecycle } from "../../src/packs/lifecycle/protocol.ts";
import { skillOf, unknownKeys, withMistake } from "./skill.ts";

const root = join(import.meta.dirname, "../..");
const roles = ["planner", "plan-reviewer", "coder", "code-reviewer", "acceptor"];
const schemas: Readonly<Record<string, string>> = { plan: "task-plan" };

it("L11 every role of the lifecycle has a skill, or is heddle itself", () => {
  const used = lifecycle.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : []));
  expect([...new Set(used)].sort()).toEqual([...roles, ...(lifecycle.commands ?? [])].sort());
});

describe.each(roles)("the skill of %s", (role) => {
  const skill = skillOf(readFileSync(join(root, "roles", role, "SKILL.md"), "utf8"));
  const [good] = skill.examples.filter((example) => example.good !== undefined);
  const kind = good?.good as TaskArtifact;
  const document = JSON.parse(good?.text ?? "{}");

  it("has front matter and its sections in order, and stays small", () => {
    expect(skill.front).toMatchObject({ name: role, version: "1" });
    expect(skill.front.description).toMatch(/^[A-Z].{40,240}\.$/);
    expect(skill.front.description).toMatch(/\. Use /);
    const sections = ["Purpose", "Input", "Output", "Method", "Rules", "Examples", "Done when"];
    expect(skill.headings).toEqual(sections);
    expect(Buffer.byteLength(skill.text)).toBeLessThanOrEqual(9000);
    const lines = skill.text.split("\n").filter((line) => !line.startsWith("description: "));
    expect(lines.filter((line) => line.length > 125)).toEqual([]);
  });

  it("shows an output that passes, with keys that the schema names", () => {
    const text = JSON.stringify(document);
    expect(checkTaskArtifact(kind, { file: "output.json", text }).problems).toEqual([]);
    const name = schemas[kind] ?? kind.replaceAll("_", "-");
    const schema = JSON.parse(readFileSync(join(root, "schemas", `${name}.schema.json`), "utf8"));
    expect(unknownKeys(document, schema)).toEqual([]);
  });

  it("shows mistakes that are refused with the code that it names", () => {
    const mistakes = skill.examples.filter(({ bad }) => bad !== undefined);
    expect(mistakes.length).toBeGreaterThan(0);
    for (const mistake of mistakes) {
      expect(mistake.before).toContain(`\`${mistake.bad}\``);
      const text = JSON.stringify(withMistake(document, mistake));
      const codes = checkTaskArtifact(kind, { file: "output.json", text }).problems.map(({ code }) => code);
      expect(codes).toContain(mistake.bad);
    }
  });
});
