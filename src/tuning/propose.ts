// Which fix mends which finding. For each pattern the strategies are tried in order; the first that has an answer
// counts, and only when measuring the changed skill shows that the finding is gone and nothing worse has come.
import { unifiedDiff } from "./diff.ts";
import { type Finding, type PatternId, severities } from "./finding.ts";
import {
  type Case,
  type Change,
  type Fix,
  type Mending,
  type Risk,
  risks,
  type Strategy,
  verificationOf,
} from "./fix.ts";
import { type Measured, measure, weightOf } from "./measure.ts";
import { skillFile } from "./read.ts";
import { ownsFolder, type Skill } from "./skill.ts";
import * as code from "./strategies/code.ts";
import * as documents from "./strategies/documents.ts";
import * as prose from "./strategies/prose.ts";
import * as state from "./strategies/state.ts";
import { isSamePackage } from "./toml.ts";

/** For what is not here there is no honest rule: which of four kinds of agents may go, only somebody who understands can say. */
const strategies: Readonly<Partial<Record<PatternId, readonly Strategy[]>>> = {
  "CTX-001": [code.slidingWindow, prose.boundedHistory],
  "TKN-004": [code.slidingWindow],
  "CTX-002": [code.pathInPrompt, prose.saidPath],
  "TKN-003": [code.pathInPrompt],
  "CTX-003": [code.stateByPath],
  "CTX-004": [documents.moveSections],
  "CTX-005": [code.returnPath, prose.saidPath],
  "MEM-001": [prose.injectConstraints],
  "MEM-002": [prose.injectConstraints],
  "MEM-003": [prose.addCheckpoints],
  "MEM-004": [prose.requestField],
  "MEM-005": [prose.addVerification],
  "DF-001": [state.oneState],
  "DF-002": [documents.sameField],
  "DF-003": [code.checkParsed, prose.validateSaid],
  "DF-004": [documents.validateTypes],
  "DF-005": [documents.describeState],
  "DF-006": [state.dropUnread],
  "DF-007": [prose.mendReference],
  "AGT-001": [code.catchFailure, prose.failureSaid],
  "AGT-002": [code.checkAnswer, prose.resultChecked],
  "AGT-004": [prose.flatten],
  "AGT-005": [prose.allowTools],
  "AGT-006": [code.oneFormat],
  "DOC-RED-001": [documents.typeElsewhere],
  "DOC-RED-002": [documents.extractMapping],
  "DOC-RED-003": [documents.pointToFirst],
  "DOC-CON-001": [documents.sameDefinition],
  "DOC-CON-002": [documents.describeNames],
  "DOC-CON-003": [documents.sameLimit],
  "DOC-FRONT-001": [prose.mendFront],
  "DOC-FRONT-002": [prose.mendFront],
  "TKN-001": [documents.moveSections],
  "TKN-002": [state.dropFields],
  "TKN-005": [code.passOn],
  "TKN-006": [documents.shortDescription],
  "TKN-007": [prose.mendReference],
};

export interface Proposals {
  readonly fixes: readonly Fix[];
  /** Findings that need somebody who understands the skill: an agent or a person. */
  readonly open: readonly string[];
}

export function propose(skill: Skill, focus: readonly string[] = []): Proposals {
  const before = measure(skill, focus);
  const fixes: Fix[] = [];
  const open: string[] = [];
  const tried = worstOf(skill, before.findings);
  for (const finding of before.findings) {
    const mending = tried.has(finding) ? mend(skill, finding, { before, focus }) : undefined;
    if (mending) fixes.push(fixOf(`FIX-${fixes.length + 1}`, finding, mending));
    else open.push(finding.id);
  }
  return { fixes, open };
}

const mostTokens = 400_000;
const fewest = 3;

/** Each fix is tried by measuring the whole skill again, so of a huge one the worst come first, and the rest in later rounds. */
function worstOf({ files }: Skill, findings: readonly Finding[]): ReadonlySet<Finding> {
  const size = files.reduce((sum, { tokens }) => sum + tokens, 1);
  const rank = ({ severity }: Finding) => severities.indexOf(severity);
  const most = Math.min(50, Math.max(fewest, Math.floor(mostTokens / size)));
  return new Set([...findings].sort((a, b) => rank(a) - rank(b)).slice(0, most));
}

function mend(
  skill: Skill,
  finding: Finding,
  { before, focus }: { before: Measured; focus: readonly string[] },
): Mending | undefined {
  const file = skill.files.find(({ path }) => path === finding.file);
  const found: Case | undefined = file && { finding, skill, file };
  for (const strategy of (found && strategies[finding.pattern]) ?? []) {
    const mending = found && strategy(found);
    if (
      mending?.changes.every((change) => isSound(skill, change)) &&
      helps(before, measure(changedSkill(skill, mending.changes), focus), finding)
    )
      return mending;
  }
  return undefined;
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

function fixOf(id: string, finding: Finding, { description, risk, changes }: Mending): Fix {
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
