// The hash chain: each entry's hash covers the entry and the hash before it, so a log that was cut, reordered or
// edited in its middle no longer adds up.
import type { Entry } from "../core/fact.ts";
import { sha256 } from "../core/sha256.ts";

export const chainStart = "0".repeat(64);

export function chained(previous: string, entry: Omit<Entry, "fact">, factText: string): string {
  return sha256(`${previous}\n${entry.position}\n${entry.at}\n${entry.by}\n${factText}`);
}

/** `plan-1`, `plan-2` … Short, readable, and safe in a branch name. */
export function nameRun(protocol: string, taken: number): string {
  const words: Readonly<Record<string, string>> = {
    decomposition: "plan",
    lifecycle: "task",
    tuning: "tune",
  };
  return `${words[protocol] ?? protocol}-${taken + 1}`;
}
