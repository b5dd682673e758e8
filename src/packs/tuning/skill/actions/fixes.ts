// `action-propose-fixes`, `action-apply-fix` and `action-verify`: from findings to a skill that is measurably better.
import { dirname, join } from "node:path";
import { ownList, ownRecord } from "../../../../core/json.ts";
import type { Json } from "../../../../core/run.ts";
import { makeFolder, readIfThere, replaceFile } from "../../../../host/files.ts";
import type { AgentEdit } from "../advice.ts";
import { type Applied, appliedBefore, applyFix, rollBack } from "../apply.ts";
import { fixesFromEdits } from "../edits.ts";
import { type Finding, isCounted } from "../finding.ts";
import type { Fix } from "../fix.ts";
import { countOf, type Measured, measure, weightOf } from "../measure.ts";
import { helps, type Proposals, propose } from "../propose.ts";
import type { Skill } from "../skill.ts";
import { type Act, type ActionCase, ActionFailed, listOf, lookOf, skillOf } from "./action.ts";
import { appliedLine, issuesOf, measuredIn } from "./look.ts";

const proposals = "fixes/fix-proposals.json";

/** Where an agent's edits of this round are kept: a fix is made anew when those before it have moved its lines. */
const editsOf = ({ workDir, round }: ActionCase) => join(workDir, `round-${round}/agent-edits.json`);

export const proposeFixes: Act = (given) => {
  const { advice } = given;
  if (advice?.edits) {
    makeFolder(dirname(editsOf(given)));
    replaceFile(editsOf(given), `${JSON.stringify(advice.edits, null, 2)}\n`);
  }
  const { fixes, open, later } = proposalsFor(given, skillOf(given));
  replaceFile(join(given.workDir, proposals), `${JSON.stringify({ fixes, open, later }, null, 2)}\n`);
  replaceFile(join(given.workDir, "fixes/fix-proposals.md"), proposalText(fixes));
  const proposed = fixes.map(({ id, risk, strategy, description, issues }) => ({
    ...{ id, risk, strategy, description, issues },
  }));
  return {
    stateUpdates: { proposed_fixes: proposed as unknown as Json, open_issues: [...open] },
    outputFiles: [proposals, "fixes/fix-proposals.md"],
    summary: proposedSummary({ fixes, open, later }, given),
  };
};

function proposedSummary({ fixes, open, later }: Proposals, { hasAgent }: ActionCase): string {
  const agents = fixes.filter(({ strategy }) => strategy.startsWith("agent:")).length;
  const by = agents > 0 ? ` (${agents} by an agent)` : "";
  const rest = `${open.length} finding${open.length === 1 ? "" : "s"} that no rule fixes`;
  const hint = hasAgent ? "" : "; an agent may: --agent claude";
  const wait = later.length > 0 ? `; ${later.length} more are for later rounds, the skill is huge` : "";
  return `${fixes.length} fix${fixes.length === 1 ? "" : "es"}${by}${open.length > 0 ? `; ${rest}${hint}` : ""}${wait}`;
}

/** What heddle can do by itself, then what an agent proposed for the rest. */
function proposalsFor(given: ActionCase, skill: Skill): Proposals {
  const look = lookOf(given);
  const { fixes, open, later } = propose(skill, look);
  const edits = ownList<AgentEdit>(editsOf(given), readIfThere(editsOf(given))) ?? [];
  if (edits.length === 0 || open.length === 0) return { fixes, open, later };
  const before = measure(skill, look);
  const left = before.findings.filter(({ id }) => open.includes(id));
  const more = fixesFromEdits(skill, { edits, open: left, before, look }).map((fix, at) => ({
    ...fix,
    id: `FIX-${fixes.length + at + 1}`,
  }));
  const fixed = more.flatMap(({ issues }) => issues);
  return { fixes: [...fixes, ...more], open: open.filter((id) => !fixed.includes(id)), later };
}

function proposalText(fixes: readonly Fix[]): string {
  const parts = fixes.map(
    ({ id, strategy, description, risk, diff, verification, issues }) =>
      `## ${id}: ${description}\n\n${strategy}, ${risk} risk, for ${issues.join(", ")}\n\n\`\`\`\`diff\n${diff}\`\`\`\`\n\nVerified by: ${verification}\n`,
  );
  return `# Proposed fixes\n\n${parts.join("\n")}`;
}

