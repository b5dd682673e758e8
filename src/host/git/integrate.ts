// One task's change onto the integration branch: a tree becomes a commit, a commit is merged in memory, a branch moves
// by compare-and-swap. No work tree and no index take part, so nothing can be left half done.

import { isProblem } from "../../core/problem.ts";
import { type Change, changesBetween, diffText, patchBetween } from "./changes.ts";
import {
  type CommitText,
  isKnownToFollow,
  isWrittenOn,
  type ObjectStore,
  treeWritten,
  writeCommit,
} from "./commit-object.ts";
import { demandLine, type GitDirectory, GitFailed, gitProblem, gitVersion, runGit } from "./git.ts";
import { repositoryMerged } from "./repository-parts.ts";

export { moveBranch } from "./move-branch.ts";
export { type Change, changesBetween, diffText, patchBetween };

type GitStore = GitDirectory & ObjectStore;

/** The same input gives the same commit. */
export async function commitTree(repo: ObjectStore, commit: CommitText): Promise<string> {
  return writeCommit(repo, commit);
}

export type Merged =
  | { readonly ok: true; readonly tree: string }
  | {
      readonly ok: false;
      readonly conflicts: readonly { readonly path: string; readonly kind: string }[];
      readonly detail: string;
    };

/** What changed from `base` to `theirs`, a commit whose parent is `base`, done to `onto`. */
export async function mergeOnto(
  repo: GitStore,
  o: { base: string; theirs: string; onto: string },
): Promise<Merged> {
  if (o.onto === o.base) return { ok: true, tree: await treeOf(repo, o.theirs) };
  return mergeFrom(repo, o);
}

/** Undoes what `commit` changed, on top of `onto`. */
export async function revertTree(repo: GitStore, o: { commit: string; onto: string }): Promise<Merged> {
  const parent = await demandLine(repo, { args: ["rev-parse", "--verify", `${o.commit}^`] });
  if (o.onto === o.commit) return { ok: true, tree: await treeOf(repo, parent) };
  return mergeFrom(repo, { base: o.commit, theirs: parent, onto: o.onto });
}

export async function treeOf(repo: GitDirectory, commit: string): Promise<string> {
  const known = treeWritten(commit);
  if (known !== undefined) return known;
  return demandLine(repo, { args: ["rev-parse", "--verify", `${commit}^{tree}`] });
}

async function mergeFrom(repo: GitStore, o: { base: string; theirs: string; onto: string }): Promise<Merged> {
  const version = await gitVersion();
  if (isProblem(version)) throw new GitFailed(version);
  const named = version[0] > 2 || version[1] >= 40;
  const [onto, theirs] = named ? [o.onto, o.theirs] : await withBase(repo, o);
  const base = named ? [`--merge-base=${o.base}`] : [];
  const args = ["merge-tree", "--write-tree", "-z", "--messages", ...base, onto, theirs];
  const result = await runGit(repo, { args });
  if (result.code > 1) throw new GitFailed(gitProblem("merge-tree", result, repo.gitDir));
  const [tree = ""] = result.out.toString("utf8", 0, 200).split("\0");
  if (result.code === 0) {
    const repository = await repositoryMerged(repo, { onto: o.onto, tree });
    if (repository === undefined) return { ok: true, tree };
    const path = `${repository ? `${repository}/` : ""}HEAD`;
    const detail = `together they would make a git repository of \`${repository || "."}\``;
    return { ok: false, conflicts: [{ path, kind: "git repository" }], detail };
  }
  const { conflicts, said } = readConflicts(result.out.toString("utf8"));
  const paths = conflicts.map(({ path }) => path);
  const shown = await diffText(repo, { from: o.onto, to: tree, maxBytes: 16_384, paths });
  return { ok: false, conflicts, detail: `${said.join("")}\n${shown}`.trim() };
}

/**
 * Before git 2.40 `merge-tree` finds the base itself. That is `base` when `theirs` is its child and `onto` comes after
 * it; three commits that have the trees and only that history make it so for any three.
 */
async function withBase(
  repo: GitStore,
  o: { base: string; theirs: string; onto: string },
): Promise<[string, string]> {
  if (isWrittenOn(o.theirs, o.base) && isKnownToFollow(o.onto, o.base)) return [o.onto, o.theirs];
  const found = await runGit(repo, { args: ["merge-base", "--all", o.onto, o.theirs] });
  if (found.out.toString("utf8").trim() === o.base) return [o.onto, o.theirs];
  const made = async (commit: string, ...parents: string[]) =>
    commitTree(repo, {
      ...{ tree: await treeOf(repo, commit), parents, message: "a side of a merge" },
      ...{ at: "1970-01-01T00:00:00Z", author: { name: "heddle", email: "heddle@localhost" } },
    });
  const base = await made(o.base);
  return [await made(o.onto, base), await made(o.theirs, base)];
}

/** After the tree: `mode object stage TAB path` per side of a conflict, an empty field, then messages with their paths. */
function readConflicts(out: string): { conflicts: { path: string; kind: string }[]; said: string[] } {
  const all = out.split("\0");
  const gap = all.indexOf("", 1);
  const kinds = new Map<string, string>();
  for (const field of all.slice(1, gap)) kinds.set(field.slice(field.indexOf("\t") + 1), "content");
  const said: string[] = [];
  for (let at = gap + 1; at + 1 < all.length; ) {
    const count = Number(all[at]);
    if (!Number.isInteger(count) || all[at] === "") break;
    const paths = all.slice(at + 1, at + 1 + count);
    const [kind = "", message = ""] = all.slice(at + 1 + count, at + 3 + count);
    at += count + 3;
    if (!kind.startsWith("CONFLICT")) continue;
    said.push(message);
    for (const path of paths)
      if (kinds.has(path)) kinds.set(path, /\(([^()\n]{0,400})\)/.exec(message)?.[1] ?? kind);
  }
  return { conflicts: [...kinds].map(([path, kind]) => ({ path, kind })), said };
}

export async function isAncestor(repo: GitDirectory, a: string, b: string): Promise<boolean> {
  const result = await runGit(repo, { args: ["merge-base", "--is-ancestor", a, b] });
  if (result.code > 1) throw new GitFailed(gitProblem("merge-base", result, repo.gitDir));
  return result.code === 0;
}
