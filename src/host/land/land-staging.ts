// heddle's own folder in the git directory while something lands, for one landing at a time. Whoever finds one whose
// process is gone ends it: the landing is finished where only the branch was left to move, and taken back otherwise.
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Hint, toCall } from "../../core/hint.ts";
import { recordIn } from "../../core/json.ts";
import type { Holder } from "../../core/run-parts.ts";
import { makeFolder, readIfThere } from "../files.ts";
import { type GitDirectory, runGit } from "../git/git.ts";
import { holdsLease, keepLease } from "../lease.ts";
import { note } from "../notes.ts";
import { thisProcess } from "../program/process.ts";
import { removeTree } from "../remove-tree.ts";
import { readSealed } from "../sealed.ts";
import { isSwapped, swapBack, unlockIndex } from "./land-index.ts";
import { finish, type Plan, undoAll } from "./place-files.ts";

interface Move {
  readonly head: string;
  readonly tip: string;
  readonly branch: string;
}

type Refusal = { readonly landed: false; readonly reason: string; readonly hint: Hint };

export async function withStaging<T>(
  gitDir: string,
  { heddle }: { readonly heddle?: string },
  work: (staging: string) => Promise<T>,
): Promise<T | Refusal> {
  const staging = join(gitDir, "heddle-landing");
  const other = await ownerOf(staging);
  if (other)
    return {
      landed: false,
      reason: `another heddle lands here at the moment, as process ${other.pid}`,
      hint: [toCall("land"), ", once that has ended"],
    };
  const release = heddle === undefined ? () => {} : note(heddle, "landing", { staging });
  // It says whose it is from the first moment on. Of two who begin at once, one fails here.
  const fresh = `${staging}.${process.pid}.new`;
  try {
    makeFolder(fresh);
    writeFileSync(join(fresh, "owner.json"), JSON.stringify(thisProcess()));
    renameSync(fresh, staging);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    release();
    throw error;
  }
  const ended = keepLease(join(staging, "owner.json"));
  try {
    return await work(staging);
  } finally {
    ended();
    await settleLanding(staging);
    release();
  }
}

/** Who lands here now; what one left who died is dealt with first. */
async function ownerOf(staging: string): Promise<Holder | undefined> {
  if (!existsSync(staging)) return undefined;
  const owner = ownerIn(staging);
  if (owner && holdsLease(owner, join(staging, "owner.json"))) return owner;
  await settleLanding(staging);
  return undefined;
}

function ownerIn(staging: string): Holder | undefined {
  return recordIn<Holder>(readIfThere(join(staging, "owner.json")));
}

/** Ends a landing wherever it stopped. Repeatable, so that this may be killed too. Where something was kept aside. */
export async function settleLanding(staging: string): Promise<string | null> {
  if (!existsSync(staging)) return null;
  const gitDir = dirname(staging);
  const plan = (readSealed(join(staging, "plan.json")) as Plan | undefined) ?? null;
  const move = readSealed(join(staging, "move.json")) as Move | undefined;
  const isDone = existsSync(join(staging, "done")) || (move && (await finishMove(gitDir, staging, move)));
  let aside: string | null = null;
  if (isDone && plan) aside = await finish(plan);
  else if (!isDone) aside = await takeBack(gitDir, { staging, plan });
  unlockIndex(gitDir, staging);
  await removeTree(setAside(staging));
  return aside;
}

/** All of it is gone from its place at once: a part, without the word that it is done, would be taken for one to undo. */
function setAside(staging: string): string {
  const aside = `${staging}.${process.pid}.gone`;
  try {
    renameSync(staging, aside);
    return aside;
  } catch {
    return staging;
  }
}

/** Files and index are there: the branch follows, unless somebody moved it. */
async function finishMove(gitDir: string, staging: string, move: Move): Promise<boolean> {
  if (!isSwapped(staging) || existsSync(join(staging, "back"))) return false;
  const own = { gitDir, flags: [] };
  return (await moveHead(own, move)) === undefined;
}

/** Undefined when the checkout's branch is at the tip now; otherwise what git says. */
export async function moveHead(own: GitDirectory, { head, tip, branch }: Move): Promise<string | undefined> {
  const before = head === "" ? "0".repeat(tip.length) : head;
  const args = ["update-ref", "-m", `heddle land ${branch}`, "HEAD", tip, before];
  const moved = await runGit(own, { args });
  if (moved.code === 0) return undefined;
  const { out } = await runGit(own, { args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"] });
  return out.toString("utf8").trim() === tip ? undefined : said(moved.error);
}

/** Index first, then files; from the first step on there is only this way. */
export async function takeBack(
  gitDir: string,
  { staging, plan }: { readonly staging: string; readonly plan: Plan | null },
): Promise<string | null> {
  writeFileSync(join(staging, "back"), "");
  swapBack(gitDir, staging);
  return plan && undoAll(plan);
}

export const isLocked = (lock: string) => `\`${lock}\` is there: another git is at work, or one died`;

export function said(error: string): string {
  const lock = /Unable to create '(.{0,4096}?\.lock)'/.exec(error)?.[1];
  if (lock) return isLocked(lock);
  return (error.split("\n")[0] ?? "").replace(/^(fatal|error): /, "");
}
