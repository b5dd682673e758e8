import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { callsTo, tokensIn } from "../../src/packs/tuning/skill/code.ts";
import { diagnose } from "../../src/packs/tuning/skill/diagnose.ts";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import { parseMarkdown } from "../../src/packs/tuning/skill/markdown.ts";
import { propose } from "../../src/packs/tuning/skill/propose.ts";
import { readSkill } from "../../src/packs/tuning/skill/read.ts";
import type { Block, Skill } from "../../src/packs/tuning/skill/skill.ts";
import { tokensOf } from "../../src/packs/tuning/skill/tokens.ts";
import { processorMs } from "../processor-time.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-tune-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const block = (text: string, language = "js", line = 1): Block => ({
  language,
  text,
  line,
  endLine: line,
  under: [],
  isWarning: false,
});

describe("reading skills", () => {
  it("finds statements, blocks, rows and references with their lines", () => {
    const parts = parseMarkdown(
      "---\nname: x\n---\n\n# A\n\nRead [more](more.md) and `phases/one.md`.\n\n```js\nTask({})\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    );
    expect(parts.front?.values).toEqual({ name: "x" });
    expect(parts.sections).toMatchObject([{ title: "A", line: 5 }]);
    expect(parts.blocks).toMatchObject([{ language: "js", text: "Task({})", line: 10, endLine: 10 }]);
    expect(parts.rows).toMatchObject([{ cells: ["1", "2"], line: 15 }]);
    expect(parts.references).toMatchObject([
      { target: "more.md", form: "link", line: 7 },
      { target: "phases/one.md", form: "path", line: 7 },
    ]);
  });

  it("says where front matter is broken", () => {
    expect(parseMarkdown("---\nname: a: b\n---\n").front?.fault).toMatchObject({ line: 2 });
    expect(parseMarkdown("---\nname: a\n\n# Title\n").front?.fault?.message).toContain("no closing");
    expect(parseMarkdown("---\nname: a\nname: b\n---\n").front?.fault?.line).toBe(3);
    expect(parseMarkdown("# Title\n\n---\n\ntext\n").front).toBeUndefined();
  });

  it("knows what is shown as a mistake", () => {
    const { blocks, statements } = parseMarkdown(
      "# A\n\nThis is wrong:\n\n```js\na()\n```\n\nThis works:\n\n```js\nb()\n```\n\n## Anti-patterns\n\n- Paste it all\n",
    );
    expect(blocks.map(({ isWarning }) => isWarning)).toEqual([true, false]);
    expect(statements.at(-1)?.isWarning).toBe(true);
  });

  it("counts tokens, special marks and endless words too", () => {
    expect(tokensOf("hello world")).toBe(2);
    expect(tokensOf("<|endoftext|>")).toBeGreaterThan(1);
    const before = processorMs();
    expect(tokensOf("a".repeat(500_000))).toBeGreaterThan(10_000);
    expect(processorMs() - before).toBeLessThan(5000);
  });

  it("cuts fragments of code into calls", () => {
    const tokens = tokensIn(
      block(
        "try {\n  const r = await Task({ prompt: `x $" +
          '{f({a: 1})} y` });\n} catch (e) {}\nTask({}).then(x).catch(y);\n// Task({})\n"Task({})"',
      ),
    );
    const [first, second, ...rest] = callsTo(tokens, /^Task$/);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ line: 2, endLine: 2 });
    expect(second).toMatchObject({ line: 4, endLine: 4 });
    expect(tokens.find(({ holes }) => holes.length > 0)?.holes).toEqual(["f({a: 1})"]);
  });

  it("finds the skills of every host and says of which kind each is", () => {
    const text = "---\nname: n\ndescription: d\n---\nx\n";
    const root = folderWith({
      ".claude/skills/a/SKILL.md": text,
      ".claude/agents/b.md": text,
      ".claude/commands/git/c.md": text,
      ".codex/skills/d/SKILL.md": text,
      ".codex/prompts/e.md": text,
      ".opencode/agent/f.md": text,
      ".opencode/command/f2.md": text,
      ".gemini/agents/g.md": text,
      ".gemini/commands/git/g2.toml": 'prompt = "Do it."\n',
      ".agents/skills/g3/SKILL.md": text,
      "plugin/.claude-plugin/plugin.json": "{}",
      "plugin/agents/i.md": text,
      "plugin/commands/j.md": text,
      "plugin/skills/k/SKILL.md": text,
      "other/agents/no.md": text,
      "sub/CLAUDE.md": text,
      "sub/GEMINI.md": text,
      "AGENTS.md": text,
      "tools/h/SKILL.md": text,
      "docs/readme.md": text,
      "node_modules/x/SKILL.md": text,
    });
    const found = findSkills(root);
    expect("code" in found ? found : found.map(({ kind }) => kind).sort()).toEqual([
      "claude-agent",
      "claude-agent",
      "claude-command",
      "claude-command",
      "claude-skill",
      "claude-skill",
      "codex-prompt",
      "codex-skill",
      "codex-skill",
      "gemini-agent",
      "gemini-command",
      "instructions",
      "instructions",
      "instructions",
      "opencode-agent",
      "opencode-command",
      "skill",
    ]);
  });

  it("reads the prompt of a Gemini command, with its lines, and fixes nothing around it", () => {
    const prompt = "# Review\n\nKeep every message of the whole conversation.\n\nRead {{args}}.";
    const root = folderWith({
      ".gemini/commands/review.toml": `description = "Reviews a change"\nprompt = """\n${prompt}\n"""\n`,
      ".gemini/commands/none.toml": 'description = "nothing"\n',
    });
    const skill = readSkill({
      entry: join(root, ".gemini/commands/review.toml"),
      kind: "gemini-command",
    }) as Skill;
    const [finding, ...others] = diagnose(skill);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ pattern: "CTX-001", line: 5 });
    expect(propose(skill).fixes).toEqual([]);
    const none = readSkill({
      entry: join(root, ".gemini/commands/none.toml"),
      kind: "gemini-command",
    }) as Skill;
    expect(diagnose(none)).toMatchObject([{ pattern: "DOC-FRONT-001" }]);
    expect(propose(none).fixes).toEqual([]);
  });

  it("reads the files below a skill, but no other skill, no link outside and no file without end", () => {
    const outside = folderWith({ "secret.md": "secret" });
    const root = folderWith({
      "SKILL.md": "---\nname: n\n---\n",
      "phases/1.md": "one",
      "specs/a.json": '{"a": 1}',
      "specs/broken.json": "{",
      "inner/SKILL.md": "another",
      "picture.png": "x",
    });
    symlinkSync(join(outside, "secret.md"), join(root, "link.md"));
    symlinkSync(root, join(root, "round"));
    const skill = readSkill({ entry: join(root, "SKILL.md"), kind: "skill" }) as Skill;
    expect(skill.files.map(({ path }) => path)).toEqual([
      "SKILL.md",
      "phases/1.md",
      "specs/a.json",
      "specs/broken.json",
    ]);
    expect(skill.files[2]?.json).toEqual({ a: 1 });
    expect(skill.files[3]?.json).toBeUndefined();
  });

  it("answers with a sentence where there is no skill", () => {
    const root = folderWith({ "notes.txt": "x" });
    expect(findSkills(join(root, "nowhere"))).toMatchObject({ code: "no-skill" });
    expect(findSkills(join(root, "notes.txt"))).toMatchObject({ code: "no-skill" });
    expect(findSkills(root)).toMatchObject({ code: "no-skill" });
  });
});
