// Which fix is for which finding. For each pattern the strategies are tried in order; the first that has an answer
// counts, and only when measuring the changed skill shows that the finding is gone and nothing worse has come.
import { unifiedDiff } from "./diff.ts";
import { type Finding, isCounted, type PatternId, severities } from "./finding.ts";
import {
  type Case,
  type Change,
  type Fix,
  type Remedy,
  type Risk,
  risks,
  type Strategy,
  verificationOf,
} from "./fix.ts";
import { lostBy } from "./keep.ts";
import { type Look, type Measured, measure, weightOf } from "./measure.ts";
import { skillFile } from "./read.ts";
import { ownsFolder, type Skill } from "./skill.ts";
import { allowTools, nameAsFolder, repairFront, repointReference } from "./strategies.ts";
import { isSamePackage } from "./toml.ts";

/** For what is not here there is no honest rule: it is explained, with an example, and left to who understands the skill. */
const strategies: Readonly<Partial<Record<PatternId, readonly Strategy[]>>> = {
  "DF-007": [repointReference],
  "DOC-FRONT-001": [repairFront],
  "DOC-FRONT-002": [nameAsFolder],
  "AGT-005": [allowTools],
};

export interface Proposals {
  readonly fixes: readonly Fix[];
  /** Findings that need somebody who understands the skill: an agent or a person. */
  readonly open: readonly string[];
  /** Findings of a huge skill that were not tried in this round. */
  readonly later: readonly string[];
}

/** Only what counts is fixed; a suggestion is somebody's to confirm first. */
export function propose(skill: Skill, look: Look = {}): Proposals {
  const before = measure(skill, look);
  const fixes: Fix[] = [];
  const open: string[] = [];
  const later: string[] = [];
  const counted = before.findings.filter(isCounted);
  const budget = { tries: triesFor(skill) };
  const remedies = new Map(
    worstFirst(counted).map((finding) => [finding, remedyFor(skill, finding, { before, look, budget })]),
  );
  for (const finding of counted) {
    const remedy = remedies.get(finding);
    if (remedy === "later") later.push(finding.id);
    else if (remedy) fixes.push(fixOf(`FIX-${fixes.length + 1}`, finding, remedy));
    else open.push(finding.id);
  }
  return { fixes, open, later };
}

const mostTokens = 400_000;
const fewest = 3;

/** Each fix is tried by measuring the whole skill again, so of a huge one the worst come first, and the rest in later rounds. */
function triesFor({ files }: Skill): number {
  const size = files.reduce((sum, { tokens }) => sum + tokens, 1);
  return Math.min(50, Math.max(fewest, Math.floor(mostTokens / size)));
}

function worstFirst(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => severities.indexOf(severity);
  return [...findings].sort((a, b) => rank(a) - rank(b));
}

interface Trying {
  readonly before: Measured;
  readonly look: Look;
  /** What no rule has an answer to costs nothing. */
  readonly budget: { tries: number };
}

function remedyFor(
  skill: Skill,
  finding: Finding,
  { before, look, budget }: Trying,
): Remedy | "later" | undefined {
  const file = skill.files.find(({ path }) => path === finding.file);
  const found: Case | undefined = file && { finding, skill, file };
  for (const strategy of (found && strategies[finding.pattern]) ?? []) {
    const remedy = found && strategy(found);
    if (!remedy?.changes.every((change) => isSound(skill, change))) continue;
    if (budget.tries-- <= 0) return "later";
    const after = changedSkill(skill, remedy.changes);
    const loss = lostBy(skill, after, { changes: remedy.changes, freed: freedBy(finding) });
    if (loss === undefined && helps(before, measure(after, look), finding)) return remedy;
  }
  return undefined;
}

/** The dead path of a reference is what the finding is about; nothing else of the author's is anybody's to drop. */
export function freedBy({ pattern, description }: Finding): string {
  return pattern === "DF-007" ? (/^`([^`]+)`/.exec(description)?.[1] ?? "") : "";
}

/** A file beside an agent or a command would be taken for another one; what is around a prompt is no prompt. */
function isSound({ entry, kind }: Skill, { file, before, after }: Change): boolean {
  if (before === null) return ownsFolder(entry.path) || kind === "instructions";
  return !file.endsWith(".toml") || isSamePackage(before, after);
}

/** Gone, the whole is better, and nothing of a new kind has come (S8). */
export function helps(
  before: Measured,
  after: Measured,
  finding: Pick<Finding, "pattern" | "file">,
): boolean {
  const { pattern, file } = finding;
  const left = ({ findings }: Measured) =>
    findings.filter(
      (each) => each.file === file && (each.pattern === pattern || each.related.includes(pattern)),
    ).length;
  const [had, has] = [kindsOf(before), kindsOf(after)];
  return (
    left(after) < left(before) &&
    weightOf(after.counts) < weightOf(before.counts) &&
    [...has].every(([kind, count]) => count <= (had.get(kind) ?? 0))
  );
}

/** How often each pattern is there. */
function kindsOf({ findings }: Measured): ReadonlyMap<PatternId, number> {
  const kinds = new Map<PatternId, number>();
  for (const { pattern, related } of findings)
    for (const kind of [pattern, ...related]) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return kinds;
}

function fixOf(id: string, finding: Finding, { description, risk, changes }: Remedy): Fix {
  const diff = changes.map((change) => unifiedDiff(change.file, change.before, change.after)).join("");
  const { pattern, file, strategy } = finding;
  return {
    id,
    issues: [finding.id],
    ...{ pattern, file, strategy, description, risk, changes, diff },
    verification: verificationOf(finding),
  };
}

/** The skill as it would be. */
export function changedSkill(skill: Skill, changes: readonly Change[]): Skill {
  const made = new Map(changes.map(({ file, after }) => [file, skillFile(file, after)]));
  const kept = skill.files.map((file) => made.get(file.path) ?? file);
  const added = [...made.values()].filter(({ path }) => !skill.files.some((file) => file.path === path));
  const files = [...kept, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
  const entry = files.find(({ path }) => path === skill.entry.path) ?? skill.entry;
  return { ...skill, entry, files, has: (path) => made.has(path) || skill.has(path) };
}

export function isWithin(risk: Risk, most: Risk): boolean {
  return risks.indexOf(risk) <= risks.indexOf(most);
}
