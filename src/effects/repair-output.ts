// Effect `repair-output`: the fixer's one turn at an output that is no document (C6). Whatever it makes is checked
// like any output; when it makes nothing, the check says so.
import type { Outcome } from "../core/input.ts";
import { readIfThere, readText, replaceFile } from "../host/files.ts";
import type { OutputKind } from "../planning/check-output.ts";
import { repairDocument } from "../protocols/repair.ts";
import { forgetHome } from "./agent-home.ts";
import { outputFiles } from "./check-output.ts";
import { prepare, type RoleWork, workOn } from "./run-role.ts";

/** The file that the fixer is given. */
export function brokenFile(kind: OutputKind, path: string): string | undefined {
  return outputFiles(kind, path).find((file) => {
    const read = readText(file);
    return "text" in read && !repairDocument(read.text);
  });
}

export async function repairOutput(work: RoleWork, broken: string, signal: AbortSignal): Promise<Outcome> {
  const ended = readIfThere(work.folder.ended);
  const outcome = ended ? (JSON.parse(ended) as Outcome) : await turn(work, signal);
  if (signal.aborted) return outcome;
  const fixed = readText(work.folder.output);
  const repaired = "text" in fixed ? repairDocument(fixed.text) : undefined;
  if (repaired) {
    const original = readText(broken);
    if ("text" in original) replaceFile(`${broken}.raw`, original.text);
    replaceFile(broken, repaired.text);
  }
  // The check that follows decides: a fixer that failed leaves the output as it was.
  return outcome.usage ? { ok: true, usage: outcome.usage } : { ok: true };
}

async function turn(work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  prepare(work);
  const outcome = await workOn(work, signal);
  if (signal.aborted) return outcome;
  replaceFile(work.folder.ended, JSON.stringify(outcome));
  forgetHome(work.folder.home);
  return outcome;
}
