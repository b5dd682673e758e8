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
import { type Applied, appliedBefore, applyFix, rollBack } from "../../src/packs/tuning/skill/apply.ts";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import { isCounted } from "../../src/packs/tuning/skill/finding.ts";
import type { Fix } from "../../src/packs/tuning/skill/fix.ts";
import { measure } from "../../src/packs/tuning/skill/measure.ts";
import { changedSkill, propose } from "../../src/packs/tuning/skill/propose.ts";
import { readSkill, type SkillPlace } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";
import { folder } from "../e2e/rig.ts";
import { corpus, entries } from "./corpus.ts";

function skillAt(path: string): Skill {
  const [place] = findSkills(path) as readonly SkillPlace[];
  if (!place) throw new Error(`no skill at ${path}`);
  return readSkill(place) as Skill;
}

const broken = entries().filter(({ defects }) => defects.length > 0);
const front = "---\nname: sample\ndescription: A sample. Use it for tests.\n---\n\n";

describe("proposals", () => {
  it("S7 S15 are made for what counts alone, each helps by measurement, and the rest is left open with advice", () => {
    for (const entry of broken) {
      const skill = skillAt(join(corpus, entry.entry));
      const before = measure(skill);
      const counted = before.findings.filter(isCounted);
      const { fixes, open } = propose(skill);
      expect(fixes.length + open.length).toBe(counted.length);
      for (const fix of fixes) {
        const after = measure(changedSkill(skill, fix.changes));
        expect(after.score, `${entry.path} ${fix.id} ${fix.pattern}`).toBeGreaterThan(before.score);
      }
    }
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

  it("S7 a skill without a point left still gets fixes, because faults are weighed and not points", () => {
    const root = join(folder(), "sample");
    mkdirSync(join(root, "parts"), { recursive: true });
    const links = Array.from({ length: 22 }, (_, n) => {
      writeFileSync(join(root, `parts/p${n}.md`), "x\n");
      return `Know [part ${n}](old/p${n}.md).\n`;
    });
    writeFileSync(join(root, "SKILL.md"), front + links.join("\n"));
    expect(measure(skillAt(root)).score).toBe(0);
    expect(propose(skillAt(root)).fixes.length).toBe(22);
  });

  it("S7 of a huge skill the worst are tried, in seconds, and what no rule fixes is not kept for later", () => {
    const root = join(folder(), "sample");
    mkdirSync(join(root, "parts"), { recursive: true });
    const links = Array.from({ length: 12 }, (_, n) => `Know [part ${n}](old/p${n}.md).\n`);
    const part = `${"Look at the next item and decide what to do with it. ".repeat(400)}\n\n`;
    writeFileSync(join(root, "SKILL.md"), `${front}# Top\n\n${links.join("\n")}\n${part.repeat(24)}`);
    expect(propose(skillAt(root))).toMatchObject({ fixes: [], open: { length: 12 }, later: [] });
    for (let n = 0; n < 12; n++) writeFileSync(join(root, `parts/p${n}.md`), "x\n");
    const before = performance.now();
    const { fixes, open, later } = propose(skillAt(root));
    expect({ tried: fixes.length + open.length, later: later.length }).toEqual({ tried: 3, later: 9 });
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

/** As an agent's fix may be: it adds a file beside the one that it changes. */
function withNewFile(fix: Fix): Fix {
  return { ...fix, changes: [{ file: "specs/new.json", before: null, after: "{}\n" }, ...fix.changes] };
}

describe("applying", () => {
  function copy(name: string): { root: string; place: { folder: string; workDir: string } } {
    const root = folder();
    cpSync(join(corpus, name), join(root, "skill"), { recursive: true });
    return { root, place: { folder: join(root, "skill"), workDir: join(root, "work") } };
  }

  it("S7 S8 applies after a backup, gets better, and can be taken back", () => {
    const { place } = copy("doc-researcher");
    const before = readFileSync(join(place.folder, "SKILL.md"), "utf8");
    const first = measure(skillAt(place.folder));
    const fix = withNewFile(propose(skillAt(place.folder)).fixes[0] as Fix);
    const applied = applyFix(place, fix) as Applied;
    expect(applied).toMatchObject({ success: true, verification_result: "pending" });
    expect(existsSync(join(place.folder, "specs/new.json"))).toBe(true);
    expect(measure(skillAt(place.folder)).score).toBeGreaterThan(first.score);
    expect(rollBack(applied)).toMatchObject({ verification_result: "rolled_back" });
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe(before);
    expect(existsSync(join(place.folder, "specs/new.json"))).toBe(false);
  });

  it("refuses when the skill was changed since", () => {
    const { place } = copy("doc-researcher");
    const [fix] = propose(skillAt(place.folder)).fixes;
    writeFileSync(join(place.folder, "SKILL.md"), "something else");
    expect(applyFix(place, fix as Fix)).toMatchObject({ code: "skill-changed" });
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe("something else");
  });

  it("keeps the file's mode", () => {
    const { place } = copy("doc-researcher");
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
      import { applyFix } from ${JSON.stringify(join(import.meta.dirname, "../../src/packs/tuning/skill/apply.ts"))};
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
        "references",
      ]);
    }
    expect(seen.size).toBeGreaterThan(0);
    // What the killed ones left behind goes with the next change.
    applyFix(place, fix as Fix);
    expect(readdirSync(place.folder)).toEqual(["SKILL.md", "references"]);
  });

  it("is killed after the new file and before the change: the old skill, and the next try succeeds", () => {
    const { place } = copy("doc-researcher");
    const fix = withNewFile(propose(skillAt(place.folder)).fixes[0] as Fix);
    const [made, edited] = [fix.changes.find(({ before }) => before === null), fix.changes.at(-1)];
    mkdirSync(dirname(join(place.folder, made?.file ?? "")), { recursive: true });
    writeFileSync(join(place.folder, made?.file ?? ""), made?.after ?? "");
    expect(readFileSync(join(place.folder, edited?.file ?? ""), "utf8")).toBe(edited?.before);
    expect(applyFix(place, fix)).toMatchObject({ success: true });
    expect(readFileSync(join(place.folder, edited?.file ?? ""), "utf8")).toBe(edited?.after);
    expect(appliedBefore(place, fix.id)).toMatchObject({ fix_id: fix.id, rollback_available: true });
  });

  it("S7 takes nothing back over what a person wrote since", () => {
    const { place } = copy("doc-researcher");
    const applied = applyFix(place, propose(skillAt(place.folder)).fixes[0] as Fix) as Applied;
    writeFileSync(join(place.folder, "SKILL.md"), "mine");
    expect(rollBack(applied)).toMatchObject({ code: "skill-changed" });
    expect(readFileSync(join(place.folder, "SKILL.md"), "utf8")).toBe("mine");
  });

  it("S10 puts the change elsewhere and says so when the skill may not be written", () => {
    const { root, place } = copy("doc-researcher");
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
      import { applyFix } from ${JSON.stringify(join(import.meta.dirname, "../../src/packs/tuning/skill/apply.ts"))};
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
});
