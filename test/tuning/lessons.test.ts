// What reading public skills taught: each case is a sentence or a block like those that a diagnosis once took for a fault,
// beside one that is a fault. Found by running the diagnoses on some 900 skills, sub-agents and commands of others.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/tuning/diagnose.ts";
import { findSkills } from "../../src/tuning/find.ts";
import { readSkill, type SkillPlace } from "../../src/tuning/read.ts";
import type { Skill } from "../../src/tuning/skill.ts";
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
    is: "a program that the skill teaches is not the skill's own code",
    pattern: "DF-003",
    no: python(
      "import boto3\n\ndef rotate(event):\n    secret = json.loads(event['body'])\n    return put(secret)",
    ),
    yes: python("plan = json.loads(Read('plan.json'))\nfollow(plan)"),
  },
  {
    is: "`?.` and `typeof` are ways to look at what was parsed",
    pattern: "DF-003",
    no: js("const tech = JSON.parse(Bash('show'));\nconst names = tech.stack?.names || [];"),
    yes: js("const tech = JSON.parse(Bash('show'));\nconst names = tech.stack.names;"),
  },
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
    is: "words inside a condition's texts are no content",
    pattern: "CTX-002",
    no: js("const prompt = `Do it. $" + "{deep ? `Write the content to a file of its own.` : ''}`;"),
    yes: js("const prompt = `Do it. $" + "{fileContent}`;"),
  },
  {
    is: "what one branch writes another reads",
    pattern: "TKN-005",
    no: js("if (!there) {\n  Write(path, start);\n  return;\n}\nconst raw = Read(path);"),
    yes: js("Write(path, start);\nconst raw = Read(path);"),
  },
  {
    is: "a list of finished work is as long as the work",
    pattern: "TKN-004",
    no: js("state.completed_steps.push(step);"),
    yes: js("state.remarks.push(remark);"),
  },
  {
    is: "an agent in the background answers somewhere else",
    pattern: "AGT-002",
    no: js("Agent({ subagent_type: 'w', run_in_background: true, prompt: 'x' });"),
    yes: js("Agent({ subagent_type: 'w', prompt: 'x' });"),
  },
  {
    is: "failing tests are no failing agents",
    pattern: "AGT-001",
    no: "Dispatch one agent for each file. If an agent fails, try once more.\n",
    yes: "Dispatch one agent for each file. The tests fail now and must pass then.\n",
  },
  {
    is: "links of a template are those of what is made from it",
    pattern: "DF-007",
    no: { [entry]: "Fill it in.\n", "tools/sample/templates/page.md": "See [the rest](../rest.md).\n" },
    yes: { [entry]: "Fill it in.\n", "tools/sample/phases/page.md": "See [the rest](../rest.md).\n" },
  },
  {
    is: "another skill's file is not this one's",
    pattern: "DF-007",
    no: {
      [entry]: "Use the names of `catalog` (`references/names.md`), and `style`'s `references/tone.md`.\n",
      "tools/catalog/references/names.md": "x\n",
    },
    yes: "Use the names in `references/names.md`.\n",
  },
  {
    is: "a file that is to be made need not be there",
    pattern: "DF-007",
    no: "Create a folder and move parts there:\n\n- examples → `references/examples.md`\n",
    yes: "Where it is explained:\n\n- examples → `references/examples.md`\n",
  },
  {
    is: "a file of findings is no state",
    pattern: "DF-001",
    no: js(
      'Write("out/context-diagnosis.json", a);\nWrite("out/memory-diagnosis.json", b);\nWrite("state.json", c);',
    ),
    yes: js('Write("a-state.json", a);\nWrite("progress.json", b);\nWrite("state.json", c);'),
  },
  {
    is: "steps of one task need no checkpoint",
    pattern: "MEM-003",
    no: [1, 2, 3, 4, 5].map((n) => `## Step ${n}: part\n\nDo part ${n} and check it.\n`).join("\n"),
    yes: [1, 2, 3, 4, 5].map((n) => `## Phase ${n}: part\n\nDo part ${n} and check it.\n`).join("\n"),
  },
  {
    is: "a message about the state is not the state",
    pattern: "MEM-004",
    no: '## State update schema\n\n```json\n{ "a": 1, "b": 2, "c": 3, "d": 4, "e": 5 }\n```\n',
    yes: '## State schema\n\n```json\n{ "a": 1, "b": 2, "c": 3, "d": 4, "e": 5 }\n```\n',
  },
  {
    is: "content deep inside a result is a field like any other",
    pattern: "CTX-005",
    no: js("return { flow: { steps: [{ content: 'hello' }] } };"),
    yes: js("return { content: text };"),
  },
];

describe("lessons of public skills", () => {
  it.each(cases)("$pattern: $is", ({ pattern, no, yes }) => {
    expect(foundIn(no)).not.toContain(pattern);
    expect(foundIn(yes)).toContain(pattern);
  });
});