/** One fix at a time. Those before it may have moved its lines, so it is made anew for the skill as it is. */
export const applyNext: Act = (given) => {
  const [id, ...left] = listOf<string>(given.state("pending_fixes"));
  const proposed = join(given.workDir, proposals);
  const known = ownRecord<{ fixes?: readonly Fix[] }>(proposed, readIfThere(proposed));
  const fix = known?.fixes?.find((each) => each.id === id);
  if (id === undefined || !fix) throw new ActionFailed(`fix \`${id}\` was never proposed`);
  const skill = skillOf(given);
  const before = measure(skill, lookOf(given));
  const applied = applyOne(given, skill, { fix, before });
  const all = [...listOf<Applied>(given.state("applied_fixes")), applied];
  replaceFile(join(given.workDir, "fixes/applied-fixes.json"), `${JSON.stringify(all, null, 2)}\n`);
  return {
    stateUpdates: { applied_fixes: all as unknown as Json, pending_fixes: left },
    outputFiles: ["fixes/applied-fixes.json"],
    summary: appliedLine(applied).slice(2),
  };
};

function applyOne(given: ActionCase, skill: Skill, { fix, before }: { fix: Fix; before: Measured }): Applied {
  const place = { folder: skill.folder, workDir: join(given.workDir, `round-${given.round}`) };
  const none = {
    fix_id: fix.id,
    strategy: fix.strategy,
    backup_path: "",
    rollback_available: false,
    changes_made: [],
  };
  const known = appliedBefore(place, fix.id);
  // Killed after the edit and before it was written down: the edit is there already.
  if (known) return known;
  const present = { ...fix, ...presentForm(given, skill, fix) };
  if (present.changes.length === 0) {
    const isLeft = before.findings.some(({ pattern, file }) => pattern === fix.pattern && file === fix.file);
    return { ...none, success: !isLeft, verification_result: isLeft ? "fail" : "unmeasured" };
  }
  const applied = applyFix(place, present);
  if ("code" in applied) return { ...none, success: false, verification_result: "fail" };
  if (!applied.success) return applied;
  return helps(before, measure(skillOf(given), lookOf(given)), fix) ? applied : takenBack(applied);
}

/** What a person changed in between stays, and the fix counts as failed. */
function takenBack(applied: Applied): Applied {
  const back = rollBack(applied);
  return "code" in back ? { ...applied, verification_result: "fail" } : back;
}

/** The same strategy for the same file; no changes when another fix has done so on the way. */
function presentForm(given: ActionCase, skill: Skill, fix: Fix): Partial<Fix> & Pick<Fix, "changes"> {
  const isFresh = fix.changes.every(({ file, before, after }) => {
    const text = skill.files.find(({ path }) => path === file)?.text ?? null;
    return text === before || (before === null && text === after);
  });
  if (isFresh) return fix;
  const now = proposalsFor(given, skill).fixes.filter(
    (each) => each.pattern === fix.pattern && each.file === fix.file,
  );
  const same = now.find(({ description }) => description === fix.description) ?? now[0];
  return same ? { changes: same.changes, diff: same.diff } : { changes: [] };
}

/** The finding is gone in any case; "pass" is what evals have shown of the skill's behaviour, and nothing else (S16). */
function verdictOn({ evals }: Applied): Applied["verification_result"] {
  return evals ? "pass" : "unmeasured";
}

/** The same diagnoses again: a fix counts when what it was for is gone (S8). */
export const verify: Act = (given) => {
  const before = listOf<Pick<Finding, "severity" | "certainty">>(given.state("issues")).map(
    ({ severity }) => ({
      severity,
      certainty: "proven" as const,
    }),
  );
  const applied = listOf<Applied>(given.state("applied_fixes"));
  const scoreBefore = Number(given.state("quality_score") ?? 0);
  let after = measuredIn(given, skillOf(given));
  // Each one helped when it was applied; if all of them together do not, they go, the last one first.
  const settled = [...applied];
  const isWorse = () => weightOf(after.counts) > weightOf(countOf(before));
  for (let at = settled.length - 1; at >= 0 && isWorse(); at--) {
    const each = settled[at];
    if (each?.verification_result !== "pending") continue;
    settled[at] = takenBack(each);
    after = measuredIn(given, skillOf(given));
  }
  const verified = settled.map((each) =>
    each.verification_result === "pending" ? { ...each, verification_result: verdictOn(each) } : each,
  );
  const left = after.findings.filter(isCounted).length;
  const resolved = Math.max(0, before.length - left);
  const verification = {
    resolved,
    left,
    before: { score: scoreBefore, ...countOf(before) },
    after: { score: after.score, ...after.counts, tokens: after.cost.loaded },
  };
  replaceFile(join(given.workDir, "verification.json"), `${JSON.stringify(verification, null, 2)}\n`);
  return {
    stateUpdates: {
      applied_fixes: verified as unknown as Json,
      ...issuesOf(after.findings),
      quality_score: after.score,
      quality_gate: after.gate,
      "verification.resolved": resolved,
      iteration_count: given.round + 1,
    },
    outputFiles: ["verification.json"],
    summary: `${resolved} resolved, ${left} left, score ${scoreBefore} -> ${after.score}`,
  };
};
