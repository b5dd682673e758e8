// An agent's edits as fixes. heddle believes none of it: the old text must stand in the file exactly once, the file must
// be the skill's own, no word of the author's may be lost, and measuring must show that the finding is gone and nothing is
// worse.
import type { AgentEdit } from "./advice.ts";
import { unifiedDiff } from "./diff.ts";
import type { Finding } from "./finding.ts";
import { type Change, changed, type Fix, verificationOf } from "./fix.ts";
import { lostBy } from "./keep.ts";
import { type Look, type Measured, measure } from "./measure.ts";
import { changedSkill, freedBy, helps } from "./propose.ts";
import type { Skill } from "./skill.ts";

export interface Wanted {
  readonly edits: readonly AgentEdit[];
  /** Findings that no strategy fixes. */
  readonly open: readonly Finding[];
  readonly before: Measured;
  readonly look: Look;
}

export function fixesFromEdits(skill: Skill, { edits, open, before, look }: Wanted): Omit<Fix, "id">[] {
  const left = [...open];
  return edits.flatMap((edit) => {
    const change = changeOf(skill, edit);
    const finding = left.find(({ pattern, file }) => pattern === edit.pattern && file === edit.file);
    if (!change || !finding) return [];
    const after = changedSkill(skill, [change]);
    if (lostBy(skill, after, { changes: [change], freed: freedBy(finding) }) !== undefined) return [];
    if (!helps(before, measure(after, look), finding)) return [];
    left.splice(left.indexOf(finding), 1);
    return [
      {
        issues: [finding.id],
        pattern: finding.pattern,
        file: finding.file,
        strategy: `agent:${finding.strategy}`,
        description: edit.reason.replace(/\s+/g, " ").slice(0, 200) || "an agent's edit",
        risk: "high" as const,
        changes: [change],
        diff: unifiedDiff(change.file, change.before, change.after),
        verification: verificationOf(finding),
      },
    ];
  });
}

function changeOf(skill: Skill, edit: AgentEdit): Change | undefined {
  const file = skill.files.find(({ path }) => path === edit.file);
  if (file?.text.split(edit.old).length !== 2) return undefined;
  return changed(
    file,
    file.text.replace(edit.old, () => edit.new),
  );
}
