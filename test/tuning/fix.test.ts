// Fixes: proposed as diffs that git can apply, applied with a backup, measured again, taken back.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Applied, appliedBefore, applyFix, rollBack } from "../../src/tuning/apply.ts";
import { findSkills } from "../../src/tuning/find.ts";
import type { Fix } from "../../src/tuning/fix.ts";
import { measure } from "../../src/tuning/measure.ts";
import { changedSkill, propose } from "../../src/tuning/propose.ts";
import { readSkill, type SkillPlace } from "../../src/tuning/read.ts";
import type { Skill } from "../../src/tuning/skill.ts";
import { folder } from "../e2e/rig.ts";
import { corpus, entries } from "./corpus.ts";

function skillAt(path: string): Skill {
  const [place] = findSkills(path) as readonly SkillPlace[];
  if (!place) throw new Error(`no skill at ${path}`);
  return readSkill(place) as Skill;
}

const broken = entries().filter(({ defects }) => defects.length > 0);
const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n";

function fixFor(text: string, pattern: string): Fix {
  const root = folder();
  writeFileSync(join(root, "SKILL.md"), front + text);
  const fix = propose(skillAt(root)).fixes.find((each) => each.pattern === pattern);
  if (!fix) throw new Error(`no fix for ${pattern}`);
  return fix;
}

const added = ({ diff }: Fix) =>
  diff
    .split("\n")
    .filter((line) => /^\+(?!\+\+)/.test(line))
    .map((line) => line.slice(1).trim())
    .filter((line) => line !== "");

describe("proposals", () => {
  it("S7 have an edit for at least three of four findings of the corpus, and each helps by measurement", () => {
    let [found, mended] = [0, 0];
    for (const entry of broken) {
      const skill = skillAt(join(corpus, entry.entry));
      const before = measure(skill);
      const { fixes, open } = propose(skill);
      found += before.findings.length;
      mended += fixes.length;
      expect(fixes.length + open.length).toBe(before.findings.length);
      for (const fix of fixes) {
        const after = measure(changedSkill(skill, fix.changes));
        expect(after.score, `${entry.path} ${fix.id} ${fix.pattern}`).toBeGreaterThan(before.score);
      }
    }
    expect(mended / found).toBeGreaterThanOrEqual(0.75);
  });

  it("are diffs that git applies, with the same result as the edit", () => {
    for (const entry of broken) {
      const skill = skillAt(join(corpus, entry.entry));
      for (const { id, diff, changes } of propose(skill).fixes) {
        const root = folder();
        cpSync(skill.folder, root, { recursive: true });
        const { status, stderr } = spawnSync("git", ["apply", "--unsafe-paths", "--directory", root, "-"], {
          input: diff,
          cwd: "/",
          encoding: "utf8",
        });
        expect({ entry: entry.path, id, status, stderr }).toEqual({
          entry: entry.path,
          id,
          status: 0,
          stderr: "",
        });
        for (const { file, after } of changes) expect(readFileSync(join(root, file), "utf8")).toBe(after);
      }
    }
  });

  it("cut a list that grows, in JavaScript and in Python", () => {
    expect(added(fixFor("```js\nhistory.push(x);\n```\n", "CTX-001"))).toEqual([
      "history.splice(0, history.length - 10);",
    ]);
    expect(added(fixFor("```python\nself.messages.append(x)\n```\n", "CTX-001"))).toEqual([
      "del self.messages[:-10]",
    ]);
  });

  it("name the path instead of the text", () => {
    const fix = fixFor(`\`\`\`js\nconst prompt = \`Explain $${"{"}Read("a.log")}\`;\n\`\`\`\n`, "TKN-003");
    expect(added(fix)).toEqual(["const prompt = `Explain (read what you need of it from a.log)`;"]);
  });

  it("catch what agents throw, and look at what they answer", () => {
    const text = "```js\nconst a = await Task({ prompt: 'x' });\nuse(a);\n```\n";
    expect(added(fixFor(text, "AGT-001"))).toEqual([
      "const a = await Task({ prompt: 'x' }).catch((error) => ({ failed: String(error) }));",
    ]);
    expect(added(fixFor(text, "AGT-002"))).toEqual([
      'if (!a || a.failed) throw new Error("the agent gave no answer");',
    ]);
  });

  it("move long sections to files of their own until the rest is small enough", () => {
    const part = (name: string, times: number) =>
      `## ${name}\n\n${"Look at the next item and decide what to do with it. ".repeat(times)}\n\n`;
    const fix = fixFor(`# Top\n\n${part("Rare case", 500)}${part("Every day", 50)}`, "TKN-001");
    expect(fix.changes.map(({ file }) => file)).toEqual(["references/rare-case.md", "SKILL.md"]);
    expect(fix.changes[1]?.after).toContain("[Rare case](references/rare-case.md)");
  });
});

