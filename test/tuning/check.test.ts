// `heddle tune --check` through the real CLI: exit codes, formats, and skills that are hard to read.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { patterns } from "../../src/packs/tuning/skill/finding.ts";
import { folder, heddle } from "../e2e/rig.ts";
import { corpus } from "./corpus.ts";

function write(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n";

/** Every file with its bytes and times. */
function look(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const stat = statSync(join(root, name));
      return `${name} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(root, name), "utf8") : ""}`;
    });
}

interface Shown {
  readonly gate: string;
  readonly skills: readonly {
    readonly name: string;
    readonly kind: string;
    readonly score: number;
    readonly gate: string;
    readonly counts: Readonly<Record<string, number>>;
    readonly findings: readonly {
      readonly pattern: string;
      readonly severity: string;
      readonly certainty: string;
      readonly line: number;
    }[];
  }[];
}

async function checked(
  cwd: string,
  ...words: readonly string[]
): Promise<{ code: number | null; shown: Shown }> {
  const { code, out } = await heddle(["tune", "--check", ...words, "--json"], { cwd });
  return { code, shown: JSON.parse(out) as Shown };
}

describe("heddle tune --check", () => {
  it("S13 heddle's own roles pass", async () => {
    const { code, shown } = await checked(resolve(import.meta.dirname, "../.."), "roles");
    expect({ code, gate: shown.gate }).toEqual({ code: 0, gate: "pass" });
    expect(shown.skills.length).toBeGreaterThanOrEqual(8);
  });

  it("S6 scores by severity, and the exit code follows the gate", async () => {
    const { code, shown } = await checked(corpus, "doc-researcher");
    expect(shown.skills[0]).toMatchObject({ score: 65, gate: "review", counts: { high: 1, medium: 4 } });
    expect(code).toBe(1);
    expect((await checked(corpus, "css-cleanup")).code).toBe(0);
  });

  it("changes nothing", async () => {
    const root = folder();
    cpSync(join(corpus, "doc-researcher"), join(root, "skill"), { recursive: true });
    const before = look(root);
    await heddle(["tune", "--check", "skill"], { cwd: root });
    expect(look(root)).toEqual(before);
  });

  it("finds the skills of a project with --all", async () => {
    const root = write(folder(), {
      ".claude/skills/a/SKILL.md": `${front}Do it.\n`,
      ".claude/agents/b.md": `${front}Do it.\n`,
      ".claude/commands/c.md": `${front}Do it.\n`,
      ".codex/skills/d/SKILL.md": `${front}Do it.\n`,
      ".opencode/agent/e.md": `${front}Do it.\n`,
      ".opencode/command/f.md": `${front}Do it.\n`,
      ".gemini/agents/g.md": `${front}Do it.\n`,
      ".gemini/commands/h.toml": 'prompt = "Do it."\n',
      "AGENTS.md": "Run the tests.\n",
      "app/CLAUDE.md": "Run the tests.\n",
      "app/GEMINI.md": "Run the tests.\n",
    });
    const { shown } = await checked(root, "--all", "--dir", root);
    expect(shown.skills.map(({ kind }) => kind).sort()).toEqual([
      "claude-agent",
      "claude-command",
      "claude-skill",
      "codex-skill",
      "gemini-agent",
      "gemini-command",
      "instructions",
      "instructions",
      "instructions",
      "opencode-agent",
      "opencode-command",
    ]);
  });

  it("lists them with `heddle tune --all`, says which one needs it most, and tunes them all with --yes", async () => {
    const root = folder();
    for (const name of ["css-cleanup", "doc-researcher", "broken-front"])
      cpSync(join(corpus, name), join(root, name), { recursive: true });
    const listed = await heddle(["tune", "--all", "--dir", root], { cwd: root });
    expect(listed.code).toBe(1);
    expect(listed.out).toMatch(/pass +100 {2}css-cleanup\/SKILL\.md/);
    expect(listed.out).toMatch(/hint: heddle tune doc-researcher\/SKILL\.md/);
    const tuned = await heddle(["tune", "--all", "--yes", "high", "--dir", root], { cwd: root });
    expect({ code: tuned.code, err: tuned.err }).toEqual({ code: 0, err: "" });
    expect((await heddle(["tune", "--check", "."], { cwd: root })).code).toBe(0);
  });

  it("writes tuning-report.md where it is told to", async () => {
    const root = folder();
    await heddle(["tune", "--check", join(corpus, "doc-researcher"), "--out", "tuning-report.md"], {
      cwd: root,
    });
    const report = readFileSync(join(root, "tuning-report.md"), "utf8");
    expect(report).toContain("# Tuning report");
    expect(report).toContain("medium: a file is named that is not there (DF-007)");
    expect(report).toMatch(/- what to do: Point to where the file is now/);
    expect(report).toMatch(/### Suggestions[\s\S]*suggestion: history grows without a bound \(CTX-001\)/);
  });

  it("S3 S17 a focus narrows what is shown, and never score, gate and exit code", async () => {
    const { code, shown } = await checked(corpus, "doc-researcher", "--focus", "context");
    expect(shown.skills[0]).toMatchObject({ score: 65, gate: "review", outside: 5 });
    expect(shown.skills[0]?.findings.map(({ pattern }) => pattern)).toEqual(["CTX-001"]);
    expect(code).toBe(1);
    const { out } = await heddle(["tune", "--check", "doc-researcher", "--focus", "context"], {
      cwd: corpus,
    });
    expect(out).toContain("5 findings outside the focus count too");
  });

  it("S14 what is only suspected is a suggestion, and costs nothing", async () => {
    const root = write(folder(), { "SKILL.md": `${front}Keep every message of the whole conversation.\n` });
    const { code, shown } = await checked(root, ".");
    expect({ code, gate: shown.gate }).toEqual({ code: 0, gate: "pass" });
    expect(shown.skills[0]).toMatchObject({
      score: 100,
      suggestions: 1,
      findings: [{ pattern: "CTX-001", certainty: "suspected" }],
    });
    expect((await heddle(["tune", "--check", "."], { cwd: root })).out).toMatch(
      /suggest +SKILL\.md:6 +CTX-001/,
    );
  });

  it("S14 an empty skill does not pass", async () => {
    const root = write(folder(), {
      "a/SKILL.md": front,
      "b/SKILL.md": `${front}# Title\n\n<!-- later -->\n`,
      "c/SKILL.md": "",
      "d/SKILL.md": `${front}Do it.\n`,
    });
    for (const name of ["a", "b", "c"]) {
      const { shown } = await checked(root, name);
      expect(shown.gate, name).not.toBe("pass");
      expect(shown.skills[0]?.findings.map(({ pattern }) => pattern)).toContain("DOC-EMPTY-001");
    }
    expect((await checked(root, "d")).shown.gate).toBe("pass");
  });

  it("S18 a finding is suppressed in its file, with a reason, and a useless comment is told", async () => {
    const links = (comment: string) =>
      `${front}${comment}\nSee [the rules](rules.md).\n\nKnow [more](more.md).\n`;
    const look = async (text: string) => {
      const root = write(folder(), { "SKILL.md": text });
      const { skills } = (await checked(root, ".")).shown as unknown as {
        skills: { counts: { medium: number }; suppressed: number; notes: string[] }[];
      };
      return { medium: skills[0]?.counts.medium, suppressed: skills[0]?.suppressed, notes: skills[0]?.notes };
    };
    const why = "made by the build";
    expect(await look(links(`<!-- heddle-ignore: DF-007 ${why} -->`))).toEqual({
      medium: 1,
      suppressed: 1,
      notes: [],
    });
    expect(await look(links("<!-- heddle-ignore: DF-007 -->"))).toMatchObject({
      medium: 2,
      notes: [expect.stringContaining("needs a reason")],
    });
    expect(await look(links(`<!-- heddle-ignore: DF-008 ${why} -->`))).toMatchObject({
      notes: [expect.stringContaining("is not found here")],
    });
    expect(await look(links(`<!-- heddle-ignore: XYZ-1 ${why} -->`))).toMatchObject({
      notes: [expect.stringContaining("no pattern")],
    });
    const named = `---\n# heddle-ignore: DOC-FRONT-003 a host of ours takes it\nname: My Skill\ndescription: d\n---\n\nDo it.\n`;
    expect(await look(named)).toEqual({ medium: 0, suppressed: 1, notes: [] });
  });

  it("S18 what a baseline knows does not count, moved lines included; what is new does", async () => {
    const text = `${front}See [the rules](rules.md).\n`;
    const bad = `---\ndescription: d\n---\n\n${"See [a](a.md), [b](b.md), [c](c.md).\n".repeat(1)}`;
    const root = write(folder(), { "one/SKILL.md": text, "two/SKILL.md": bad });
    const words = ["tune", "--check", ".", "--baseline", "known.json"];
    expect((await heddle(words, { cwd: root })).err).toContain("--write-baseline");
    expect((await heddle(["tune", "--check", "."], { cwd: root })).code).toBe(1);
    expect((await heddle([...words, "--write-baseline"], { cwd: root })).out).toContain("5 findings written");
    expect((await heddle(words, { cwd: root })).code).toBe(0);
    write(root, { "two/SKILL.md": bad.replace("\n\n", "\n\nFirst this.\n\n") });
    expect((await heddle(words, { cwd: root })).out).toContain("2 skills: pass");
    write(root, { "one/SKILL.md": `${text.replace("name: sample\n", "")}Do it: [d](d.md) [e](e.md).\n` });
    expect((await heddle(words, { cwd: root })).code).toBe(1);
  });
});

describe("skills that are hard to read", () => {
  it("measures a skill of 500 kB in seconds", async () => {
    const paragraph =
      "Read the file, then the next, and write `state.json`. If it fails, say so.\n\n```js\nconst a = [...b, c];\n```\n\n";
    const root = write(folder(), { "SKILL.md": `${front}${paragraph.repeat(5000)}` });
    const before = performance.now();
    const { code, shown } = await checked(root, ".");
    expect(performance.now() - before).toBeLessThan(20_000);
    expect({ code, gate: shown.gate }).toEqual({ code: 0, gate: "pass" });
    expect(shown.skills[0]?.findings).toContainEqual(
      expect.objectContaining({ pattern: "TKN-001", certainty: "suspected" }),
    );
  });

  it("measures one endless line and one endless block as well", async () => {
    const root = write(folder(), {
      "SKILL.md": `${front}${"x".repeat(300_000)}\n\n\`\`\`js\n${"f(a);".repeat(20_000)}\n\`\`\`\n`,
    });
    const before = performance.now();
    const { shown } = await checked(root, ".");
    expect(shown.skills[0]?.findings.map(({ pattern }) => pattern)).toContain("TKN-001");
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it("says where front matter is broken, and goes on with the rest", async () => {
    const { shown } = await checked(corpus, "broken-front");
    expect(shown.skills[0]?.findings.map(({ pattern, line }) => `${pattern}:${line}`).sort()).toEqual([
      "DF-007:8",
      "DOC-FRONT-001:3",
    ]);
  });

  it("sees an include that leads back", async () => {
    const root = write(folder(), { "CLAUDE.md": "Start with @CLAUDE.md now.\n" });
    const { shown } = await checked(root, "CLAUDE.md");
    expect(shown.skills[0]?.findings.filter(({ pattern }) => pattern === "TKN-007").length).toBe(1);
  });

  it("reads a folder that may not be written", async () => {
    const root = write(folder(), { "skill/SKILL.md": `${front}Do it.\n` });
    chmodSync(join(root, "skill"), 0o555);
    expect((await checked(root, "skill")).code).toBe(0);
    chmodSync(join(root, "skill"), 0o755);
  });

  it("answers with one sentence for what is no skill", async () => {
    const root = write(folder(), { "notes.txt": "x", "empty/.keep": "" });
    symlinkSync("nowhere", join(root, "SKILL.md"));
    for (const path of ["notes.txt", "empty", "nothing", "SKILL.md"]) {
      const { code, out } = await heddle(["tune", "--check", path], { cwd: root });
      expect({ path, code }).toEqual({ path, code: 1 });
      expect(out).toMatch(/fail {3}.*(is not|no skill)/);
    }
    expect((await heddle(["tune"], { cwd: root })).code).toBe(64);
  });

  it("S14 notices what is over its host's limit, and what is not a name for hosts", async () => {
    const root = write(folder(), {
      "SKILL.md": `---\nname: Long Name\ndescription: ${"very long ".repeat(120)}\n---\n\nGo on.\n`,
    });
    const { shown } = await checked(root, ".");
    expect(shown.skills[0]?.findings.map(({ pattern }) => pattern)).toEqual(["DOC-FRONT-003", "TKN-006"]);
    const rules = write(folder(), {
      "AGENTS.md": `# Rules\n\n${"Run the tests before you push. ".repeat(1200)}\n`,
    });
    expect(
      (await checked(rules, "AGENTS.md")).shown.skills[0]?.findings.map(({ pattern }) => pattern),
    ).toEqual(["TKN-008"]);
  });

  it("has a planted or made defect for every pattern in the catalogue", () => {
    const planted = readFileSync(join(corpus, "manifest.json"), "utf8");
    const made = [import.meta.filename, join(import.meta.dirname, "lessons.test.ts")]
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    expect(Object.keys(patterns).filter((id) => !planted.includes(id) && !made.includes(id))).toEqual([]);
  });
});
