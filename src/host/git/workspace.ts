// A workspace is a repository of the agent's own at a recorded commit: it borrows the objects of that commit and of what
// came before it (`lent-objects.ts`), and its `.git` belongs to the agent. heddle writes that `.git` as plain files before
// the agent starts and never opens it afterwards; it knows the workspace by an index of its own, kept where the agent
// cannot reach it.

import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { makeFolder } from "../files.ts";
import { removeTree } from "../remove-tree.ts";
import { inTurns } from "../turns.ts";
import { fullDisk, type GitDirectory, GitFailed, gitProblem, orProblem, runGit } from "./git.ts";
import { readIndex } from "./index-file.ts";
import { baseBeside, boundaryOf, lendObjects, lentFor } from "./lent-objects.ts";
import type { Repository } from "./repository.ts";
import { rulesBeside } from "./snapshot.ts";
import { bytesOf, latin1Of } from "./work-files.ts";

export { snapshot } from "./snapshot.ts";

/**
 * A private repository at `folder`, checked out at `base` by one git process.
 *
 * Contract: when `folder` is there, it is whole; a call that was killed is repeated from the beginning.
 */
export function makeWorkspace(
  repo: Repository,
  o: { folder: string; index: string; base: string },
): Promise<Problem | undefined> {
  return orProblem(async () => {
    makeFolder(dirname(o.index));
    // A workspace that is there keeps what it was lent.
    if (!existsSync(o.folder)) writeFileSync(baseBeside(o.index), `${o.base}\n`);
    try {
      await lendObjects(repo, o.base);
      return await fill(repo, { ...o, tree: o.base }, async (aside, index) => {
        await keepRules(repo, { aside, index, rules: rulesBeside(o.index) });
        writeGitDirectory(repo, join(aside, ".git"), o.base);
        await copyFile(index, join(aside, ".git", "index"));
      });
    } finally {
      if (!existsSync(o.folder)) rmSync(baseBeside(o.index), { force: true });
    }
  });
}

/** Only the files of a tree, for checks in a clean room: no `.git`. */
export function checkOut(
  repo: Repository,
  o: { folder: string; index: string; tree: string },
): Promise<Problem | undefined> {
  return fill(repo, o, async () => {});
}

/** All that `makeWorkspace` or `checkOut` made. Agents leave folders that cannot be written; those go as well. */
export function removeWorkspace(o: { folder: string; index: string }): Promise<Problem | undefined> {
  return orProblem(async () => {
    for (const path of [o.folder, o.index, `${o.index}.lock`, rulesBeside(o.index), baseBeside(o.index)]) {
      await clearLeftovers(path);
      await removeTree(path);
    }
    return undefined;
  });
}

interface Filling {
  readonly folder: string;
  readonly index: string;
  readonly tree: string;
}

/** Under names of their own, so that a git which outlived its orchestrator writes where nobody looks. */
function fill(
  repo: Repository,
  { folder, index, tree }: Filling,
  finish: (aside: string, index: string) => Promise<void>,
): Promise<Problem | undefined> {
  return orProblem(async () => {
    if (existsSync(folder)) return undefined;
    for (const path of [folder, index, rulesBeside(index)]) await clearLeftovers(path);
    const mark = `.new-${randomBytes(6).toString("hex")}`;
    const [aside, asideIndex] = [`${folder}${mark}`, `${index}${mark}`];
    makeFolder(aside);
    makeFolder(dirname(index));
    const args = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree];
    const done = await runGit(repo, { args, workTree: aside, index: asideIndex });
    if (done.code !== 0) {
      const isFull = hasNoRoom(aside);
      await removeTree(aside);
      for (const each of [asideIndex, `${asideIndex}.lock`]) await removeTree(each);
      if (isFull) return fullDisk(dirname(folder));
      return notCheckedOut(repo, tree, done.error) ?? fail(repo, done);
    }
    await finish(aside, asideIndex);
    renameSync(asideIndex, index);
    renameSync(aside, folder);
    return undefined;
  });
}

/** git only says that it could not write a file, not why. */
function hasNoRoom(folder: string): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return bavail * bsize < 1_000_000 || (files > 0 && ffree < 10);
}

function fail(repo: GitDirectory, done: Parameters<typeof gitProblem>[1]): never {
  throw new GitFailed(gitProblem("read-tree", done, repo.gitDir));
}

/** Objects that a partial clone never fetched; heddle does not go to the network for them. */
function notCheckedOut(repo: Repository, tree: string, error: string): Problem | undefined {
  if (!/promisor|lazy fetch|transport '.*' not allowed/.test(error)) return undefined;
  return problem("partial-clone", "the target is a partial clone, and some of its files were never fetched", {
    hint: `git -C ${repo.checkout ?? repo.gitDir} archive --format=tar --output=/dev/null ${tree}`,
  });
}

async function clearLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(path)}.new-`)) await removeTree(join(folder, name));
}

/** Nothing is kept when nothing is ignored: then nobody has to be asked. */
async function keepRules(
  repo: Repository,
  o: { aside: string; index: string; rules: string },
): Promise<void> {
  await removeTree(o.rules);
  const named: string[] = [];
  await inTurns((await readIndex(o.index, repo.hashBytes)).entries.keys(), (path) => {
    if (path.endsWith(".gitignore") && /(^|\/)\.gitignore$/.test(path)) named.push(path);
  });
  if (named.length === 0 && !hasOwnRules(repo)) return;
  const aside = `${o.rules}.new-${randomBytes(6).toString("hex")}`;
  const [from, to] = [latin1Of(o.aside), latin1Of(aside)];
  makeFolder(aside);
  await inTurns(named, (path) => {
    const file = bytesOf(`${from}/${path}`);
    if (!lstatSync(file).isFile()) return;
    mkdirSync(bytesOf(dirname(`${to}/${path}`)), { recursive: true });
    copyFileSync(file, bytesOf(`${to}/${path}`));
  });
  renameSync(aside, o.rules);
}

function hasOwnRules(repo: Repository): boolean {
  const file = join(repo.gitDir, "info", "exclude");
  return existsSync(file) && /^[^#\n]/m.test(readFileSync(file, "latin1"));
}

/** What `git clone --shared` of what was lent would make, without its processes. */
function writeGitDirectory(repo: Repository, gitDir: string, base: string): void {
  const write = (path: string, text: string) => {
    makeFolder(dirname(join(gitDir, path)));
    writeFileSync(join(gitDir, path), text);
  };
  for (const folder of ["objects/pack", "refs/tags", "hooks"]) makeFolder(join(gitDir, folder));
  write("HEAD", "ref: refs/heads/heddle-work\n");
  write("refs/heads/heddle-work", `${base}\n`);
  // Relative to the store itself: the project may be moved.
  write("objects/info/alternates", `${relative(join(gitDir, "objects"), lentFor(repo, base))}\n`);
  const cut = boundaryOf(repo, base);
  if (cut.length > 0) write("shallow", cut.map((commit) => `${commit}\n`).join(""));
  const sha256 = repo.hashBytes === 32;
  write(
    "config",
    [
      ...["[core]", `\trepositoryformatversion = ${sha256 ? 1 : 0}`, "\tfilemode = true", "\tbare = false"],
      ...(sha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
      ...["[user]", "\tname = agent", "\temail = agent@localhost"],
      ...["[gc]", "\tauto = 0", "[maintenance]", "\tauto = false", ""],
    ].join("\n"),
  );
  const rules = join(repo.gitDir, "info", "exclude");
  if (!existsSync(rules)) return;
  makeFolder(join(gitDir, "info"));
  copyFileSync(rules, join(gitDir, "info", "exclude"));
}
