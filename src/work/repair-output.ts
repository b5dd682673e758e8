// Effect `repair-output`: the fixer's one turn at an output that is no document (C6). Whatever it makes is checked
// like any output; when it makes nothing, the check says so.

import { basename, join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { ownRecord } from "../core/json.ts";
import { makeFolder, replaceFile } from "../host/files.ts";
import { readHandedIn, readRecord } from "../host/handed-in.ts";
import { repairDocument } from "../protocols/repair.ts";
import { outputFiles } from "./check-output.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { OutputKind } from "./product.ts";
import { askOnce, type RoleWork } from "./run-role.ts";
import { takeOutput } from "./take-output.ts";

/** The file that the fixer is given: of what was taken over. */
export function brokenFile(kind: OutputKind, path: string): string | undefined {
  return outputFiles(kind, path).find((file) => {
    const read = readHandedIn(file);
    return "text" in read && !repairDocument(read.text);
  });
}

export async function repairOutput(work: RoleWork, broken: string, signal: AbortSignal): Promise<Outcome> {
  const { ended } = work.folder;
  const outcome = ownRecord<Outcome>(ended, readRecord(ended)) ?? (await turn(work, signal));
  if (signal.aborted) return outcome;
  const wrong = takeOutput("file", work.folder);
  const fixed = wrong ? undefined : readHandedIn(work.folder.taken);
  const repaired = fixed && "text" in fixed ? repairDocument(fixed.text) : undefined;
  if (repaired) {
    const original = readHandedIn(broken);
    makeFolder(work.folder.raw);
    if ("text" in original) replaceFile(join(work.folder.raw, basename(broken)), original.text);
    replaceFile(broken, repaired.text);
  }
  // The check that follows decides: a fixer that failed leaves the output as it was.
  return outcome.usage ? { ok: true, usage: outcome.usage } : { ok: true };
}

async function turn(work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  const outcome = await askOnce(work, signal);
  if (signal.aborted) return outcome;
  replaceFile(work.folder.ended, JSON.stringify(outcome));
  await forgetHome(work.folder.home);
  return outcome;
}
