// What a role is to make: how it is checked, and where it is kept once it is right. Every protocol has its own products;
// how an agent is set to work on one is the same for all of them (`run-role.ts`).
import type { Input } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import { isThere, listFiles } from "../host/files.ts";
import { readHandedIn } from "../host/handed-in.ts";

export type OutputKind = "file" | "folder";

/** What is made of several files, one for each task; everything else is one document. */
const folders: ReadonlySet<string> = new Set(["tasks", "order", "gap_tasks"]);

export const kindOf = (makes: string): OutputKind => (folders.has(makes) ? "folder" : "file");

export interface CheckedOutput {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** What heddle records when it is right. */
  readonly inputs: readonly Input[];
}

export interface Product {
  readonly kind: OutputKind;
  /** Everything that is wrong with what lies at `path`, and what heddle records when nothing is. */
  readonly check: (path: string) => CheckedOutput;
  /** Puts what lies at `path` where it belongs. Repeating it changes nothing. */
  readonly keep: (path: string) => void;
}

/** Whether there is anything at all where the output should be (D17). */
export function outputThere(kind: OutputKind, path: string): boolean {
  if (kind === "folder") return listFiles(path, ".json").length > 0;
  const read = isThere(path) ? readHandedIn(path) : undefined;
  return read !== undefined && (!("text" in read) || read.text.trim() !== "");
}
