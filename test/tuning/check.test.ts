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
import { patterns } from "../../src/tuning/finding.ts";
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
    const { code, shown } = await checked(corpus, "deep-nest");
    expect(shown.skills[0]).toMatchObject({ score: 55, gate: "fail", counts: { high: 2, medium: 3 } });
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
    for (const name of ["css-cleanup", "doc-researcher", "team-chat"])
      cpSync(join(corpus, name), join(root, name), { recursive: true });
    const listed = await heddle(["tune", "--all", "--dir", root], { cwd: root });
    expect(listed.code).toBe(1);
    expect(listed.out).toMatch(/pass +100 {2}css-cleanup\/SKILL\.md/);
    expect(listed.out).toMatch(/hint: heddle tune (doc-researcher|team-chat)\/SKILL\.md/);
    const tuned = await heddle(["tune", "--all", "--yes", "high", "--dir", root], { cwd: root });
    expect({ code: tuned.code, err: tuned.err }).toEqual({ code: 0, err: "" });
    expect((await heddle(["tune", "--check", "."], { cwd: root })).code).toBe(0);
  });

  it("writes tuning-report.md where it is told to", async () => {
    const root = folder();
    await heddle(["tune", "--check", join(corpus, "deep-nest"), "--out", "tuning-report.md"], { cwd: root });
    const report = readFileSync(join(root, "tuning-report.md"), "utf8");
    expect(report).toContain("# Tuning report");
    expect(report).toContain("AGT-004");
    expect(report).toContain("strategy: `flatten_nesting`");
  });

  it("S3 looks only at what is in focus", async () => {
    const { shown } = await checked(corpus, "doc-researcher", "--focus", "agent");
    expect(new Set(shown.skills[0]?.findings.map(({ pattern }) => pattern))).toEqual(
      new Set(["AGT-001", "AGT-002"]),
    );
  });
});

describe("skills that are hard to read", () => {
  it("measures a skill of 500 kB in seconds", async () => {
    const paragraph =
      "Read the file, then [the next](next.md), and write `state.json`. If it fails, say so.\n\n```js\nconst a = [...b, c];\n```\n\n";
    const root = write(folder(), { "SKILL.md": `${front}${paragraph.repeat(5000)}` });
    const before = performance.now();
    const { code, shown } = await checked(root, ".");
    expect(performance.now() - before).toBeLessThan(20_000);
    expect(code).toBe(1);
    expect(shown.skills[0]?.findings).toContainEqual(
      expect.objectContaining({ pattern: "TKN-001", severity: "critical" }),
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

  it("sees includes that lead back, over two files too", async () => {
    const root = write(folder(), {
      "SKILL.md": `${front}Start with @one.md now.\n`,
      "one.md": "Then @two.md follows.\n",
      "two.md": "Back to @one.md again.\n",
    });
    const { shown } = await checked(root, ".");
    expect(shown.skills[0]?.findings.filter(({ pattern }) => pattern === "TKN-007").length).toBe(2);
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

  it("notices long phases, long descriptions and large instructions", async () => {
    const long = "Look at the next item and decide what to do with it, then do that. ";
    const root = write(folder(), {
      "SKILL.md": `---\nname: long\ndescription: ${"very long ".repeat(120)}\n---\n\nGo through the phases.\n`,
      "phases/1.md": `# One\n\n${long.repeat(90)}\n`,
      "phases/2.md": `# Two\n\n${long.repeat(300)}\nSummarize it.\n`,
    });
    const { shown } = await checked(root, ".");
    expect(shown.skills[0]?.findings.map(({ pattern }) => pattern).sort()).toEqual([
      "CTX-004",
      "TKN-001",
      "TKN-006",
    ]);
    const rules = write(folder(), { "AGENTS.md": `# Rules\n\n${long.repeat(300)}\n` });
    expect(
      (await checked(rules, "AGENTS.md")).shown.skills[0]?.findings.map(({ pattern }) => pattern),
    ).toEqual(["TKN-001"]);
  });

  it("has a planted or made defect for every pattern in the catalogue", () => {
    const planted = readFileSync(join(corpus, "manifest.json"), "utf8");
    const made = readFileSync(import.meta.filename, "utf8");
    expect(Object.keys(patterns).filter((id) => !planted.includes(id) && !made.includes(id))).toEqual([]);
  });
});
