// What rules fix, what they refuse to touch, and that no word of the author's is lost on the way (S15).
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEdit } from "../../src/packs/tuning/skill/advice.ts";
import { fixesFromEdits } from "../../src/packs/tuning/skill/edits.ts";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import { isCounted, type Pattern, patterns } from "../../src/packs/tuning/skill/finding.ts";
import type { Fix } from "../../src/packs/tuning/skill/fix.ts";
import { lostBy } from "../../src/packs/tuning/skill/keep.ts";
import { measure } from "../../src/packs/tuning/skill/measure.ts";
import { changedSkill, propose } from "../../src/packs/tuning/skill/propose.ts";
import { readSkill, type SkillPlace } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";
import { folder } from "../e2e/rig.ts";

type Files = Readonly<Record<string, string>>;
const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n# Sample\n\n";

function skillWith(files: Files, entry = "sample/SKILL.md"): Skill {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    const place = join(root, dirname(entry), path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, path === "SKILL.md" && !text.startsWith("---") ? front + text : text);
  }
  const [place] = findSkills(join(root, entry)) as readonly SkillPlace[];
  return readSkill(place as SkillPlace) as Skill;
}

const lines = ({ diff }: Fix, mark: "+" | "-") =>
  diff
    .split("\n")
    .filter((line) => line.startsWith(mark) && !/^(\+\+\+|---) /.test(line))
    .map((line) => line.slice(1).trim());

interface Planted {
  readonly pattern: keyof typeof patterns;
  readonly risk: "low" | "medium";
  readonly files: Files;
  readonly entry?: string;
  readonly adds: readonly string[];
}

const planted: readonly Planted[] = [
  {
    pattern: "DF-007",
    risk: "medium",
    files: { "SKILL.md": "Keep to the [style](docs/style.md).\n", "references/style.md": "Be short.\n" },
    adds: ["Keep to the [style](references/style.md)."],
  },
  {
    pattern: "DOC-FRONT-001",
    risk: "low",
    files: {
      "SKILL.md": "---\nname: sample\ndescription: Formats tables: aligns columns\n---\n\nAlign them.\n",
    },
    adds: ['description: "Formats tables: aligns columns"'],
  },
  {
    pattern: "DOC-FRONT-001",
    risk: "low",
    files: { "SKILL.md": "---\nname: sample\ndescription: Draws\n\n# Diagrams\n\nDraw it.\n" },
    adds: ["---"],
  },
  {
    pattern: "DOC-FRONT-002",
    risk: "low",
    files: { "SKILL.md": "---\ndescription: Aligns tables. Use it for Markdown.\n---\n\nAlign them.\n" },
    adds: ["name: sample"],
  },
];

describe("S7 S8 S15 each strategy makes a real edit after which its finding is gone", () => {
  it.each(planted)("$pattern is fixed at $risk risk", ({ pattern, risk, files, entry, adds }) => {
    const skill = skillWith(files, entry);
    const before = measure(skill);
    const fix = propose(skill).fixes.find((each) => each.pattern === pattern);
    if (!fix) throw new Error(`no fix: ${JSON.stringify(before.findings.map((each) => each.pattern))}`);
    expect(fix.risk).toBe(risk);
    expect(lines(fix, "+")).toEqual(adds);
    const after = measure(changedSkill(skill, fix.changes));
    expect(after.findings.map((each) => each.pattern)).not.toContain(pattern);
    expect(after.score).toBeGreaterThan(before.score);
  });

  it("S15 lets a sub-agent use a tool only once an agent has confirmed it, and never at low risk", () => {
    const text = "---\nname: a\ndescription: d\ntools: Read\n---\n\nRun the tests with the Bash tool.\n";
    const skill = skillWith({ "a.md": text }, ".claude/agents/a.md");
    expect(propose(skill).fixes).toEqual([]);
    const [finding] = measure(skill).findings;
    const confirmed = { [finding?.key ?? ""]: "Run the tests with the Bash tool" };
    const [fix] = propose(skill, { confirmed }).fixes;
    expect(fix).toMatchObject({ pattern: "AGT-005", risk: "medium" });
    expect(fix && lines(fix, "+")).toEqual(["tools: Read, Bash"]);
  });
});

