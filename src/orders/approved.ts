// What a person approved, by its content: programs of a project that would run in heddle, or in an agent, unasked. Kept
// in the person's own folder and not in the project's: a repository must not come with its own approval.
import { join } from "node:path";
import { recordIn } from "../core/json.ts";
import { problem, Refused } from "../core/problem.ts";
import { textDigest } from "../host/digest.ts";
import { makeFolder, readIfThere, remove, replaceFile } from "../host/files.ts";

/** What is approved: which kind of thing, where, and its name there. */
export interface Subject {
  readonly kind: "protocol" | "settings";
  readonly place: string;
  readonly name: string;
}

function folder(): string {
  const { XDG_CONFIG_HOME, HOME = "/" } = process.env;
  return join(XDG_CONFIG_HOME || join(HOME, ".config"), "heddle", "approved");
}

/** One file each, so that two approvals at once cannot lose one. */
function fileOf({ kind, place, name }: Subject): string {
  return join(folder(), `${textDigest(`${kind}\0${place}\0${name}`).slice(0, 32)}.json`);
}

/** The content that was approved last. */
export function approvedDigest(subject: Subject): string | undefined {
  const sha256 = recordIn(readIfThere(fileOf(subject)))?.sha256;
  return typeof sha256 === "string" ? sha256 : undefined;
}

export function recordApproval(subject: Subject, sha256: string): void {
  const file = fileOf(subject);
  try {
    makeFolder(folder());
    replaceFile(file, `${JSON.stringify({ ...subject, sha256 }, null, 2)}\n`);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new Refused([
      problem("not-kept", `the approval cannot be kept: \`${folder()}\` cannot be written (${code})`, {
        hint: "XDG_CONFIG_HOME=/a/folder/of/yours",
      }),
    ]);
  }
}

export function forgetApproval(subject: Subject): boolean {
  if (approvedDigest(subject) === undefined) return false;
  remove(fileOf(subject));
  return true;
}
