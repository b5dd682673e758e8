// One planted defect for each fix strategy: the edit that it makes, and that the finding is gone by measurement. What no
// honest rule can mend is left to somebody who understands the skill.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSkills } from "../../src/tuning/find.ts";
import { type Pattern, patterns } from "../../src/tuning/finding.ts";
import type { Fix } from "../../src/tuning/fix.ts";
import { measure } from "../../src/tuning/measure.ts";
import { changedSkill, propose } from "../../src/tuning/propose.ts";
import { readSkill, type SkillPlace } from "../../src/tuning/read.ts";
import type { Skill } from "../../src/tuning/skill.ts";
import { folder } from "../e2e/rig.ts";

const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n# Sample\n\n";

type Files = Readonly<Record<string, string>>;

function skillWith(files: Files): Skill {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path === "SKILL.md" && !text.startsWith("---") ? front + text : text);
  }
  const [place] = findSkills(root) as readonly SkillPlace[];
  return readSkill(place as SkillPlace) as Skill;
}

const lines = ({ diff }: Fix, mark: "+" | "-") =>
  diff
    .split("\n")
    .filter((line) => line.startsWith(mark) && !/^(\+\+\+|---) /.test(line))
    .map((line) => line.slice(1).trim())
    .filter((line) => line !== "");

interface Planted {
  readonly strategy: string;
  readonly pattern: keyof typeof patterns;
  readonly files: Files;
  /** Lines that the fix adds. */
  readonly adds: readonly (string | RegExp)[];
}

const js = (code: string) => `\`\`\`js\n${code}\n\`\`\`\n`;
const many = (n: number) => Array.from({ length: n }, (_, at) => `  field_${at}: string;`).join("\n");
const long = (title: string, times: number) =>
  `## ${title}\n\n${"Look at the next item and decide what to do with it. ".repeat(times)}\n\n`;
const unused = Array.from({ length: 18 }, (_, at) => `state.field_${at}`)
  .slice(0, 12)
  .join(", ");

