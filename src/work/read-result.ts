// What an agent proposes, read from its outbox. It is untrusted text: fixed where it is nearly JSON, and checked.
import type { InputOf } from "../core/input.ts";
import { recordIn } from "../core/json.ts";
import type { Failure } from "../core/run.ts";
import { isPlainFile, isThereItself } from "../host/files.ts";
import { readHandedIn } from "../host/handed-in.ts";
import { repairDocument } from "../protocols/repair.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import type { Result } from "./result.ts";
import { checkResult } from "./result.ts";

export type Proposal =
  | { readonly kind: "none" }
  /** No document at all: the fixer may make one of it. */
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "success"; readonly text: string; readonly result: Result }
  | { readonly kind: "failed"; readonly text: string; readonly failure: Failure }
  /** It stops for a person; the answer starts another attempt. */
  | { readonly kind: "asked"; readonly text: string; readonly asks: InputOf<"ask"> };

/** Who works on a task, and how what it hands in is read: every protocol has its own documents. */
export interface HandIn {
  readonly role: string;
  /** The name of the document's schema. */
  readonly schema: string;
  readonly read: (folder: AttemptFolder, of: { readonly task: string; readonly attempt: number }) => Proposal;
}

export const resultHandIn: HandIn = {
  role: "task-executor",
  schema: "result",
  read: (folder, { task }) => readProposal(folder, task),
};

const limitBytes = 1024 * 1024;

export interface HandedIn {
  readonly file: string;
  readonly text: string;
}

/** What came over the socket counts before what lies in the outbox. */
export function handedIn({
  proposed,
  result,
}: AttemptFolder): HandedIn | Extract<Proposal, { kind: "none" | "unreadable" | "wrong" }> {
  const file = isThereItself(proposed) ? proposed : result;
  if (!isThereItself(file)) return { kind: "none" };
  // A link would make heddle read, and keep, what the agent itself may not see.
  if (!isPlainFile(file)) return { kind: "wrong", reason: "its result is not a plain file" };
  const read = readHandedIn(file, { most: limitBytes });
  if ("problem" in read) return { kind: "wrong", reason: read.problem.message };
  const repaired = repairDocument(read.text);
  if (!repaired) return { kind: "unreadable", reason: "its result file is no JSON document" };
  return { file, text: repaired.text };
}

/** What lies in an attempt's own outbox is about its task, whether it says so or not. */
function namingTask(text: string, taskId: string): string {
  const record = recordIn<{ task_id?: unknown }>(text);
  return record && record.task_id === undefined
    ? JSON.stringify({ task_id: taskId, ...record }, null, 2)
    : text;
}

export function readProposal(folder: AttemptFolder, taskId: string): Proposal {
  const found = handedIn(folder);
  if ("kind" in found) return found;
  const { file } = found;
  const text = namingTask(found.text, taskId);
  const { value, problems } = checkResult({ file, text, taskId });
  if (!value) return { kind: "wrong", reason: problems.map((each) => each.message).join("; ") };
  if (value.status === "success") return { kind: "success", text, result: value };
  const { category = "unknown", message = "it gave no reason", retryable = true } = value.error ?? {};
  return { kind: "failed", text, failure: { error: message, category, subcategory: null, retryable } };
}
