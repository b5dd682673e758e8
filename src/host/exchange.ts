// A bare repository for work that is carried out elsewhere: it has commits of another repository, fetched by their names, and
// gives commits back. The only calls of git that speak to another repository, and only by the file protocol; no hook of
// either side runs, and no helper is asked.
import { join } from "node:path";
import { isThere, listAll } from "./files.ts";
import { openBare } from "./git/bare-repository.ts";
import { type GitDirectory, GitFailed, gitProblem, runGit } from "./git/git.ts";
import type { Repository } from "./git/repository.ts";
import { removeTree } from "./remove-tree.ts";

/** Workspaces of attempts that are over, `run/task-attempt`: where work is carried out elsewhere, nobody looks at them there. */
export async function clearAllBut(attempts: string, live: readonly string[]): Promise<void> {
  for (const run of isThere(attempts) ? listAll(attempts) : [])
    for (const name of listAll(join(attempts, run)))
      if (!live.includes(`${run}/${name}`)) await removeTree(join(attempts, run, name)).catch(() => {});
}

/** What is as it is in the repository that the commits come from. */
export type Alike = Pick<Repository, "hashBytes" | "prefix" | "included">;

/** The repository at `place`, made where there is none. */
export async function openExchange(place: string, alike: Alike): Promise<Repository> {
  const { hashBytes, prefix, included } = alike;
  const gitDir = join(place, "repository.git");
  await openBare(gitDir, [`--object-format=${hashBytes === 32 ? "sha256" : "sha1"}`]);
  return {
    ...{ gitDir, flags: [], objects: join(gitDir, "objects"), lent: join(place, "lent") },
    ...{ hashBytes, prefix, included, checkout: null, checkoutGitDir: gitDir },
    ...{ head: null, branch: null, isPrivate: true },
  };
}

const fileOnly = {
  flags: ["-c", "protocol.file.allow=always"],
  environment: { GIT_ALLOW_PROTOCOL: "file" },
} as const;

/** Commits that are missing here, from `origin`. */
export async function fetchCommits(
  at: GitDirectory,
  origin: string,
  commits: readonly string[],
): Promise<void> {
  const missing: string[] = [];
  for (const commit of new Set(commits))
    if ((await runGit(at, { args: ["cat-file", "-e", `${commit}^{commit}`] })).code !== 0)
      missing.push(commit);
  if (missing.length === 0) return;
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", origin, ...missing];
  await speak(at, args);
}

/** Gives a commit back to `origin`, under a ref that keeps it there. */
export async function giveCommit(
  at: GitDirectory,
  origin: string,
  { commit, ref }: { readonly commit: string; readonly ref: string },
): Promise<void> {
  const receive =
    "--receive-pack=git -c core.hooksPath=/dev/null -c gc.auto=0 -c core.fsync=all receive-pack";
  await speak(at, ["push", "--quiet", "--no-verify", receive, origin, `+${commit}:${ref}`]);
}

async function speak({ gitDir, flags }: GitDirectory, args: readonly string[]): Promise<void> {
  const { environment } = fileOnly;
  const done = await runGit({ gitDir, flags: [...flags, ...fileOnly.flags] }, { args, environment });
  if (done.code !== 0) throw new GitFailed(gitProblem(args[0] ?? "", done, gitDir));
}
