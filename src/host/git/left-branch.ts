// A branch that a run of another project left in this repository: somebody removed `.heddle` and began anew, or a second
// project works here, and its first run has the same name. Its work must not become the beginning of ours, nor be lost.
import { type Problem, problem } from "../../core/problem.ts";
import { type GitDirectory, GitFailed, gitProblem, orProblem, runGit } from "./git.ts";
import { branchRef, tipOf } from "./repository.ts";

/** The name that the branch has now; null when there was none. */
export function putBranchAside(repo: GitDirectory, run: string): Promise<string | null | Problem> {
  return orProblem(async () => {
    const args = ["for-each-ref", "--format=%(refname)", `refs/heddle/${run}/`];
    const refs = (await runGit(repo, { args })).out
      .toString("utf8")
      .split("\n")
      .filter((ref) => ref !== "");
    const tip = await tipOf(repo, `heddle/${run}`);
    if (tip === null && refs.length === 0) return null;
    const head = await runGit(repo, { args: ["symbolic-ref", "-q", "HEAD"] });
    if (head.out.toString("utf8").trim() === branchRef(run))
      return problem(
        "branch-in-the-way",
        `\`heddle/${run}\` is checked out, and an earlier project made it`,
        {
          hint: `git branch -m heddle/${run} ${run}-old`,
        },
      );
    const aside = tip === null ? null : await freeName(repo, `heddle/${run}-old`);
    const input = [
      ...(aside === null
        ? []
        : [`create refs/heads/${aside}\0${tip}\0`, `delete ${branchRef(run)}\0${tip}\0`]),
      ...refs.map((ref) => `delete ${ref}\0\0`),
    ].join("");
    const moved = await runGit(repo, { args: ["update-ref", "-z", "--stdin"], input });
    if (moved.code !== 0) throw new GitFailed(gitProblem("update-ref", moved, repo.gitDir));
    return aside;
  });
}

async function freeName(repo: GitDirectory, name: string): Promise<string> {
  for (let n = 1; ; n++) {
    const each = n === 1 ? name : `${name}-${n}`;
    if ((await tipOf(repo, each)) === null) return each;
  }
}
