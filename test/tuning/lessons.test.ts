// What reading public skills taught: each case is a sentence or a block like those that a diagnosis once took for a fault,
// beside one that is a fault. Found by running the diagnoses on some 900 skills, sub-agents and commands of others.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/packs/tuning/skill/diagnose.ts";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import { readSkill, type SkillPlace } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";
import { folder } from "../e2e/rig.ts";

type Files = Readonly<Record<string, string>>;
const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n# Sample\n\n";
const entry = "tools/sample/SKILL.md";

function foundIn(files: Files | string): string[] {
  const root = folder();
  const all = typeof files === "string" ? { [entry]: files } : files;
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.endsWith("SKILL.md") ? front + text : text);
  }
  const [place] = findSkills(join(root, Object.keys(all)[0] ?? "")) as readonly SkillPlace[];
  return diagnose(readSkill(place as SkillPlace) as Skill).map(({ pattern }) => pattern);
}

const js = (code: string) => `\`\`\`js\n${code}\n\`\`\`\n`;
const python = (code: string) => `\`\`\`python\n${code}\n\`\`\`\n`;

const cases: readonly {
  readonly is: string;
  readonly pattern: string;
  readonly no: Files | string;
  readonly yes: Files | string;
}[] = [
  {
    is: "messages of a wire protocol are no conversation",
    pattern: "CTX-001",
    no: python(
      "from struct import unpack\n\ndef frames(data):\n    messages = []\n    while data:\n        messages.append(unpack(data))",
    ),
    yes: python("while True:\n    messages.append({'role': 'user', 'content': ask()})"),
  },
  {
    is: "a list that is made anew for each prompt does not grow",
    pattern: "CTX-001",
    no: js("const context = [];\nif (notes) context.push(notes);\nconst prompt = context.join('');"),
    yes: js("const context = [];\nfor (const turn of turns) context.push(turn);"),
  },
  {
    is: "`keep it short` is no advice to keep everything",
    pattern: "CTX-001",
    no: "Keep it useful: every context item should lead to a decision.\n",
    yes: "Keep every message of the whole conversation.\n",
  },
  {
    is: "a list of finished work is as long as the work",
    pattern: "TKN-004",
    no: js("state.completed_steps.push(step);"),
    yes: js("state.remarks.push(remark);"),
  },
  {
    is: "links of a template are those of what is made from it",
    pattern: "DF-007",
    no: { [entry]: "Fill it in.\n", "tools/sample/templates/page.md": "See [the rest](../rest.md).\n" },
    yes: { [entry]: "Fill it in.\n", "tools/sample/phases/page.md": "See [the rest](../rest.md).\n" },
  },
  {
    is: "a change log tells what was",
    pattern: "DF-007",
    no: { [entry]: "Do it.\n", "tools/sample/CHANGELOG.md": "Moved [the rules](old/rules.md).\n" },
    yes: { [entry]: "Do it.\n", "tools/sample/guide.md": "Know [the rules](old/rules.md).\n" },
  },
  {
    is: "a skill beside this one, named with its folder or by a paragraph, is there",
    pattern: "DF-007",
    no: {
      [entry]:
        "Know [the names](catalog/references/names.md); of `catalog` know [the tone](references/tone.md).\n",
      "tools/catalog/references/names.md": "x\n",
      "tools/catalog/references/tone.md": "x\n",
    },
    yes: "Know [the names](catalog/references/names.md).\n",
  },
  {
    is: "what lies at the plugin's or the repository's root is there",
    pattern: "DF-007",
    no: { [entry]: "Know [the rules](docs/rules.md).\n", "docs/rules.md": "x\n" },
    yes: "Know [the rules](docs/rules.md).\n",
  },
  {
    is: "what lies outside of the repository is not judged",
    pattern: "DF-007",
    no: { [entry]: "Know [the notes](../../../notes/mine.md).\n", ".git/HEAD": "x\n" },
    yes: { [entry]: "Know [the notes](../../notes/mine.md).\n", ".git/HEAD": "x\n" },
  },
  {
    is: "a file that is to be made need not be there",
    pattern: "DF-007",
    no: "Create a folder and move parts there:\n\n- examples → [examples](references/parts.md)\n",
    yes: "Where it is explained:\n\n- parts → [parts](references/parts.md)\n",
  },
  {
    is: "what stands in a Markdown example with fences of its own is the example's",
    pattern: "DF-007",
    no: "```markdown\n# Title\n\n```bash\nls\n```\n\nSee [more](more.md).\n```\n",
    yes: "```bash\nls\n```\n\nSee [more](more.md).\n",
  },
  {
    is: "a name that another schema brings in is no contradiction",
    pattern: "DF-008",
    no: {
      [entry]: "Do it.\n",
      "tools/sample/plan.schema.json": JSON.stringify({
        ...{ type: "object", required: ["id"], additionalProperties: false, properties: {} },
        allOf: [{ $ref: "base.json" }],
      }),
    },
    yes: {
      [entry]: "Do it.\n",
      "tools/sample/plan.schema.json": JSON.stringify({
        ...{ type: "object", required: ["id"], additionalProperties: false, properties: {} },
      }),
    },
  },
  {
    is: "JSON with comments is read by what it is for",
    pattern: "DF-008",
    no: { [entry]: "Do it.\n", "tools/sample/settings.json": '{\n  // why\n  "a": 1,\n}\n' },
    yes: { [entry]: "Do it.\n", "tools/sample/settings.json": '{\n  "a": 1\n  "b": 2\n}\n' },
  },
  {
    is: "`argument-hint` is text to hosts",
    pattern: "DOC-FRONT-001",
    no: { ".claude/commands/a.md": "---\nargument-hint: [id] [name]\n---\n\nDo it.\n" },
    yes: { ".claude/commands/a.md": "---\ndescription: [id] [name]\n---\n\nDo it.\n" },
  },
];

describe("lessons of public skills", () => {
  it.each(cases)("$pattern: $is", ({ pattern, no, yes }) => {
    expect(foundIn(no)).not.toContain(pattern);
    expect(foundIn(yes)).toContain(pattern);
  });
});
