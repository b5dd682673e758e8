// A skill in numbers: its score and gate (S6), and what it costs to load. The same numbers before and after a change
// say whether the change helped.
import { diagnose, isInFocus } from "./diagnose.ts";
import { type Finding, isCounted, isSuggestion, type Severity, severities } from "./finding.ts";
import { heedIgnores } from "./known/suppress.ts";
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
  /** Of what counts: proven or confirmed, and not suppressed. */
  readonly counts: Counts;
  readonly suggestions: number;
  readonly suppressed: number;
  readonly cost: Cost;
  /** What is in focus, suggestions and suppressed ones among it. */
  readonly findings: readonly Finding[];
  /** How many count that are not in focus, and so are not among the findings. */
  readonly outside: number;
  /** What is wrong with comments that suppress findings. */
  readonly notes: readonly string[];
}

/** How a skill is looked at. */
export interface Look {
  readonly focus?: readonly string[];
  /** By a finding's key, the words by which an agent confirmed it. */
  readonly confirmed?: Readonly<Record<string, string>>;
  /** Keys of findings that a baseline knows. */
  readonly known?: ReadonlySet<string>;
}

const weights: Counts = { critical: 25, high: 15, medium: 5, low: 1 };
const gates = { pass: 80, review: 60, mostHigh: 2 };

export function measure(skill: Skill, { focus = [], confirmed = {}, known }: Look = {}): Measured {
  const { findings, notes } = heedIgnores(skill, diagnose(skill).map(settled));
  function settled(finding: Finding): Finding {
    const quotation = finding.certainty === "suspected" ? confirmed[finding.key] : undefined;
    const isKnown = known?.has(finding.key) === true;
    return {
      ...finding,
      ...(quotation !== undefined && { confirmed: quotation }),
      ...(isKnown && { suppressed: { by: "baseline" as const, why: "it is in the baseline" } }),
    };
  }
  const counts = countOf(findings);
  const score = scoreOf(counts);
  const shown = findings.filter(({ diagnosis }) => isInFocus(diagnosis, focus));
  return {
    name: skill.name,
    kind: skill.kind,
    score,
    gate: gateOf(score, counts),
    counts,
    suggestions: findings.filter(isSuggestion).length,
    suppressed: findings.filter(({ suppressed }) => suppressed !== undefined).length,
    cost: costOf(skill),
    findings: shown,
    outside: findings.filter((each) => isCounted(each) && !shown.includes(each)).length,
    notes,
  };
}

type Countable = Pick<Finding, "severity" | "certainty" | "confirmed" | "suppressed">;

export function countOf(findings: readonly Countable[]): Counts {
  const of = (wanted: Severity) =>
    findings.filter((each) => each.severity === wanted && isCounted(each)).length;
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
