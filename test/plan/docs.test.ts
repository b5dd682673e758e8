// What the documents promise is tried: the agent of docs/planning.md plans, and docs/configuration.md knows every setting.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema, parseConfig } from "../../src/config/config.ts";
import { folder } from "../e2e/rig.ts";
import { Planning, roles } from "./rig.ts";

const page = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const block = (name: string, language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page(name))?.[1] ?? "";

describe("docs/planning.md", () => {
  const agent = block("planning.md", "js");

  it("has an agent of twenty lines", () => {
    expect(agent.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  it("has an agent that works, and fixes what the check refuses", async () => {
    const project = new Planning({
      "logic-architect": [
        'if (process.argv[2].startsWith("Read")) { const map = document(); map.flows = []; put(map) } else { say("mending"); good() }',
      ],
    });
    const coding = project
      .text("agent.cjs")
      .replace("process.argv[2]", 'path.join(path.dirname(process.cwd()), "bundle.json")');
    const bin = folder();
    writeFileSync(join(bin, "my-coding-agent"), coding, { mode: 0o755 });
    project.program(agent.replace("#!/usr/bin/env node", `#!${process.execPath}`));
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const words = [
      "plan",
      "spec.md",
      "--target",
      "app",
      "--new",
      "--agent",
      "command:./agent.cjs",
      "--unconfined",
    ];
    const { code, out, err } = await project.in({ env }, ...words);
    expect(code, out + err).toBe(0);
    expect(out).toContain("mending");
    expect(project.attempts()).toHaveLength(roles.length);
  });
});

describe("docs/configuration.md", () => {
  it("has an example without a mistake", () => {
    expect(parseConfig("example", block("configuration.md", "jsonc")).problems).toEqual([]);
  });

  it("names every setting", () => {
    const text = page("configuration.md");
    const { agents, limits, budget } = configSchema.shape;
    const names = [
      ...Object.keys(configSchema.shape),
      ...Object.keys(agents.unwrap().valueType.shape),
      ...Object.keys(limits.unwrap().shape),
      ...Object.keys(budget.unwrap().shape),
    ];
    for (const name of names) expect(text).toMatch(new RegExp(`[\`.]\\$?${name.replace("$", "")}\\b`));
  });
});
