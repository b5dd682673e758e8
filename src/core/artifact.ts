// Whether an artifact still counts: it must be valid, unchanged on disk since heddle looked at it, and made from
// inputs that are still the same (D4, D16).

import type { Rule, Seen, Subject } from "./protocol.ts";
import type { Json, Run } from "./run.ts";
import type { Artifact } from "./run-parts.ts";

export type Freshness = "missing" | "invalid" | "stale" | "valid";

export function freshness(name: string, seen: Seen): Freshness {
  const artifact = seen.run.artifacts[name];
  const digest = seen.digests[name];
  if (!artifact || digest === null) return "missing";
  if (digest !== undefined && digest !== artifact.digest) return "stale";
  if (!artifact.valid) return "invalid";
  return isOutdated(name, seen) ? "stale" : "valid";
}

/** Whether something that it was made from has changed since, however far back. */
function isOutdated(name: string, seen: Seen): boolean {
  return Object.entries(seen.run.artifacts[name]?.inputs ?? {}).some(([input, madeFrom]) => {
    // One that was looked for and is gone has changed; one that nobody looked for is as it was.
    const looked = seen.digests[input];
    const now = looked === undefined ? seen.run.artifacts[input]?.digest : looked;
    return now !== madeFrom || isOutdated(input, seen);
  });
}

/** A person's, which only counts once heddle has done what it says: nobody else is asked to make it. */
export function isByHand(artifact: Pick<Artifact, "valid" | "content"> | undefined): boolean {
  return artifact !== undefined && !artifact.valid && artifact.content.by_hand === true;
}

export function artifact(name: string): Subject {
  return {
    about: `the artifact \`${name}\``,
    artifact: name,
    values: ["missing", "invalid", "stale", "valid"],
    see: (seen) => freshness(name, seen),
  };
}

/** A field that rules read of a valid artifact, as one of a few words; `unknown` when it does not count. */
export function field(name: string, key: string, values: readonly string[]): Subject {
  return {
    about: `\`${key}\` of the artifact \`${name}\``,
    artifact: name,
    values: [...values, "unknown"],
    see: (seen) => {
      const value = String(seen.run.artifacts[name]?.content[key]);
      return freshness(name, seen) === "valid" && values.includes(value) ? value : "unknown";
    },
  };
}

/** A loop counter against the policy's bound. */
export function counter(name: string, bound: (seen: Seen) => number): Subject {
  return {
    about: `how often \`${name}\` has counted`,
    values: ["below", "reached"],
    see: (seen) => ((seen.run.counters[name] ?? 0) >= bound(seen) ? "reached" : "below"),
  };
}

/** A variable of the run as one of a few words. */
export function variable(name: string, values: readonly string[], unset: string): Subject {
  return {
    about: `the variable \`${name}\``,
    values: [...new Set([...values, unset])],
    see: (seen) => {
      const value = String(seen.run.vars[name] ?? unset);
      return values.includes(value) ? value : unset;
    },
  };
}

/** Lines for people, which whoever registers an artifact puts into its content: what a reviewer found, what a command printed. */
export function saidIn(content: Readonly<Record<string, Json>>): readonly string[] {
  const { said } = content;
  return Array.isArray(said) ? said.filter((line) => typeof line === "string") : [];
}

/** Why a rule fired, in the words of the documents that it looked at (L15). `saw`: the values of its subjects. */
export function becauseOf(run: Run, rule: Rule, saw: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(rule.when).flatMap((subject) => {
    const { artifact } = run.protocol.subjects[subject] ?? {};
    return artifact === undefined ? [] : [{ artifact, value: saw[subject] ?? "" }];
  });
  const lines = names.flatMap(({ artifact, value }) => {
    const found = run.artifacts[artifact];
    if (!found || value === "missing" || value === "stale") return [];
    return value === "invalid" ? found.problems.slice(0, 10) : saidIn(found.content);
  });
  return [...new Set(lines)];
}
