// How good the diagnoses are, measured on the skills in test/corpus. The manifest says what is wrong with each, by
// pattern, file and a piece of the line; a finding that it does not list counts as false.
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { diagnose } from "../../src/packs/tuning/skill/diagnose.ts";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import { diagnoses, type Finding, patterns } from "../../src/packs/tuning/skill/finding.ts";
import { readSkill } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";

export const corpus = resolve(import.meta.dirname, "../corpus");

interface Defect {
  readonly pattern: keyof typeof patterns;
  readonly file: string;
  readonly near: string;
}

export interface Entry {
  readonly path: string;
  readonly entry: string;
  readonly half: "first" | "second";
  readonly defects: readonly Defect[];
}

export interface Judged extends Entry {
  readonly findings: readonly Finding[];
  readonly hits: readonly Defect[];
  readonly missed: readonly Defect[];
  readonly extra: readonly Finding[];
}

export function entries(): readonly Entry[] {
  return (JSON.parse(readFileSync(join(corpus, "manifest.json"), "utf8")) as { skills: Entry[] }).skills;
}

/** Lines that a finding may be off by. */
const slack = 1;

export function judge(entry: Entry): Judged {
  const [place] = findSkills(join(corpus, entry.entry)) as readonly { entry: string; kind: Skill["kind"] }[];
  if (!place) throw new Error(`no skill at ${entry.entry}`);
  const skill = readSkill(place) as Skill;
  const findings = diagnose(skill);
  const left = new Set(findings);
  const hits = entry.defects.filter((defect) => {
    const at = lineOf(entry, defect);
    const hit = [...left].find(
      ({ pattern, related, file, line, endLine }) =>
        (pattern === defect.pattern || related.includes(defect.pattern)) &&
        relative(join(corpus, entry.path), join(skill.folder, file)) === defect.file &&
        line - slack <= at &&
        at <= endLine + slack,
    );
    // One finding may stand for two patterns of a group; it is taken once it was matched by its own.
    if (hit?.pattern === defect.pattern) left.delete(hit);
    return hit !== undefined;
  });
  return {
    ...entry,
    findings,
    hits,
    missed: entry.defects.filter((each) => !hits.includes(each)),
    extra: [...left],
  };
}

function lineOf({ path }: Entry, { file, near }: Defect): number {
  const lines = readFileSync(join(corpus, path, file), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(near));
  if (at < 0) throw new Error(`${path}/${file} has no line with \`${near}\``);
  return at + 1;
}

export interface Quality {
  readonly diagnosis: string;
  readonly planted: number;
  readonly found: number;
  readonly right: number;
  readonly precision: number;
  readonly recall: number;
}

export function quality(judged: readonly Judged[]): readonly Quality[] {
  return diagnoses.map((diagnosis) => {
    const of = (defects: readonly { pattern: keyof typeof patterns }[]) =>
      defects.filter(({ pattern }) => patterns[pattern].diagnosis === diagnosis).length;
    const right = judged.reduce((sum, { hits }) => sum + of(hits), 0);
    const planted = judged.reduce((sum, { defects }) => sum + of(defects), 0);
    const wrong = judged.reduce((sum, { extra }) => sum + of(extra), 0);
    const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
    const found = right + wrong;
    return {
      diagnosis,
      planted,
      found,
      right,
      precision: share(right, found),
      recall: share(right, planted),
    };
  });
}

export function table(rows: readonly Quality[]): string {
  const head = "diagnosis          planted  found  right  precision  recall";
  const lines = rows.map(({ diagnosis, planted, found, right, precision, recall }) =>
    [
      diagnosis.padEnd(18),
      String(planted).padStart(8),
      String(found).padStart(7),
      String(right).padStart(7),
      precision.toFixed(2).padStart(11),
      recall.toFixed(2).padStart(8),
    ].join(""),
  );
  return [head, ...lines].join("\n");
}
