// A skill in numbers: its score and gate (S6), and what it costs to load. The same numbers before and after a change
// say whether the change helped.
import { diagnose } from "./diagnose.ts";
import { type Finding, type Severity, severities } from "./finding.ts";
import { documentsOf, type Kind, type Skill } from "./skill.ts";
import { tokensOf } from "./tokens.ts";

export type Gate = "pass" | "review" | "fail";
export type Counts = Readonly<Record<Severity, number>>;

export interface Cost {
  /** In context all the time, wherever the host knows the skill. */
  readonly description: number;
  /** Once the skill is used. */
  readonly loaded: number;
  /** By each further document: the entry and that one. */
  readonly paths: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly name: string;
  readonly kind: Kind;
  readonly score: number;
  readonly gate: Gate;
  readonly counts: Counts;
  readonly cost: Cost;
  readonly findings: readonly Finding[];
}

const weights: Counts = { critical: 25, high: 15, medium: 5, low: 1 };
const gates = { pass: 80, review: 60, mostHigh: 2 };

export function measure(skill: Skill, focus: readonly string[] = []): Measured {
  const findings = diagnose(skill, focus);
  const counts = countOf(findings);
  const score = scoreOf(counts);
  const { name, kind } = skill;
  return { name, kind, score, gate: gateOf(score, counts), counts, cost: costOf(skill), findings };
}

export function countOf(findings: readonly { readonly severity: Severity }[]): Counts {
  const of = (wanted: Severity) => findings.filter(({ severity }) => severity === wanted).length;
  return { critical: of("critical"), high: of("high"), medium: of("medium"), low: of("low") };
}

export function scoreOf(counts: Counts): number {
  return Math.max(0, 100 - weightOf(counts));
}

/** All faults together: two skills without a point left still differ in it. */
export function weightOf(counts: Counts): number {
  return severities.reduce((sum, severity) => sum + weights[severity] * counts[severity], 0);
}

export function gateOf(score: number, { critical, high }: Counts): Gate {
  if (critical === 0 && high <= gates.mostHigh && score >= gates.pass) return "pass";
  return score >= gates.review ? "review" : "fail";
}

/** The worst of them: a folder passes when every skill in it does. */
export function worstGate(all: readonly Gate[]): Gate {
  return all.includes("fail") ? "fail" : all.includes("review") ? "review" : "pass";
}

function costOf(skill: Skill): Cost {
  const { entry } = skill;
  const { name, description } = entry.front?.values ?? {};
  const known = [name, description].filter((value) => typeof value === "string").join("\n");
  const others = documentsOf(skill).filter((file) => file !== entry);
  return {
    description: tokensOf(known),
    loaded: entry.tokens,
    paths: Object.fromEntries(others.map(({ path, tokens }) => [path, entry.tokens + tokens])),
  };
}