describe("S15 what no rule can fix well is explained, with an example", () => {
  const explained: readonly (readonly [string, Files])[] = [
    [
      "TKN-006",
      { "SKILL.md": `---\nname: sample\ndescription: ${"Long words. ".repeat(100)}\n---\n\nDo it.\n` },
    ],
    ["DF-007", { "SKILL.md": "See [the rules](rules.md).\n", "a/rules.md": "x\n", "b/rules.md": "y\n" }],
    ["DF-007", { "SKILL.md": "See [the rules](rules.md).\n", "ruler.md": "x\n" }],
    ["DOC-FRONT-002", { "SKILL.md": "---\nname: sample\n---\n\nAlign every table of the file.\n" }],
    ["DOC-EMPTY-001", { "SKILL.md": "## Steps\n" }],
  ];
  it.each(explained)("S15 %s is left to a person", (pattern, files) => {
    const skill = skillWith(files);
    const finding = measure(skill).findings.find((each) => each.pattern === pattern);
    expect(finding?.advice).toMatch(/for example|no rule can/);
    expect(propose(skill)).toMatchObject({ fixes: [], open: [finding?.id] });
  });

  it("S15 every pattern says what to do", () => {
    const all = Object.entries(patterns as Readonly<Record<string, Pattern>>);
    expect(all.filter(([, { advice }]) => advice.length < 40).map(([id]) => id)).toEqual([]);
  });
});

describe("S15 a fix keeps the author's words", () => {
  const body =
    "Read the diff first. Name what breaks callers.\n\nSee [the rules](rules.md) for the names.\n\n```js\nawait save(list.slice(-10));\n```\n";
  const skill = () => skillWith({ "SKILL.md": body, "references/more.md": "Nobody is sent here.\n" });
  const loss = (reword: (text: string) => string, more: Files = {}) => {
    const now = skill();
    const changes = [
      { file: "SKILL.md", before: now.entry.text, after: reword(now.entry.text) },
      ...Object.entries(more).map(([file, after]) => ({ file, before: null, after })),
    ];
    return lostBy(now, changedSkill(now, changes), { changes, freed: "rules.md" });
  };

  it("S15 a sentence, a word, or code that is gone is noticed, and named", () => {
    expect(loss((text) => text.replace(" Name what breaks callers.", ""))).toMatch(
      /name|what|breaks|callers/,
    );
    expect(loss((text) => text.replace("first", "soon"))).toContain("first");
    expect(loss((text) => text.replace(".slice(-10)", ""))).toContain("code");
    expect(loss((text) => text.replace("await ", ""))).toContain("code");
    expect(loss((text) => text.replace("A sample. Use it", "Use it"))).toBeDefined();
  });

  it("S15 moved words count only where a host would read them", () => {
    const moved = (text: string) => text.replace(" Name what breaks callers.", "");
    expect(loss(moved, { "notes.md": "Name what breaks callers.\n" })).toBeDefined();
    const named = (text: string) =>
      moved(text).replace("for the names.", "for the names, and [notes](notes.md).");
    expect(loss(named, { "notes.md": "Name what breaks callers.\n" })).toBeUndefined();
  });

  it("S15 the dead path itself may go, and added words are no loss", () => {
    expect(loss((text) => text.replace("](rules.md)", "](references/more.md)"))).toBeUndefined();
    expect(loss((text) => `${text}\nThen stop.\n`)).toBeUndefined();
  });

  it("S15 an agent's edit that drops words is refused, one that keeps them is offered", () => {
    const now = skill();
    const before = measure(now);
    const open = before.findings.filter(isCounted);
    const edit = (old: string, fresh: string): AgentEdit => ({
      ...{ pattern: "DF-007", file: "SKILL.md", old, new: fresh, reason: "the file is not there" },
    });
    const sentence = "See [the rules](rules.md) for the names.";
    const fixes = (each: AgentEdit) => fixesFromEdits(now, { edits: [each], open, before, look: {} });
    expect(fixes(edit(`\n${sentence}\n`, ""))).toEqual([]);
    expect(fixes(edit(sentence, "See the rules for the names."))).toMatchObject([{ risk: "high" }]);
  });
});
