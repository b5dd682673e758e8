// How many findings of `heddle tune --check` on public skills are right. The repositories, by name and commit, were not
// looked at while the rules were written; every finding was read by a person or an agent, and docs/tuning-precision.tsv
// has each verdict. `node bench/tuning/precision.ts [--mirror DIR] [--repositories FILE] [--list]` fetches the repositories, finds again, and
// compares: what has no verdict is listed, and counts as wrong.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { findSkills } from "../../src/packs/tuning/skill/find.ts";
import type { Finding } from "../../src/packs/tuning/skill/finding.ts";
import { measure } from "../../src/packs/tuning/skill/measure.ts";
import { readSkill } from "../../src/packs/tuning/skill/read.ts";
import { type Repository, snapshot } from "./snapshot.ts";

const { values: given } = parseArgs({
  options: {
    mirror: { type: "string" },
    cache: { type: "string", default: join(tmpdir(), "heddle-tuning-precision") },
    repositories: { type: "string", default: join(import.meta.dirname, "repositories.json") },
    verdicts: { type: "string", default: join(import.meta.dirname, "../../docs/tuning-precision.tsv") },
    list: { type: "boolean", default: false },
  },
});

/** At most so many of each repository, so that no single author decides. */
const mostOfEach = 30;
/** Of each certainty, when there are more: drawn by the same seed each time. */
const mostRead = 150;

/** A shuffle that is the same on every machine: 32-bit xorshift. */
function shuffled<T>(items: readonly T[]): T[] {
  let state = 20261116;
  const drawn = [...items];
  for (let at = drawn.length - 1; at > 0; at--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = Math.abs(state) % (at + 1);
    [drawn[at], drawn[other]] = [drawn[other] as T, drawn[at] as T];
  }
  return drawn;
}

interface Row {
  readonly repository: Repository;
  readonly path: string;
  readonly finding: Finding;
}

let skills = 0;
function foundIn(repository: Repository): Row[] {
  const folder = snapshot(repository, given.cache, given.mirror);
  const places = findSkills(folder);
  if ("code" in places) return [];
  const drawn = shuffled([...places].sort((a, b) => (a.entry < b.entry ? -1 : 1))).slice(0, mostOfEach);
  return drawn.flatMap((place) => {
    const skill = readSkill(place);
    if ("code" in skill) return [];
    skills++;
    return measure(skill).findings.map((finding) => ({
      repository,
      path: relative(folder, join(skill.folder, finding.file)),
      finding,
    }));
  });
}

const idOf = ({ repository, path, finding }: Row) =>
  [repository.name, repository.commit.slice(0, 12), path, finding.pattern, finding.description].join("\t");

mkdirSync(given.cache, { recursive: true });
const repositories = JSON.parse(readFileSync(given.repositories, "utf8")) as readonly Repository[];
const rows = repositories.flatMap(foundIn);
const verdicts = new Map<string, string>();
for (const line of existsSync(given.verdicts)
  ? readFileSync(given.verdicts, "utf8").split("\n").slice(1)
  : []) {
  const [name, commit, path, , pattern, , description, , verdict = ""] = line.split("\t");
  verdicts.set([name, commit, path, pattern, description].join("\t"), verdict);
}

const oneLine = (text: string, most: number) => text.replace(/\s+/g, " ").trim().slice(0, most);
console.log(`${repositories.length} repositories, ${skills} skills, ${rows.length} findings`);
for (const certainty of ["proven", "suspected"] as const) {
  const all = rows.filter(({ finding }) => finding.certainty === certainty);
  const read = all.length > mostRead ? shuffled(all).slice(0, mostRead) : all;
  const right = (some: readonly Row[]) => some.filter((row) => verdicts.get(idOf(row)) === "right").length;
  const share = (some: readonly Row[]) => (some.length === 0 ? "—" : (right(some) / some.length).toFixed(2));
  console.log(
    `${certainty}: ${all.length} found, ${read.length} read, ${right(read)} right, precision ${share(read)}`,
  );
  for (const pattern of [...new Set(read.map(({ finding }) => finding.pattern))].sort()) {
    const some = read.filter(({ finding }) => finding.pattern === pattern);
    console.log(`  ${pattern.padEnd(14)} ${some.length} read, ${right(some)} right, ${share(some)}`);
  }
  for (const row of read.filter((each) => given.list || !verdicts.has(idOf(each)))) {
    const { repository, path, finding } = row;
    const { line, pattern, description, evidence } = finding;
    console.log(
      [
        repository.name,
        repository.commit.slice(0, 12),
        path,
        line,
        pattern,
        certainty,
        description,
        oneLine(evidence, 90),
        "",
        "",
      ].join("\t"),
    );
  }
}
