// Effect `check-output`: looks at what a role left in its outbox, and puts it in its place when it is right. What is
// wrong is worded for the role that must fix it; what is no document goes to the fixer (C6, D17, D18).
import { basename, join } from "node:path";
import type { Outcome, Unsuccessful } from "../core/input.ts";
import { ownList } from "../core/json.ts";
import { failure } from "../core/outcome.ts";
import { textDigest } from "../host/digest.ts";
import { listFiles, makeFolder, replaceFile } from "../host/files.ts";
import { readHandedIn, readRecord } from "../host/handed-in.ts";
import { repairDocument } from "../protocols/repair.ts";
import { forTheRole } from "./given/for-the-role.ts";
import type { Product } from "./product.ts";
import { type OutputKind, outputThere } from "./product.ts";
import type { RoleFolder } from "./role-folder.ts";
import { takeOutput } from "./take-output.ts";

export interface OutputWork {
  readonly folder: RoleFolder;
  /** The attempt before this one, to notice an output that did not change. */
  readonly before: RoleFolder | undefined;
  readonly product: Product;
  readonly redact: (text: string) => string;
}

export function checkRoleOutput(work: OutputWork): Outcome {
  const outcome = look(work);
  // What was refused is remembered, so that the same output handed in again is known, and why it was refused.
  if (!outcome.ok) replaceFile(work.folder.refused, JSON.stringify(reasonsOf(outcome)));
  return outcome;
}

/** That an output did not change is no reason of its own: those of the first refusal still stand. */
function reasonsOf({ category, problems = [], error }: Unsuccessful): readonly string[] {
  if (category === "stale-output") return problems.slice(1);
  return problems.length > 0 ? problems : [error];
}

function look({ folder, before, product, redact }: OutputWork): Outcome {
  const { output, taken: path } = folder;
  const { kind } = product;
  const wrong = takeOutput(kind, folder);
  if (wrong) return refused(wrong.strange ? "no-output" : "validation", [wrong.message]);
  if (!outputThere(kind, path))
    return refused("no-output", [`no new file was written to ${output}: the task is to write it there`]);
  const told = (text: string) => text.replaceAll(path, output);
  const leak = outputFiles(kind, path).find((file) => holdsSecret(file, redact));
  if (leak)
    return refused("validation", [`${told(leak)} holds a secret of the person's environment: leave it out`]);
  const broken = mendAll(kind, folder);
  if (broken)
    return refused("unparseable", [`${told(broken)} is not a JSON document, and none can be found in it`]);
  const earlier = before && refusedBefore(before);
  if (earlier && sameOutput(kind, path, before.taken))
    return refused("stale-output", [`${unchanged}: ${earlier[0] ?? ""}`, ...earlier]);
  const { problems, inputs } = product.check(path);
  if (problems.length > 0)
    return refused(
      "validation",
      problems.map((each) => told(forTheRole(each))),
    );
  product.keep(path);
  return { ok: true, inputs };
}

const unchanged = "the output is the same as the one before, which was refused";

function refusedBefore({ refused: file }: RoleFolder): readonly string[] | undefined {
  return ownList<string>(file, readRecord(file));
}

function holdsSecret(file: string, redact: (text: string) => string): boolean {
  const read = readHandedIn(file);
  return "text" in read && redact(read.text) !== read.text;
}

function refused(category: string, problems: readonly string[]): Outcome {
  const kind = category === "unparseable" ? category : "failed";
  return { ...failure(category, problems[0] ?? ""), kind, problems: problems.slice(0, 100) };
}

export function outputFiles(kind: OutputKind, path: string): string[] {
  return kind === "folder" ? listFiles(path, ".json").map((name) => join(path, name)) : [path];
}

/** Takes documents out of prose and fences, keeping what was written; names the first that holds none. */
function mendAll(kind: OutputKind, { taken, raw }: RoleFolder): string | undefined {
  for (const file of outputFiles(kind, taken)) {
    const read = readHandedIn(file);
    // What cannot be read as text is for the validators to name.
    if ("problem" in read) continue;
    const repaired = repairDocument(read.text);
    if (!repaired) return file;
    if (repaired.text === read.text) continue;
    makeFolder(raw);
    replaceFile(join(raw, basename(file)), read.text);
    replaceFile(file, repaired.text);
  }
  return undefined;
}

function sameOutput(kind: OutputKind, now: string, before: string): boolean {
  const digest = (path: string) =>
    outputFiles(kind, path)
      .map((file) => digestOf(file))
      .join(" ");
  return outputThere(kind, before) && digest(now) === digest(before);
}

function digestOf(file: string): string {
  const read = readHandedIn(file);
  return "text" in read ? textDigest(read.text) : "";
}
