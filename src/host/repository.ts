// The target's repository: found, or made in private for a target without one. heddle adds objects to it, its own
// branch `heddle/<run>` and refs under `refs/heddle/`; the person's checkout, index and branches are not touched here.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import {
  demandGit,
  demandLine,
  fields,
  type GitDirectory,
  GitFailed,
  gitEnvironment,
  gitProblem,
  gitVersion,
  identity,
  orProblem,
  runGit,
  runProcess,
} from "./git.ts";
import { openPrivate } from "./private-repository.ts";

export interface Repository extends GitDirectory {
  /** The common directory, also when the target is a linked work tree. */
  readonly gitDir: string;
  readonly objects: string;
  /** `objects` and every store it borrows from: what a box has to show, read-only, for the agent's own git. */
  readonly stores: readonly string[];
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
}

/**
 * The target's repository, or a private one in `privateDir` made from the target's files (without `exclude`, and
 * without what .gitignore names) when the target is in no git work tree, or is ignored by it.
 */
export function openRepository(o: {
  target: string;
  privateDir: string;
  exclude: readonly string[];
}): Promise<Repository | Problem> {
  return orProblem(async () => {
    const version = await gitVersion();
    if (isProblem(version)) return version;
    const target = realpathSync(o.target);
    const place = await locate(target);
    if (isProblem(place)) return place;
    if (place === null || (await isIgnored(place))) return openPrivate({ ...o, target });
    return openPublic(place);
  });
}

interface Place {
  readonly root: string;
  readonly gitDir: string;
  readonly checkoutGitDir: string;
  readonly prefix: string;
  readonly format: string;
}

/** Only here the person's own configuration counts, for `safe.directory`; nothing is run by it. */
async function locate(target: string): Promise<Place | Problem | null> {
  const call = {
    args: [
      ...["-C", target, "-c", "core.fsmonitor=false", "rev-parse", "--path-format=absolute"],
      ...["--is-inside-work-tree", "--show-object-format", "--git-common-dir", "--absolute-git-dir"],
      ...["--show-toplevel", "--show-prefix"],
    ],
  };
  const { GIT_CONFIG_GLOBAL: _, GIT_CONFIG_NOSYSTEM: __, ...env } = gitEnvironment(call);
  const result = await runProcess(call.args, { cwd: target, env: { ...env, HOME: process.env.HOME ?? "/" } });
  const [inside, format = "sha1", gitDir, checkoutGitDir, root, prefix, ...rest] = result.out
    .toString("utf8")
    .split("\n");
  const foreign = /(?:dubious ownership|unsafe repository).*?'(.*)'/.exec(result.error)?.[1];
  if (foreign !== undefined)
    return problem("foreign-repository", `the repository of \`${target}\` belongs to somebody else`, {
      hint: `git config --global --add safe.directory ${foreign}`,
    });
  if (inside === undefined || inside === "") {
    if (/not a git repository/.test(result.error)) return null;
    throw new GitFailed(gitProblem("rev-parse", result, target));
  }
  if (inside !== "true")
    return problem("bare-repository", `\`${target}\` is a git directory without a checkout`, {
      hint: `git clone ${target} ${target}-checkout`,
    });
  if (result.code !== 0) throw new GitFailed(gitProblem("rev-parse", result, target));
  if (!gitDir || !checkoutGitDir || !root || prefix === undefined || rest.length !== 1)
    return problem("bad-path", `\`${target}\` has a line break in its path`, { hint: "move the project" });
  return { root, gitDir, checkoutGitDir, prefix, format };
}

async function isIgnored({ root, gitDir, prefix }: Place): Promise<boolean> {
  if (prefix === "") return false;
  const args = ["check-ignore", "--quiet", "--", `./${prefix}`];
  return (await runGit({ gitDir, flags: [] }, { args, workTree: root })).code === 0;
}