describe("proposals for bad and large skills", () => {
  it("S7 a skill without a point left still gets fixes, because faults are weighed and not points", () => {
    const blocks = Array.from({ length: 9 }, (_, n) => `\`\`\`js\nhistory${n}_history.push(x);\n\`\`\`\n`);
    const root = folder();
    writeFileSync(join(root, "SKILL.md"), front + blocks.join("\n"));
    expect(measure(skillAt(root)).score).toBe(0);
    expect(propose(skillAt(root)).fixes.length).toBe(9);
  });

  it("S7 of a huge skill the worst are tried, in seconds, and links still lead where they led", () => {
    const part = `${"Look at the next item and decide what to do with it. ".repeat(400)}See [more](phases/more.md).\n\n`;
    const root = folder();
    mkdirSync(join(root, "phases"));
    writeFileSync(join(root, "phases/more.md"), "More.\n");
    const parts = Array.from({ length: 24 }, (_, n) => `## Part ${n}\n\n${part}`);
    writeFileSync(join(root, "SKILL.md"), `${front}# Top\n\n${parts.join("")}`);
    expect(statSync(join(root, "SKILL.md")).size).toBeGreaterThan(500_000);
    const before = performance.now();
    const fix = propose(skillAt(root)).fixes.find(({ pattern }) => pattern === "TKN-001");
    expect(performance.now() - before).toBeLessThan(20_000);
    expect(fix?.changes.find(({ file }) => file === "references/part-3.md")?.after).toContain(
      "[more](../phases/more.md)",
    );
    expect(fix && measure(changedSkill(skillAt(root), fix.changes)).gate).toBe("pass");
  });
});

