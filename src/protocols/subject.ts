// The room of what protocols are made of: subjects, documents, their schemas, and the checker of tables. Pure: a document comes
// as text, and what is wrong with it is a `Problem` with its line.
//
// Subjects that several of the built-in protocols need beside those of `core/artifact.ts`: what an artifact says,
// whether a person answered what it asks, and counters that can begin anew.
import { freshness } from "../core/artifact.ts";
import type { Subject } from "../core/protocol.ts";
import type { Json, Run } from "../core/run.ts";
import type { Artifact } from "../core/run-parts.ts";

export type Content = Artifact["content"];

/**
 * What an artifact says, as one of a few words. One that was taken for valid and says none of them is `invalid`: a
 * verdict of the wrong shape never counts as passed (L5).
 */
export function verdict(
  name: string,
  words: readonly string[],
  read: (content: Content) => string | undefined,
): Subject {
  return {
    about: `what the artifact \`${name}\` says`,
    artifact: name,
    values: ["missing", "invalid", "stale", ...words],
    see: (seen) => {
      const state = freshness(name, seen);
      if (state !== "valid") return state;
      const word = read(seen.run.artifacts[name]?.content ?? {});
      return word !== undefined && words.includes(word) ? word : "invalid";
    },
  };
}

/** What a question's `about` is when an artifact asks it. Its digest is part of it: a new version asks anew. */
export function aboutArtifact(artifact: Pick<Artifact, "name" | "digest">): string {
  return `${artifact.name}@${artifact.digest}`;
}

/** Whether a person has answered everything that the artifact, as it is now, asks (C8). */
export function answersTo(run: Run, name: string): "none" | "open" | "given" {
  const artifact = run.artifacts[name];
  if (!artifact) return "none";
  const about = aboutArtifact(artifact);
  const asked = run.questions.filter((question) => question.about === about);
  if (asked.length === 0) return "none";
  return asked.every((question) => question.answer !== null) ? "given" : "open";
}

/** `null` when there is no such list or count. */
export function countOf(value: Json | undefined): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : null;
}

/**
 * A loop counter that can begin anew: the variable `<name>_before` holds what had been counted when it did. Without
 * it the bound is over the whole run, which is stricter and therefore safe.
 */
export function counterSince(name: string, bound: (run: Run) => number): Subject {
  return {
    about: `how often \`${name}\` has counted`,
    values: ["below", "reached"],
    see: ({ run }) => {
      const counted = (run.counters[name] ?? 0) - (countOf(run.vars[`${name}_before`]) ?? 0);
      return counted >= bound(run) ? "reached" : "below";
    },
  };
}