async function openPublic({ root, gitDir, checkoutGitDir, prefix, format }: Place): Promise<Repository> {
  const flags = await switchedOff(gitDir);
  const own = { gitDir: checkoutGitDir, flags };
  const [head, branch] = await Promise.all([
    runGit(own, { args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"] }),
    runGit(own, { args: ["symbolic-ref", "--quiet", "HEAD"] }),
  ]);
  const objects = join(gitDir, "objects");
  return {
    ...{ gitDir, flags, objects, prefix, checkout: root, checkoutGitDir },
    stores: storesOf(objects),
    hashBytes: format === "sha256" ? 32 : 20,
    head: head.code === 0 ? line(head.out) : null,
    branch: branch.code === 0 ? line(branch.out).replace(/^refs\/heads\//, "") : null,
    isPrivate: false,
  };
}

const line = (out: Buffer) => out.toString("utf8").trim();

/** Filters and merge drivers are programs of the configuration's choosing, and an agent's .gitattributes can call them. */
async function switchedOff(gitDir: string): Promise<string[]> {
  const args = ["config", "--null", "--name-only", "--get-regexp", "^(filter|merge|diff)\\..*\\."];
  const { out, code } = await runGit({ gitDir, flags: [] }, { args });
  if (code !== 0) return [];
  const sections = new Set(fields(out).map((name) => name.slice(0, name.lastIndexOf("."))));
  return [...sections].flatMap((section) => {
    if (section.startsWith("filter."))
      return ["clean=", "smudge=", "process=", "required=false"].flatMap((off) => [
        "-c",
        `${section}.${off}`,
      ]);
    // A merge driver that fails is a conflict, which is what a merge without its driver has to be.
    return section.startsWith("merge.") ? ["-c", `${section}.driver=false`] : ["-c", `${section}.command=`];
  });
}

/** A store, and those it borrows from, however deep. */
export function storesOf(objects: string): string[] {
  const found = [objects];
  for (const store of found) {
    const borrowed = join(store, "info", "alternates");
    if (!existsSync(borrowed) || found.length > 20) continue;
    for (const path of readFileSync(borrowed, "utf8").split("\n")) {
      const whole = resolve(store, path);
      if (path !== "" && !path.startsWith("#") && !found.includes(whole)) found.push(whole);
    }
  }
  return found;
}

export const branchRef = (run: string) => `refs/heads/heddle/${run}`;
const startRef = (run: string) => `refs/heddle/${run}/start`;

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
    const start = repo.head ?? (await emptyRoot(repo));
    const create = [branchRef(run), startRef(run)].map((ref) => `create ${ref}\0${start}\0`).join("");
    const made = await runGit(repo, { args: ["update-ref", "-z", "--stdin"], input: create });
    if (made.code === 0) return { tip: start, start };
    const meanwhile = await branchAndStart(repo, run);
    if (meanwhile) return meanwhile;
    if ((await tipOf(repo, "heddle")) !== null)
      return problem("branch-in-the-way", `a branch named \`heddle\` is in the way of \`heddle/${run}\``, {
        hint: "git branch -m heddle heddle-old",
      });
    throw new GitFailed(gitProblem("update-ref", made, repo.gitDir));
  });
}

async function branchAndStart(
  repo: Repository,
  run: string,
): Promise<{ tip: string; start: string } | Problem | undefined> {
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", branchRef(run), startRef(run)];
  const refs = new Map(
    (await demandLine(repo, { args })).split("\n").map((each) => each.split(" ") as [string, string]),
  );
  const [tip, start] = [refs.get(branchRef(run)), refs.get(startRef(run))];
  if (tip !== undefined && start !== undefined) return { tip, start };
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
    await demandGit(repo, { args: ["update-ref", `refs/heddle/${o.run}/${o.name}`, o.commit] });
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
  return names.map((name) => name.slice(folder.length)).filter((name) => name !== "start");
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

export async function tipOf(repo: GitDirectory, branch: string): Promise<string | null> {
  const { code, out } = await runGit(repo, {
    args: ["rev-parse", "--quiet", "--verify", `refs/heads/${branch}^{commit}`],
  });
  return code === 0 ? line(out) : null;
}
