// Which repository a folder belongs to. heddle looks for a `.git` itself, and asks git about that one place only: what
// merely looks like a repository, as an agent could make it with a few files, is never opened.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { distrust } from "../program/programs.ts";
import { GitFailed, gitProblem, personsEnvironment, runProcess, settings } from "./git.ts";
import { looksLikeRepository } from "./repository-parts.ts";

export interface RepositoryPlace {
  /** The work tree's root. */
  readonly root: string;
  /** The common directory, also when the work tree is a linked one. */
  readonly gitDir: string;
  readonly checkoutGitDir: string;
  /** The folder inside the work tree, "" or "app/". */
  readonly prefix: string;
  readonly format: string;
}

/** Nothing where no folder on the way up has a `.git` that git accepts. */
export async function findRepository(folder: string): Promise<RepositoryPlace | Problem | null> {
  distrust(folder);
  const target = realpathSync(folder);
  for (let at = target; ; at = dirname(at)) {
    if (hasGit(at)) {
      const place = await placeAt(at, target);
      if (place !== null) return place;
    } else if (looksLikeRepository(at)) return bare(at);
    if (dirname(at) === at) return null;
  }
}

const hasGit = (folder: string) => lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;

/** Whether a folder on the way up has a `.git`, accepted or not. */
export const isMarked = (folder: string): boolean =>
  hasGit(folder) || (dirname(folder) !== folder && isMarked(dirname(folder)));

const bare = (folder: string) =>
  problem("bare-repository", `\`${folder}\` is a git directory without a checkout`, {
    hint: `git clone ${folder} ${folder}-checkout`,
  });

/** Only here the person's own configuration counts, for `safe.directory`; nothing is run by it. */
async function placeAt(top: string, target: string): Promise<RepositoryPlace | Problem | null> {
  const args = [
    ...["-C", top, ...settings, "rev-parse", "--path-format=absolute", "--is-inside-work-tree"],
    ...["--show-object-format", "--git-common-dir", "--absolute-git-dir", "--show-toplevel"],
  ];
  const env = { ...personsEnvironment({ args }), GIT_CEILING_DIRECTORIES: dirname(top) };
  const result = await runProcess(args, { cwd: "/", env });
  const [inside, format = "sha1", gitDir, checkoutGitDir, root, ...rest] = result.out
    .toString("utf8")
    .split("\n");
  const foreign = /(?:dubious ownership|unsafe repository)[^'\n]{0,500}'(.*)'/.exec(result.error)?.[1];
  if (foreign !== undefined)
    return problem("foreign-repository", `the repository of \`${target}\` belongs to somebody else`, {
      hint: `git config --global --add safe.directory ${foreign}`,
    });
  if (inside === undefined || inside === "") {
    if (/not a git repository/.test(result.error)) return null;
    throw new GitFailed(gitProblem("rev-parse", result, target));
  }
  if (inside !== "true") return bare(top);
  if (result.code !== 0) throw new GitFailed(gitProblem("rev-parse", result, target));
  if (!gitDir || !checkoutGitDir || !root || rest.length !== 1 || target.includes("\n"))
    return problem("bad-path", `\`${target}\` has a line break in its path`, { hint: "move the project" });
  if (root !== top)
    return problem("other-work-tree", `the repository of \`${top}\` has its files in \`${root}\``, {
      hint: `git -C ${top} config --unset core.worktree`,
    });
  const inner = relative(top, target);
  return { root, gitDir, checkoutGitDir, format, prefix: inner === "" ? "" : `${inner}/` };
}
