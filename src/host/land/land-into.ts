// Finished work reaches another branch than the one that is checked out: that branch is made, or moved forward. No file of a
// checkout is touched, and a branch that has other commits is left as it is.
import type { Hint } from "../../core/hint.ts";
import { isProblem } from "../../core/problem.ts";
import { treeChanges } from "../git/changes.ts";
import { fields, orProblem, runGit } from "../git/git.ts";
import { isAncestor, moveBranch } from "../git/integrate.ts";
import { type Repository, tipOf } from "../git/repository.ts";
import type { Landed } from "./land.ts";

export interface Into {
  /** The branch that lands, such as `heddle/plan-1`, and where it began. */
  readonly branch: string;
  readonly start: string;
  readonly into: string;
  readonly target: string;
}

const no = (reason: string, hint: Hint): Landed => ({ landed: false, reason, hint });

/** `checked out`: the branch is the checkout's own, and its files must follow. */
export async function landInto(repo: Repository, o: Into): Promise<Landed | "checked out"> {
  const answer = await orProblem(() => bring(repo, o));
  if (!isProblem(answer)) return answer;
  return no(answer.message, answer.hint ?? `git -C ${o.target} status`);
}

async function bring(
  repo: Repository,
  { branch, start, into, target }: Into,
): Promise<Landed | "checked out"> {
  if (repo.isPrivate) return no("the target has no git repository, and so no branches", "heddle land");
  const named = await runGit(repo, { args: ["check-ref-format", `refs/heads/${into}`] });
  if (named.code !== 0 || into.startsWith("-") || into.startsWith("heddle/"))
    return no(`\`${into}\` cannot be the name of your branch`, "heddle land --into develop");
  const at = { gitDir: repo.checkoutGitDir, flags: repo.flags };
  const head = await runGit(at, { args: ["symbolic-ref", "--quiet", "HEAD"] });
  if (head.out.toString("utf8").trim() === `refs/heads/${into}`) return "checked out";
  const trees = await runGit(repo, { args: ["worktree", "list", "--porcelain", "-z"] });
  const checkedOut = `branch refs/heads/${into}`;
  if (fields(trees.out).some((line) => line === checkedOut))
    return no(`\`${into}\` is checked out in another worktree`, `git merge ${branch} there`);
  const [tip, there] = [await tipOf(repo, branch), await tipOf(repo, into)];
  if (tip === null) return no(`the branch \`${branch}\` is not there`, "heddle status");
  const hint = `git -C ${target} checkout ${into} && git -C ${target} merge ${branch}`;
  if (there !== null && !(await isAncestor(repo, there, tip)))
    return no(`\`${into}\` has commits that ${branch} does not have`, hint);
  const from = there ?? "0".repeat(tip.length);
  const moved = await moveBranch(repo, { branch: into, from, to: tip });
  if (isProblem(moved)) return no(moved.message, hint);
  if (moved !== "moved" && moved !== "already") return no(`\`${into}\` was moved meanwhile`, hint);
  return { landed: true, files: (await treeChanges(repo, start, tip)).length };
}