describe("applying", () => {
  function copy(name: string): { root: string; place: { folder: string; workDir: string } } {
    const root = folder();
    cpSync(join(corpus, name), join(root, "skill"), { recursive: true });
    return { root, place: { folder: join(root, "skill"), workDir: join(root, "work") } };
  }

  it("S7 S8 applies after a backup, gets better, and can be taken back", () => {
    const { place } = copy("mapper");
    const before = readFileSync(join(place.folder, "phases/actions/colors.md"), "utf8");
    const first = measure(skillAt(place.folder));
    const fix = propose(skillAt(place.folder)).fixes.find(({ pattern }) => pattern === "DOC-RED-002") as Fix;
    const applied = applyFix(place, fix) as Applied;
    expect(applied).toMatchObject({ success: true, verification_result: "pending" });
    expect(existsSync(join(place.folder, "specs/color-mapping.json"))).toBe(true);
    expect(measure(skillAt(place.folder)).score).toBeGreaterThan(first.score);
    expect(rollBack(applied)).toMatchObject({ verification_result: "rolled_back" });
    expect(readFileSync(join(place.folder, "phases/actions/colors.md"), "utf8")).toBe(before);
    expect(existsSync(join(place.folder, "specs/color-mapping.json"))).toBe(false);
  });

  it("refuses when the skill was changed since", () => {
    const { place } = copy("team-chat");
    const [fix] = propose(skillAt(place.folder)).fixes;
    writeFileSync(join(place.folder, "SKILL.md"), "something else");
    expect(applyFix(place, fix as Fix)).toMatchObject({ code: "skill-changed" });
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe("something else");
  });

  it("keeps the file's mode", () => {
    const { place } = copy("team-chat");
    chmodSync(join(place.folder, "SKILL.md"), 0o640);
    applyFix(place, propose(skillAt(place.folder)).fixes[0] as Fix);
    expect(statSync(join(place.folder, "SKILL.md")).mode & 0o777).toBe(0o640);
  });

  it("leaves the old skill or the new one when it is killed at any moment, never half", async () => {
    const { root, place } = copy("doc-researcher");
    const path = join(place.folder, "SKILL.md");
    const old = readFileSync(path, "utf8");
    const [fix] = propose(skillAt(place.folder)).fixes;
    const fresh = fix?.changes[0]?.after ?? "";
    writeFileSync(join(root, "fix.json"), JSON.stringify(fix));
    const script = `
      import { applyFix } from ${JSON.stringify(join(import.meta.dirname, "../../src/tuning/apply.ts"))};
      import { readFileSync, writeFileSync } from "node:fs";
      const fix = JSON.parse(readFileSync(${JSON.stringify(join(root, "fix.json"))}, "utf8"));
      console.log("ready");
      for (;;) { applyFix(${JSON.stringify(place)}, fix); applyFix(${JSON.stringify(place)}, { ...fix, changes: fix.changes.map(({ file, before, after }) => ({ file, before: after, after: before })) }); }`;
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      child.kill("SIGKILL");
      await once(child, "close");
      const now = readFileSync(path, "utf8");
      expect([old, fresh]).toContain(now);
      seen.add(now === old ? "old" : "new");
      writeFileSync(path, old);
      expect(readdirSync(place.folder).filter((name) => !/^\.SKILL\.md\.heddle-\d+$/.test(name))).toEqual([
        "SKILL.md",
      ]);
    }
    expect(seen.size).toBeGreaterThan(0);
    // What the killed ones left behind goes with the next change.
    applyFix(place, fix as Fix);
    expect(readdirSync(place.folder)).toEqual(["SKILL.md"]);
  }, 60_000);

  it("is killed after the new file and before the change: the old skill, and the next try succeeds", () => {
    const { place } = copy("mapper");
    const fix = propose(skillAt(place.folder)).fixes.find(({ pattern }) => pattern === "DOC-RED-002") as Fix;
    const [made, edited] = [fix.changes.find(({ before }) => before === null), fix.changes.at(-1)];
    mkdirSync(dirname(join(place.folder, made?.file ?? "")), { recursive: true });
    writeFileSync(join(place.folder, made?.file ?? ""), made?.after ?? "");
    expect(readFileSync(join(place.folder, edited?.file ?? ""), "utf8")).toBe(edited?.before);
    expect(applyFix(place, fix)).toMatchObject({ success: true });
    expect(readFileSync(join(place.folder, edited?.file ?? ""), "utf8")).toBe(edited?.after);
    expect(appliedBefore(place, fix.id)).toMatchObject({ fix_id: fix.id, rollback_available: true });
  });

  it("S7 takes nothing back over what a person wrote since", () => {
    const { place } = copy("team-chat");
    const applied = applyFix(place, propose(skillAt(place.folder)).fixes[0] as Fix) as Applied;
    writeFileSync(join(place.folder, "SKILL.md"), "mine");
    expect(rollBack(applied)).toMatchObject({ code: "skill-changed" });
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe("mine");
  });

  it("S10 puts the change elsewhere and says so when the skill may not be written", () => {
    const { root, place } = copy("team-chat");
    const before = readFileSync(join(place.folder, "SKILL.md"), "utf8");
    const [fix] = propose(skillAt(place.folder)).fixes;
    mkdirSync(place.workDir);
    for (const [path, mode] of [
      [root, 0o755],
      [place.workDir, 0o777],
      [place.folder, 0o555],
    ] as const)
      chmodSync(path, mode);
    const script = `
      import { applyFix } from ${JSON.stringify(join(import.meta.dirname, "../../src/tuning/apply.ts"))};
      console.log(JSON.stringify(applyFix(${JSON.stringify(place)}, ${JSON.stringify(fix)})));`;
    // Root may write everywhere, so somebody else tries.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
      encoding: "utf8",
      ...nobody,
    });
    chmodSync(place.folder, 0o755);
    expect(stderr).toBe("");
    const applied = JSON.parse(stdout) as Applied;
    expect(applied).toMatchObject({ success: false, verification_result: "fail" });
    expect(readFileSync(join(applied.alternative ?? "", "SKILL.md"), "utf8")).toBe(fix?.changes[0]?.after);
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe(before);
  });

  it("makes the folders that new files need", () => {
    const root = folder();
    mkdirSync(join(root, "skill"));
    writeFileSync(
      join(root, "skill/SKILL.md"),
      `${front.replace("name: sample", "name: sample\nmode: autonomous")}Loop until done.\n`,
    );
    const place = { folder: join(root, "skill"), workDir: join(root, "work") };
    const fix = propose(skillAt(place.folder)).fixes.find(({ pattern }) => pattern === "DF-005") as Fix;
    applyFix(place, fix);
    expect(existsSync(join(place.folder, dirname("phases/state-schema.md")))).toBe(true);
    expect(measure(skillAt(place.folder)).findings.filter(({ severity }) => severity === "high")).toEqual([]);
  });
});
