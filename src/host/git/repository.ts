// The target's repository: found, or made in private for a target without one. heddle adds objects to it, its own
// branch `heddle/<run>` and refs under `refs/heddle/`; the person's checkout, index and branches are not touched here.

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { treeWritten } from "./commit-object.ts";
import { findRepository, type RepositoryPlace } from "./find-repository.ts";
import {
  demandGit,
  demandLine,
  fields,
  type GitDirectory,
  GitFailed,
  type GitResult,
  gitProblem,
  gitVersion,
  identity,
  orProblem,
  runGit,
} from "./git.ts";
import { openPrivate } from "./private-repository.ts";
import { readConfiguration } from "./read-configuration.ts";
import { writeRef } from "./ref-file.ts";

export interface Repository extends GitDirectory {
  /** The common directory, also when the target is a linked work tree. */
  readonly gitDir: string;
  readonly objects: string;
  /** What attempts may read of it, a folder per base; they never see `objects`. */
  readonly lent: string;
  /** Of an object's name: 20 for SHA-1, 32 for SHA-256. */
  readonly hashBytes: number;
  /** The target inside the work tree, "" or "app/". Every path of this layer is relative to the work tree's root. */
  readonly prefix: string;
  /** The person's work tree root, null for a private repository. */
  readonly checkout: string | null;
  /** The git directory of that work tree, with its HEAD and index; the common one unless it is a linked work tree. */
  readonly checkoutGitDir: string;
  readonly head: string | null;
  readonly branch: string | null;
  readonly isPrivate: boolean;
  /** Files of the work tree that its configuration includes: who may write them decides what git does. */
  readonly included: readonly string[];
}

/** One of which nothing is lent. */
export type FoundRepository = Omit<Repository, "lent">;

/**
 * The target's repository, or a private one in `privateDir` made from the target's files (without `exclude`, and
 * without what .gitignore names) when the target is in no git work tree, or is ignored by it.
 */
export function openRepository(o: {
  target: string;
  privateDir: string;
  exclude: readonly string[];
  /** A run has commits there already: a repository that is missing is not made anew. */
  begun?: boolean;
}): Promise<Repository | Problem> {
  return orProblem(async () => {
    const version = await gitVersion();
    if (isProblem(version)) return version;
    const target = realpathSync(o.target);
    const place = await findRepository(target);
    if (isProblem(place)) return place;
    if (place === null && o.begun && !existsSync(o.privateDir))
      return problem("place", `the git repository of \`${target}\` is missing`, {
        hint: "put it back and run the same command again",
      });
    const lent = join(dirname(o.privateDir), "lent");
    const found =
      place === null || (await isIgnored(place))
        ? await openPrivate({ ...o, target })
        : await openPublic(place);
    return isProblem(found) ? found : { ...found, lent };
  });
}

async function isIgnored({ root, gitDir, prefix }: RepositoryPlace): Promise<boolean> {
  if (prefix === "") return false;
  const args = ["check-ignore", "--quiet", "--", `./${prefix}`];
  return (await runGit({ gitDir, flags: [] }, { args, workTree: root })).code === 0;
}