const planted: readonly Planted[] = [
  {
    strategy: "sliding_window",
    pattern: "CTX-001",
    files: { "SKILL.md": js("history.push(turn);") },
    adds: ["history.splice(0, history.length - 10);"],
  },
  {
    strategy: "path_reference",
    pattern: "TKN-003",
    files: { "SKILL.md": js(`const prompt = \`Explain $${"{"}Read("a.log")}\`;`) },
    adds: ["const prompt = `Explain (read what you need of it from a.log)`;"],
  },
  {
    strategy: "constraint_injection",
    pattern: "MEM-001",
    files: {
      "SKILL.md": "Work through the phases and verify the result.\n",
      "phases/1-plan.md": "# Plan\n\n## Constraints\n\n- Never touch generated files\n",
      "phases/2-write.md": "# Write\n\nWrite the text that was planned.\n",
    },
    adds: ["## Constraints", "These hold from `phases/1-plan.md` on:", "- Never touch generated files"],
  },
  {
    strategy: "schema_enforcement",
    pattern: "DF-003",
    files: { "SKILL.md": js("const plan = JSON.parse(text);\nuse(plan);") },
    adds: ['if (typeof plan !== "object" || plan === null) throw new Error("plan is not a document");'],
  },
  {
    strategy: "error_wrapping",
    pattern: "AGT-001",
    files: { "SKILL.md": js("const a = await Task({ prompt: 'x' });\nuse(a);") },
    adds: [/\.catch\(\(error\) => \(\{ failed: String\(error\) \}\)\);$/],
  },
  {
    strategy: "result_validation",
    pattern: "AGT-002",
    files: { "SKILL.md": js("const a = await Task({ prompt: 'x' });\nuse(a);") },
    adds: ['if (!a || a.failed) throw new Error("the agent gave no answer");'],
  },
  {
    strategy: "flatten_nesting",
    pattern: "AGT-004",
    files: {
      "SKILL.md": js(
        "const a = await Task({ prompt: `For each topic launch a sub-agent that searches the web.` });",
      ),
    },
    adds: [/For each topic do this yourself, starting no agents: searches the web\./],
  },
  {
    strategy: "consolidation",
    pattern: "AGT-006",
    files: {
      "SKILL.md": js(
        "await Task({ prompt: `Return JSON.` });\nawait Task({ prompt: `Return a YAML list.` });\nawait Task({ prompt: `Respond in Markdown.` });",
      ),
    },
    adds: [/Return JSON list/, /Respond in JSON/],
  },
  {
    strategy: "consolidate_to_ssot",
    pattern: "DOC-RED-001",
    files: {
      "SKILL.md": "Validate the plan.\n",
      "phases/a.md": "# A\n\n```ts\ninterface Plan { id: string }\n```\n",
      "phases/b.md": "# B\n\n```ts\ninterface Plan { id: string }\n```\n",
    },
    adds: ["// Plan: see phases/a.md"],
  },
  {
    strategy: "prompt_compression",
    pattern: "TKN-001",
    files: { "SKILL.md": `${long("Rare case", 500)}${long("Every day", 50)}` },
    adds: [/^# Rare case/, /^Look at/, "Read [Rare case](references/rare-case.md) when you come to this."],
  },
  {
    strategy: "state_centralization",
    pattern: "DF-001",
    files: {
      "SKILL.md": `Save the queue to \`crawl-state.json\`. Keep the limits in \`config.json\`.\n\n${js(
        'const limits = JSON.parse(Read("config.json"));\nWrite("progress.json", JSON.stringify(pages));\nif (!limits) stop();',
      )}`,
    },
    adds: [
      "Save the queue to `crawl_state` of `state.json`. Keep the limits in `config` of `state.json`.",
      'const limits = JSON.parse(Read("state.json")).config;',
      'Write("state.json", JSON.stringify({ ...JSON.parse(Read("state.json")), progress: pages }));',
    ],
  },
  {
    strategy: "eliminate_intermediate_files",
    pattern: "DF-006",
    files: { "SKILL.md": "Make a plan. Write the plan to `plan.json`. Carry it out and check the result.\n" },
    adds: ["Make a plan. Carry it out and check the result."],
  },
  {
    strategy: "reconcile_conflicting_definitions",
    pattern: "DOC-CON-002",
    files: {
      "SKILL.md": "The kinds are in [kinds](kinds.md).\n",
      "kinds.md": "# Kinds\n\n- `kind-bug`: it does not work\n- `kind-idea`: something new\n",
      "kinds.json": JSON.stringify({
        types: ["kind-bug", "kind-idea", "kind-question"],
        about: { "kind-question": "somebody wants to know" },
      }),
    },
    adds: ["- `kind-question`: somebody wants to know"],
  },
  {
    strategy: "state_field_reduction",
    pattern: "TKN-002",
    files: {
      "SKILL.md": `Validate ${unused} before the goal is checked.\n`,
      "phases/state-schema.md": `# State schema\n\n\`\`\`ts\ninterface State {\n${many(18)}\n}\n\`\`\`\n\nThe goal is in the request.\n`,
    },
    adds: [],
  },
];

describe("S7 S8 each strategy makes a real edit after which its finding is gone", () => {
  it.each(planted)("$strategy mends $pattern", ({ strategy, pattern, files, adds }) => {
    const skill = skillWith(files);
    const before = measure(skill);
    const fix = propose(skill).fixes.find((each) => each.pattern === pattern);
    if (!fix) throw new Error(`no fix: ${JSON.stringify(before.findings.map((each) => each.pattern))}`);
    expect(fix.strategy).toBe(strategy);
    const made = lines(fix, "+");
    expect(made.length).toBe(adds.length);
    for (const [at, wanted] of adds.entries())
      if (typeof wanted === "string") expect(made[at]).toBe(wanted);
      else expect(made[at]).toMatch(wanted);
    const after = measure(changedSkill(skill, fix.changes));
    expect(after.findings.map((each) => each.pattern)).not.toContain(pattern);
    expect(after.score).toBeGreaterThan(before.score);
  });

  it("takes out the fields that nothing mentions, and no others", () => {
    const { files } = planted.at(-1) as Planted;
    const fix = propose(skillWith(files)).fixes.find((each) => each.pattern === "TKN-002");
    expect(fix && lines(fix, "-")).toEqual([12, 13, 14, 15, 16, 17].map((at) => `field_${at}: string;`));
  });
});

describe("S7 where a rule would do half or harm, it does nothing", () => {
  const open = (pattern: string, files: Files) => {
    const skill = skillWith(files);
    expect(measure(skill).findings.map((each) => each.pattern)).toContain(pattern);
    return propose(skill).fixes.filter((each) => each.pattern === pattern);
  };

  it("keeps files of the state that a shell writes, or that another document names", () => {
    const files = "Save it to `a-state.json`, then keep `b-state.json`.\n\nStore `c-state.json`.\n";
    expect(
      open("DF-001", {
        "SKILL.md": `${files}\nSave \`a-state.json\`.\n\nSave \`b-state.json\`.\n`,
        "other.md": "Read `c-state.json`.\n",
      }),
    ).toEqual([]);
    expect(
      open("DF-001", {
        "SKILL.md": `\`\`\`bash\nx > a-state.json\ny > b-state.json\nz > c-state.json\n\`\`\`\n`,
      }),
    ).toEqual([]);
  });

  it("keeps a sentence that says more than to write a file", () => {
    expect(open("DF-006", { "SKILL.md": "Write the plan to `plan.json` and tell the user.\n" })).toEqual([]);
  });

  it("keeps a format that something else relies on", () => {
    const calls =
      "await Task({ prompt: `Return JSON.` });\nawait Task({ prompt: `Return YAML.` });\nawait Task({ prompt: `Return XML.` });\nyaml.load(a); xml.parse(b);";
    expect(open("AGT-006", { "SKILL.md": js(calls) })).toEqual([]);
  });

  it("makes no description up", () => {
    const files = {
      "SKILL.md": "See [kinds](kinds.md).\n",
      "kinds.md": "# Kinds\n\n- `kind-bug`: broken\n- `kind-idea`: new\n",
      "kinds.json": JSON.stringify({ types: ["kind-bug", "kind-idea", "kind-question"] }),
    };
    expect(open("DOC-CON-002", files)).toEqual([]);
  });

  it("does not choose which kinds of agents may go", () => {
    const kinds = ["a", "b", "c", "d"].map(
      (kind) => `await Task({ subagent_type: "${kind}", prompt: "x" });`,
    );
    const text = `---\nname: sample\ndescription: A sample. Use it for tests.\nmode: autonomous\n---\n\n${js(kinds.join("\n"))}`;
    expect(open("AGT-003", { "SKILL.md": text })).toEqual([]);
  });
});

it("every strategy of the catalogue is one of the documents', with a pattern that it mends", () => {
  const named = new Set(
    Object.values(patterns as Readonly<Record<string, Pattern>>).map(({ strategy }) => strategy),
  );
  for (const { strategy } of planted) expect(named).toContain(strategy);
});
