// `heddle tune --check`: measures every skill below some paths, and changes nothing.
import { relative } from "node:path";
import type { Problem } from "../../../core/problem.ts";
import { findSkills } from "./find.ts";
import type { Baseline } from "./known/baseline.ts";
import { type Gate, type Measured, measure, worstGate } from "./measure.ts";
import { readSkill, type SkillPlace } from "./read.ts";
import { encoding } from "./tokens.ts";

export interface CheckedSkill extends Measured {
  /** The entry, relative to where heddle was called. */
  readonly path: string;
  /** The folder that the findings' files are relative to, relative to the same place. */
  readonly folder: string;
  /** Files of the skill that could not be read. */
  readonly problems: readonly Problem[];
}

export interface SkillCheck {
  readonly gate: Gate;
  /** How tokens were counted. */
  readonly encoding: string;
  readonly skills: readonly CheckedSkill[];
  /** Paths that lead to no skill, and skills that cannot be read. */
  readonly problems: readonly Problem[];
}

export interface CheckOrder {
  readonly paths: readonly string[];
  readonly from: string;
  readonly focus?: readonly string[];
  readonly baseline?: Baseline;
}

export function check({ paths, from, focus = [], baseline }: CheckOrder): SkillCheck {
  const problems: Problem[] = [];
  const places = new Map<string, SkillPlace>();
  for (const path of paths) {
    const found = findSkills(path);
    if ("code" in found) problems.push(found);
    else for (const place of found) places.set(place.entry, place);
  }
  const skills: CheckedSkill[] = [];
  for (const place of places.values()) {
    const skill = readSkill(place);
    if ("code" in skill) problems.push(skill);
    else
      skills.push({
        path: relative(from, place.entry),
        folder: relative(from, skill.folder),
        problems: skill.problems,
        ...measure(skill, { focus, ...(baseline && { known: baseline.of(place.entry) }) }),
      });
  }
  const gates = skills.map(({ gate }) => gate);
  return { gate: problems.length > 0 ? "fail" : worstGate(gates), encoding, skills, problems };
}
