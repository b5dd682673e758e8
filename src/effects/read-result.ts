// What an agent proposes, read from its outbox. It is untrusted text: mended where it is nearly JSON, and checked.
import type { Failure } from "../core/run.ts";
import { isPlainFile, isThereItself, readText } from "../host/files.ts";
import { checkResult } from "../protocols/decomposition/artifacts/check-execution-files.ts";
import type { Result } from "../protocols/decomposition/artifacts/result.ts";
import { repairDocument } from "../protocols/repair.ts";
import type { AttemptFolder } from "./attempt-folder.ts";

export type Proposal =
  | { readonly kind: "none" }
  /** No document at all: the fixer may make one of it. */
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "success"; readonly text: string; readonly result: Result }
  | { readonly kind: "failed"; readonly text: string; readonly failure: Failure };

const limitBytes = 1024 * 1024;

/** What came over the socket counts before what lies in the outbox. */
export function readProposal({ proposed, result }: AttemptFolder, taskId: string): Proposal {
  const file = isThereItself(proposed) ? proposed : result;
  if (!isThereItself(file)) return { kind: "none" };
  // A link would make heddle read, and keep, what the agent itself may not see.
  if (!isPlainFile(file)) return { kind: "wrong", reason: "its result is not a plain file" };
  const read = readText(file, limitBytes);
  if ("problem" in read) return { kind: "wrong", reason: read.problem.message };
  const repaired = repairDocument(read.text);
  if (!repaired) return { kind: "unreadable", reason: "its result file is no JSON document" };
  const { text } = repaired;
  const { value, problems } = checkResult({ file, text, taskId });
  if (!value) return { kind: "wrong", reason: problems.map((each) => each.message).join("; ") };
  if (value.status === "success") return { kind: "success", text, result: value };
  const { category = "unknown", message = "it gave no reason", retryable = true } = value.error ?? {};
  return { kind: "failed", text, failure: { error: message, category, subcategory: null, retryable } };
}
