// Effect `check-output`: looks at what a role left in its outbox, and puts it in its place when it is right. What is
// wrong is worded for the role that must mend it; what is no document goes to the fixer (C6, D17, D18).
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import { textDigest } from "../host/digest.ts";
import { listFiles, readIfThere, readText, remove, replaceFile } from "../host/files.ts";
import { checkOutput, type Makes, outputKinds, outputThere, strangeIn } from "../planning/check-output.ts";
import { forTheRole } from "../planning/for-the-role.ts";
import { fileOf, type Places } from "../planning/plan-files.ts";
import type { TaskValidation } from "../protocols/decomposition/artifacts/task-validation.ts";
import { renderTaskValidation } from "../protocols/decomposition/artifacts/task-validation-report.ts";
import { repairDocument } from "../protocols/repair.ts";
import type { RoleFolder } from "./role-folder.ts";

export interface OutputWork {
  readonly folder: RoleFolder;
  /** The attempt before this one, to notice an output that did not change. */
  readonly before: RoleFolder | undefined;
  readonly places: Places;
  readonly redact: (text: string) => string;
}

export function checkRoleOutput(job: Job, work: OutputWork): Outcome {
  const outcome = look(job.makes as Makes, work);
  // What was refused is remembered, so that the same output handed in again is known, and why it was refused.
  if (!outcome.ok) replaceFile(work.folder.refused, JSON.stringify(outcome.problems ?? [outcome.error]));
  return outcome;
}

function look(makes: Makes, { folder, before, places, redact }: OutputWork): Outcome {
  const { output: path } = folder;
  const strange = strangeIn(makes, path);
  if (strange)
    return refused("no-output", [`${strange} is not a plain file or folder: write the output itself there`]);
  if (!outputThere(makes, path))
    return refused("no-output", [`nothing fresh lies at ${path}: writing it there is what the work is`]);
  const leak = outputFiles(makes, path).find((file) => holdsSecret(file, redact));
  if (leak)
    return refused("validation", [`${leak} holds a secret of the person's environment: leave it out`]);
  const broken = mendAll(makes, path);
  if (broken)
    return refused("unparseable", [`${broken} is not a JSON document, and none can be found in it`]);
  const earlier = before && refusedBefore(before);
  if (earlier && sameOutput(makes, path, before.output))
    return refused("stale-output", [`${unchanged}: ${earlier[0] ?? ""}`, ...earlier]);
  const { problems, inputs } = checkOutput(makes, { places, path });
  if (problems.length > 0) return refused("validation", problems.map(forTheRole));
  putInPlace(makes, path, places);
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

export function outputFiles(makes: Makes, path: string): string[] {
  return outputKinds[makes] === "folder" ? listFiles(path, ".json").map((name) => join(path, name)) : [path];
}

/** Takes documents out of prose and fences, keeping what was written; names the first that holds none. */
function mendAll(makes: Makes, path: string): string | undefined {
  for (const file of outputFiles(makes, path)) {
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

function sameOutput(makes: Makes, now: string, before: string): boolean {
  const digest = (path: string) =>
    outputFiles(makes, path)
      .map((file) => digestOf(file))
      .join(" ");
  return outputThere(makes, before) && digest(now) === digest(before);
}

function digestOf(file: string): string {
  const read = readText(file);
  return "text" in read ? textDigest(read.text) : "";
}

/** Files first, journal after: a crash in between checks the same output again, and puts the same files there. */
function putInPlace(makes: Makes, path: string, places: Places): void {
  const home = fileOf(places, makes);
  if (outputKinds[makes] === "file") {
    const text = textOf(path);
    replaceFile(home, text);
    if (makes === "task_validation")
      replaceFile(
        join(places.planningDir, "reports/task-validation-report.md"),
        renderTaskValidation(JSON.parse(text) as TaskValidation),
      );
    return;
  }
  const names = listFiles(path, ".json");
  for (const name of names) replaceFile(join(home, name), textOf(join(path, name)));
  for (const name of listFiles(home, ".json")) if (!names.includes(name)) remove(join(home, name));
}

function textOf(file: string): string {
  const read = readText(file);
  if ("problem" in read) throw new Error(`bug: ${file} was checked and cannot be read`);
  return read.text;
}
