// A branch moves from one commit to the next by compare-and-swap. Repeating a move that was done is no error: after a
// crash nobody knows whether it was.
import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { isWithin } from "../program/mounts.ts";
import { type GitDirectory, GitFailed, type GitResult, gitProblem, runGit, runGitNow } from "./git.ts";
import { gitProcesses } from "./git-leftovers.ts";
import { tipOf } from "./repository.ts";

export interface Move {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** Runs the swap itself, at once, or not at all when the one who asked has been replaced meanwhile. */
  readonly fence?: Fence;
}

export type Fence = (swap: () => GitResult) => Promise<GitResult | undefined>;

/** `already` when `to` is the tip or lies before it; where somebody else moved the branch, its tip. */
export async function moveBranch(
  repo: GitDirectory,
  o: Move,
): Promise<"moved" | "already" | "late" | { readonly tip: string | null } | Problem> {
  const first = await tryMove(repo, o);
  if (!first) return "late";
  if (first.code === 0) return "moved";
  const known = await whereNow(repo, o);
  if (known !== "unmoved") return known;
  const lock = lockOf(first);
  if (lock === undefined) throw new GitFailed(gitProblem("update-ref", first, repo.gitDir));
  const held = await clearLock(repo, lock);
  if (held) return held;
  const second = await tryMove(repo, o);
  if (!second) return "late";
  if (second.code === 0) return "moved";
  const now = await whereNow(repo, o);
  if (now !== "unmoved") return now;
  throw new GitFailed(gitProblem("update-ref", second, repo.gitDir));
}

function tryMove(
  repo: GitDirectory,
  { branch, from, to, fence = async (swap) => swap() }: Move,
): Promise<GitResult | undefined> {
  const args = ["update-ref", "--no-deref", "-m", "heddle", `refs/heads/${branch}`, to, from];
  return fence(() => runGitNow(repo, { args }));
}

async function whereNow(
  repo: GitDirectory,
  { branch, from, to }: Move,
): Promise<"already" | "unmoved" | { readonly tip: string | null }> {
  const tip = await tipOf(repo, branch);
  if (tip === to) return "already";
  if (tip === null) return { tip };
  const { code } = await runGit(repo, { args: ["merge-base", "--is-ancestor", to, tip] });
  if (code === 0) return "already";
  return tip === from ? "unmoved" : { tip };
}

const lockOf = ({ error }: GitResult) =>
  /Unable to create '(.{0,4096}?\.lock)': File exists/.exec(error)?.[1];

/**
 * The lock of a ref belongs to a git that is at work, for milliseconds, or to one that died. git has waited a second
 * for it; it is taken away only when it is the same file all along and no git works in this repository.
 */
async function clearLock(repo: GitDirectory, lock: string): Promise<Problem | undefined> {
  const held = (why: string) =>
    problem("locked", `\`${lock}\` is in the way: ${why}`, { hint: `rm ${lock}, once no git is running` });
  if (!isWithin(join(repo.gitDir, "refs"), lock)) return held("another git may be at work");
  const before = lstatSync(lock, { throwIfNoEntry: false });
  if (!before) return undefined;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = lstatSync(lock, { throwIfNoEntry: false });
  if (!after) return undefined;
  if (after.ino !== before.ino || after.mtimeMs !== before.mtimeMs) return held("another git is at work");
  const living = gitProcesses(repo.gitDir);
  if (living === undefined) return held("whether its owner lives cannot be seen on this system");
  if (living.length > 0) return held(`git is at work here, as process ${living.join(", ")}`);
  rmSync(lock, { force: true });
  return undefined;
}
