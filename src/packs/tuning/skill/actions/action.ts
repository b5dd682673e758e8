// An action of the tuning loop: it is given where the skill is and what the state says, and answers with updates of the
// state, the files it wrote and one line (S11). Only paths that the action owns are taken over.
import type { Problem } from "../../../../core/problem.ts";
import type { Json } from "../../../../core/run.ts";
import type { Advice } from "../advice.ts";
import type { Look } from "../measure.ts";
import { readSkill, type SkillPlace } from "../read.ts";
import type { Skill } from "../skill.ts";

export interface ActionCase {
  readonly place: SkillPlace;
  /** Where reports, proposals and backups go. */
  readonly workDir: string;
  readonly round: number;
  readonly state: (path: string) => Json | undefined;
  /** What a person answered, by the question's id. */
  readonly answers: Readonly<Record<string, string>>;
  /** Whether somebody is there who could look deeper. */
  readonly hasAgent?: boolean;
  /** What an agent proposed, its shape checked; nothing when none was asked. */
  readonly advice?: Advice | undefined;
}

export interface Asked {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
}

export interface ActionResult {
  readonly stateUpdates: Readonly<Record<string, Json>>;
  readonly outputFiles: readonly string[];
  readonly summary: string;
  readonly questions?: readonly Asked[];
}

export type Act = (given: ActionCase) => ActionResult;

/** What went wrong with the skill itself; the action is tried again, then skipped. */
export class ActionFailed extends Error {}

export function skillOf({ place }: ActionCase): Skill {
  const skill = readSkill(place);
  if ("code" in skill) throw new ActionFailed((skill as Problem).message);
  return skill;
}

export function focusOf({ state }: ActionCase): string[] {
  const focus = state("focus_areas");
  return Array.isArray(focus) ? focus.map(String) : [];
}

/** How the skill is looked at in this run: what is in focus, and what an agent has confirmed. */
export function lookOf(given: ActionCase): Look {
  return { focus: focusOf(given), confirmed: confirmedIn(given) };
}

/** By a finding's key: the words that confirm it, or nothing where an agent saw no fault. */
export function verdictsIn({ state }: ActionCase): Readonly<Record<string, string | null>> {
  const verdicts = state("verdicts");
  return typeof verdicts === "object" && verdicts !== null && !Array.isArray(verdicts)
    ? (verdicts as Readonly<Record<string, string | null>>)
    : {};
}

function confirmedIn(given: ActionCase): Readonly<Record<string, string>> {
  const all = Object.entries(verdictsIn(given));
  return Object.fromEntries(all.flatMap(([key, words]) => (words === null ? [] : [[key, words]])));
}

export function listOf<T>(value: Json | undefined): readonly T[] {
  return Array.isArray(value) ? (value as unknown as readonly T[]) : [];
}

/** The paths of the state that each action may set, by their first parts. */
const owned: Readonly<Record<string, readonly string[]>> = {
  "action-init": ["status", "target_skill", "work_dir", "started"],
  "action-analyze-requirements": ["requirement_analysis", "focus_areas"],
  "action-gemini-analysis": ["gemini_analysis"],
  "action-generate-report": [
    "quality_score",
    "quality_gate",
    "final_report",
    "issues",
    "issues_by_severity",
    "suggestions",
    "verdicts",
  ],
  "action-propose-fixes": ["proposed_fixes", "open_issues"],
  "action-apply-fix": ["applied_fixes", "pending_fixes"],
  "action-verify": [
    "applied_fixes",
    "issues",
    "issues_by_severity",
    "suggestions",
    "quality_score",
    "quality_gate",
    "verification",
    "iteration_count",
  ],
  "action-complete": [
    "final_report",
    "measured",
    "quality_score",
    "quality_gate",
    "issues",
    "issues_by_severity",
    "suggestions",
  ],
  "action-abort": ["status"],
};

export function ownedUpdates(action: string, updates: Readonly<Record<string, Json>>): Record<string, Json> {
  const diagnosis = /^action-diagnose-(.+)$/.exec(action)?.[1];
  const allowed =
    diagnosis === undefined
      ? (owned[action] ?? [])
      : [`diagnosis.${diagnosis}`, "issues", "issues_by_severity", "suggestions"];
  const isOwned = (path: string) => allowed.some((own) => path === own || path.startsWith(`${own}.`));
  return Object.fromEntries(Object.entries(updates).filter(([path]) => isOwned(path)));
}
