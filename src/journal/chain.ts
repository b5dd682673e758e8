// The hash chain: each entry's hash covers the entry and the hash before it, so a log that was cut, reordered or
// edited in its middle no longer adds up.
import type { Entry } from "../core/fact.ts";
import type { Protocol } from "../core/protocol.ts";
import { sha256 } from "./sha256.ts";

export const chainStart = "0".repeat(64);

export function chained(previous: string, entry: Omit<Entry, "fact">, factText: string): string {
  return digest(`${previous}\n${entry.position}\n${entry.at}\n${entry.by}\n${factText}`);
}

/** A one-shot command hashes a handful of facts, and `node:crypto` would be its largest cost; a plan has thousands. */
const fewHashes = 50;
let hashes = 0;

/** A fact that names thousands of files: ours would take ten times as long. */
const longText = 64 * 1024;

function digest(text: string): string {
  return ++hashes > fewHashes || text.length > longText ? hash("sha256", text) : sha256(text);
}

function hash(algorithm: string, text: string): string {
  return process.getBuiltinModule("node:crypto").hash(algorithm, text);
}

/** `plan-1`, `plan-2` … Short, readable, and safe in a branch name. */
export function nameRun({ name, own }: Pick<Protocol, "name" | "own">, taken: number): string {
  return `${own?.runName ?? name}-${taken + 1}`;
}
