// How effects fail, as values: one function per way, so that none is told from another by its words.
import type { Outcome, Unsuccessful } from "./input.ts";
import type { Problem } from "./problem.ts";
import type { Failure } from "./run.ts";

/** X11's kinds, and those of the first implementation. */
export const failureCategories = [
  "dependency",
  "compilation",
  "test",
  "validation",
  "runtime",
  "timeout",
  "budget",
  "scope",
  "environment",
  "unknown",
  "implementation",
  "verification",
  "other",
] as const;

/** The work is not right, or whoever did it failed. */
export function failure(category: string, error: string, subcategory: string | null = null): Unsuccessful {
  return { ok: false, kind: "failed", error, category, subcategory, retryable: true };
}

/** Trying again changes nothing until a person does. */
export function impossible(error: string): Unsuccessful {
  return { ...failure("environment", error), retryable: false };
}

export function failedWith({ error, category, subcategory, retryable }: Failure): Unsuccessful {
  return { ok: false, kind: "failed", error, category, subcategory, retryable };
}

/** The world did not let it be done; a full disk is told apart, because it is no fault of the work (G7). */
export function hindered(
  { code, message }: Pick<Problem, "code" | "message">,
  retryable = true,
): Unsuccessful {
  const kind = code === "full" ? "disk" : "failed";
  return { ok: false, kind, error: message, category: "environment", subcategory: code, retryable };
}

/** An outcome as it was kept in a file; 0.1 told kinds apart by flags. */
export function outcomeKept(kept: Outcome): Outcome {
  if (kept.ok || kept.kind !== undefined) return kept;
  const { parkMs, ...rest } = kept as Unsuccessful & { readonly parkMs?: number };
  return parkMs === undefined ? { ...rest, kind: "failed" } : { ...rest, kind: "parked", parkMs };
}

/** The machine that it was placed on is gone, or cannot do it. `begun`: an agent's work was lost with it. */
export function machineOutcome(error: string, begun: boolean): Unsuccessful {
  return { ...failure("environment", error, "machine"), kind: "machine", begun };
}
