// Effect `check-output`: looks at what a role left in its outbox, and puts it in its place when it is right. What is
// wrong is worded for the role that must mend it; what is no document goes to the fixer (C6, D17, D18).
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { textDigest } from "../host/digest.ts";
import { listFiles, readIfThere, readText, replaceFile } from "../host/files.ts";
import { type OutputKind, outputThere, strangeIn } from "../planning/check-output.ts";
import { forTheRole } from "../planning/for-the-role.ts";
import type { Product } from "../planning/product.ts";
import { repairDocument } from "../protocols/repair.ts";
import type { RoleFolder } from "./role-folder.ts";

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
  if (!outcome.ok) replaceFile(work.folder.refused, JSON.stringify(outcome.problems ?? [outcome.error]));
  return outcome;
}

function look({ folder, before, product, redact }: OutputWork): Outcome {
  const { output: path } = folder;
  const { kind } = product;
  const strange = strangeIn(kind, path);
  if (strange)
    return refused("no-output", [`${strange} is not a plain file or folder: write the output itself there`]);
  if (!outputThere(kind, path))
    return refused("no-output", [`nothing fresh lies at ${path}: writing it there is what the work is`]);
  const leak = outputFiles(kind, path).find((file) => holdsSecret(file, redact));
  if (leak)
    return refused("validation", [`${leak} holds a secret of the person's environment: leave it out`]);
  const broken = mendAll(kind, path);
  if (broken)
    return refused("unparseable", [`${broken} is not a JSON document, and none can be found in it`]);
  const earlier = before && refusedBefore(before);
  if (earlier && sameOutput(kind, path, before.output))
    return refused("stale-output", [`${unchanged}: ${earlier[0] ?? ""}`, ...earlier]);
  const { problems, inputs } = product.check(path);
  if (problems.length > 0) return refused("validation", problems.map(forTheRole));
  product.keep(path);
  return { ok: true, inputs };
}

const unchanged = "the output is the same as the one before, which was refused";

function refusedBefore({ refused: file }: RoleFolder): string[] | undefined {
  const text = readIfThere(file);
  if (!text) return undefined;
  return (JSON.parse(text) as string[]).filter((each) => !each.startsWith(unchanged));
}

function holdsSecret(file: string, redact: (text: string) => string): boolean {
  const read = readText(file);
  return "text" in read && redact(read.text) !== read.text;
}

function refused(category: string, problems: readonly string[]): Outcome {
  return {
    ok: false,
    error: problems[0] ?? "",
    category,
    subcategory: null,
    retryable: true,
    problems: problems.slice(0, 100),
  };
}

export function outputFiles(kind: OutputKind, path: string): string[] {
  return kind === "folder" ? listFiles(path, ".json").map((name) => join(path, name)) : [path];
}

/** Takes documents out of prose and fences, keeping what was written; names the first that holds none. */
function mendAll(kind: OutputKind, path: string): string | undefined {
  for (const file of outputFiles(kind, path)) {
    const read = readText(file);
    // What cannot be read as text is for the validators to name.
    if ("problem" in read) continue;
    const repaired = repairDocument(read.text);
    if (!repaired) return file;
    if (repaired.text === read.text) continue;
    replaceFile(`${file}.raw`, read.text);
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
  const read = readText(file);
  return "text" in read ? textDigest(read.text) : "";
}
