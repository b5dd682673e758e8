// Every combination of what can be seen in one phase, exactly, without listing them: the ordered rules are walked as a
// decision tree that splits a subject's values only where a rule tells them apart. Whatever leads to the same rule
// with the same possibilities for what is still looked at is walked once.
import type { Protocol } from "../core/protocol.ts";

/** What each subject may still be. */
export type Possible = Readonly<Record<string, readonly string[]>>;

export interface Walk {
  /** Which rules decide for at least one combination, as indices into the protocol's rules. */
  readonly fired: ReadonlySet<number>;
  /** Combinations for which no rule decides, the first that were found. Only what was told apart is named. */
  readonly open: Possible | null;
  readonly isTooLarge: boolean;
}

/** Requests that come without a person's asking for something in particular. */
export const automatic: readonly string[] = ["none", "advance", "drive"];

/** How many places of the tree are looked at before it is given up. */
export const WALK_LIMIT = 200_000;

interface RulePlace {
  readonly index: number;
  readonly conditions: readonly (readonly [subject: string, wanted: readonly string[]])[];
  /** Subjects that this rule or a later one looks at. */
  readonly relevant: readonly string[];
}

interface Progress {
  readonly places: readonly RulePlace[];
  readonly known: Set<string>;
  readonly fired: Set<number>;
  open: Possible | null;
  left: number;
}

/** `only` narrows what subjects may be; the protocol's names must have been checked. */
export function walkPhase(
  protocol: Protocol,
  phase: string,
  { only = {}, limit = WALK_LIMIT }: { readonly only?: Possible; readonly limit?: number } = {},
): Walk {
  const places = placesOf(protocol, phase);
  const subjects = places[0]?.relevant ?? [];
  const start: Record<string, readonly string[]> = {};
  for (const subject of subjects) start[subject] = only[subject] ?? valuesOf(protocol, subject);
  const progress: Progress = { places, known: new Set(), fired: new Set(), open: null, left: limit };
  visit(progress, 0, start);
  const open = progress.open && toldApart(progress.open, start);
  return { fired: progress.fired, open, isTooLarge: progress.left < 0 };
}

export function valuesOf(protocol: Protocol, subject: string): readonly string[] {
  if (subject !== "request") return protocol.subjects[subject]?.values ?? [];
  const named = protocol.rules.flatMap((rule) => rule.when.request ?? []);
  return [...new Set([...automatic, ...named])];
}

/** The subjects that rules look at in a phase, beside the phase itself. */
export function subjectsIn(protocol: Protocol, phase: string): readonly string[] {
  return placesOf(protocol, phase)[0]?.relevant ?? [];
}

function placesOf(protocol: Protocol, phase: string): RulePlace[] {
  const places: RulePlace[] = [];
  const relevant = new Set<string>();
  for (const [index, rule] of [...protocol.rules.entries()].reverse()) {
    if (rule.when.phase && !rule.when.phase.includes(phase)) continue;
    const conditions = Object.entries(rule.when).filter(([subject]) => subject !== "phase");
    for (const [subject] of conditions) relevant.add(subject);
    places.unshift({ index, conditions, relevant: [...relevant] });
  }
  return places;
}

function visit(progress: Progress, at: number, possible: Possible): void {
  if (progress.left-- <= 0) return;
  const place = progress.places[at];
  if (!place) {
    progress.open ??= possible;
    return;
  }
  const key = `${at} ${JSON.stringify(place.relevant.map((subject) => possible[subject]))}`;
  if (progress.known.has(key)) return;
  progress.known.add(key);
  let within = possible;
  for (const [subject, wanted] of place.conditions) {
    const values = within[subject] ?? [];
    const inside = values.filter((value) => wanted.includes(value));
    const outside = values.filter((value) => !wanted.includes(value));
    if (outside.length > 0) visit(progress, at + 1, { ...within, [subject]: outside });
    if (inside.length === 0) return;
    within = { ...within, [subject]: inside };
  }
  progress.fired.add(place.index);
}

function toldApart(possible: Possible, start: Possible): Possible {
  const told = Object.entries(possible).filter(
    ([subject, values]) => values.length < (start[subject]?.length ?? 0),
  );
  return Object.fromEntries(told);
}