/** A repository that is there, at a place that was found. */
export async function openPublic({
  root,
  gitDir,
  checkoutGitDir,
  prefix,
  format,
}: RepositoryPlace): Promise<FoundRepository> {
  const { flags, included } = await readConfiguration(gitDir, root);
  const own = { gitDir: checkoutGitDir, flags };
  const [head, branch] = await Promise.all([
    runGit(own, { args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"] }),
    runGit(own, { args: ["symbolic-ref", "--quiet", "HEAD"] }),
  ]);
  const objects = join(gitDir, "objects");
  return {
    ...{ gitDir, flags, objects, prefix, checkout: root, checkoutGitDir },
    hashBytes: format === "sha256" ? 32 : 20,
    head: head.code === 0 ? line(head.out) : null,
    branch: branch.code === 0 ? line(branch.out).replace(/^refs\/heads\//, "") : null,
    isPrivate: false,
    included,
  };
}

const line = (out: Buffer) => out.toString("utf8").trim();

export const branchRef = (run: string) => `refs/heads/heddle/${run}`;
const startRef = (run: string) => `refs/heddle/${run}/start`;
/** There until both are: git makes one ref after the other, and may be killed between. */
const openingRef = (run: string) => `refs/heddle/${run}/opening`;

/** Never a raw id: git accepts names that a shell would run, and others only fail late. */
const isPlainName = (name: string) => /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|lock$|$)){0,99}$/.test(name);

/**
 * Creates `refs/heads/heddle/<run>` at the person's HEAD, and remembers that commit as the start; an unborn HEAD gets
 * an empty root commit. Repeating it changes nothing.
 */
export function openBranch(repo: Repository, run: string): Promise<{ tip: string; start: string } | Problem> {
  return orProblem(async () => {
    if (!isPlainName(run)) return problem("bad-name", `\`${run}\` cannot be part of a branch's name`);
    const there = await branchAndStart(repo, run);
    if (there) return there;
    const made = await makeBranch(repo, run);
    const now = made.code === 0 ? await branchAndStart(repo, run) : undefined;
    if (now) return now;
    const meanwhile = await branchAndStart(repo, run);
    if (meanwhile) return meanwhile;
    if ((await tipOf(repo, "heddle")) !== null)
      return problem("branch-in-the-way", `a branch named \`heddle\` is in the way of \`heddle/${run}\``, {
        hint: "git branch -m heddle heddle-old",
      });
    throw new GitFailed(gitProblem("update-ref", made, repo.gitDir));
  });
}

/** The run's start, as its journal knows it, where somebody removed the ref. */
export async function keepStart(repo: GitDirectory, run: string, start: string): Promise<void> {
  const zero = "0".repeat(start.length);
  await runGit(repo, { args: ["update-ref", startRef(run), start, zero] });
}

/** Whoever was killed after the first ref has left the commit that both are to be at. */
async function makeBranch(repo: Repository, run: string): Promise<GitResult> {
  const known = (await refsOf(repo, run)).get(openingRef(run));
  const start = known ?? repo.head ?? (await emptyRoot(repo));
  if (known === undefined) {
    const zero = "0".repeat(start.length);
    const begun = await runGit(repo, { args: ["update-ref", openingRef(run), start, zero] });
    if (begun.code !== 0) return begun;
  }
  const refs = await refsOf(repo, run);
  const missing = [branchRef(run), startRef(run)].filter((ref) => !refs.has(ref));
  const create = missing.map((ref) => `create ${ref}\0${start}\0`).join("");
  const input = `${create}delete ${openingRef(run)}\0\0`;
  return runGit(repo, { args: ["update-ref", "-z", "--stdin"], input });
}

async function refsOf(repo: Repository, run: string): Promise<ReadonlyMap<string, string>> {
  const names = [branchRef(run), startRef(run), openingRef(run)];
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", ...names];
  const lines = (await demandLine(repo, { args })).split("\n");
  return new Map(lines.map((each) => each.split(" ") as [string, string]));
}

async function branchAndStart(
  repo: Repository,
  run: string,
): Promise<{ tip: string; start: string } | Problem | undefined> {
  const refs = await refsOf(repo, run);
  const [tip, start] = [refs.get(branchRef(run)), refs.get(startRef(run))];
  if (tip !== undefined && start !== undefined) return { tip, start };
  if (refs.has(openingRef(run))) return undefined;
  if (tip !== undefined)
    return problem("branch-in-the-way", `the branch \`heddle/${run}\` is there, but heddle did not make it`, {
      hint: `git branch -m heddle/${run} ${run}-old`,
    });
  if (start !== undefined)
    return problem("branch-gone", `the branch \`heddle/${run}\` was deleted while its run goes on`, {
      hint: `git branch heddle/${run} <its last commit>`,
    });
  return undefined;
}

async function emptyRoot(repo: Repository): Promise<string> {
  const tree = await demandLine(repo, { args: ["hash-object", "-t", "tree", "-w", "--stdin"] });
  const who = { name: "heddle", email: "heddle@localhost" };
  const environment = identity(who, "1970-01-01T00:00:00Z");
  return demandLine(repo, { args: ["commit-tree", tree], input: "Start from nothing\n", environment });
}

/**
 * Keeps a commit from `git gc --prune=now` while it is on no branch yet, as `refs/heddle/<run>/<name>`. Pinning another
 * under the same name lets the first one go.
 */
export async function pin(
  repo: GitDirectory,
  o: { run: string; name: string; commit: string },
): Promise<Problem | undefined> {
  if (!isPlainName(o.name) || o.name === "start")
    return problem("bad-name", `\`${o.name}\` cannot name a ref`);
  return orProblem(async () => {
    const ref = `refs/heddle/${o.run}/${o.name}`;
    const isOurs = isPlainName(o.run) && treeWritten(o.commit) !== undefined;
    if (!isOurs || !writeRef(repo.gitDir, ref, o.commit))
      await demandGit(repo, { args: ["update-ref", ref, o.commit] });
    return undefined;
  });
}

/** The names that commits of a run are pinned by. */
export async function pinned(repo: GitDirectory, run: string): Promise<string[]> {
  const folder = `refs/heddle/${run}/`;
  const out = await demandGit(repo, { args: ["for-each-ref", "--format=%(refname)", folder] });
  const names = out
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
  return names
    .map((name) => name.slice(folder.length))
    .filter((name) => name !== "start" && name !== "opening");
}

/** Lets commits go that were pinned; those that never were are no mistake. */
export async function unpin(repo: GitDirectory, o: { run: string; names: readonly string[] }): Promise<void> {
  const input = o.names.map((name) => `delete refs/heddle/${o.run}/${name}\0\0`).join("");
  await demandGit(repo, { args: ["update-ref", "-z", "--stdin"], input });
}

/** What the person has uncommitted, new files included, for a warning; at most `limit` paths. */
export async function dirtyFiles(repo: Repository, limit: number): Promise<string[]> {
  if (repo.checkout === null) return [];
  const args = [
    ...["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"],
    ...["--ignore-submodules=all", "--", repo.prefix === "" ? "." : repo.prefix],
  ];
  const out = await demandGit(
    { gitDir: repo.checkoutGitDir, flags: repo.flags },
    { args, workTree: repo.checkout },
  );
  return fields(out)
    .map((entry) => entry.slice(3))
    .slice(0, limit);
}

/** Whether a commit is there, with the tree that it names. */
export async function holdsCommit(repo: GitDirectory, commit: string): Promise<boolean> {
  const { code } = await runGit(repo, { args: ["cat-file", "-e", `${commit}^{tree}`] });
  return code === 0;
}

export async function tipOf(repo: GitDirectory, branch: string): Promise<string | null> {
  const { code, out } = await runGit(repo, {
    args: ["rev-parse", "--quiet", "--verify", `refs/heads/${branch}^{commit}`],
  });
  return code === 0 ? line(out) : null;
}

/** A commit without a parent and without a file: where a run begins in a repository that has no commit yet. */
export async function isEmptyRoot(repo: GitDirectory, commit: string): Promise<boolean> {
  const line = await demandLine(repo, { args: ["rev-list", "--parents", "-1", commit] });
  if (line.trim().includes(" ")) return false;
  return (await demandLine(repo, { args: ["ls-tree", commit] })).trim() === "";
}
