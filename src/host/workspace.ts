// A workspace is a repository of the agent's own at a recorded commit: it borrows the target's objects, and its `.git`
// belongs to the agent. heddle writes that `.git` as plain files before the agent starts and never opens it afterwards;
// it knows the workspace by an index of its own, kept where the agent cannot reach it.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
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
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { fullDisk, type GitDirectory, GitFailed, gitProblem, orProblem, runGit } from "./git.ts";
import { readIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { rulesBeside } from "./snapshot.ts";
import { bytesOf, latin1Of, statIfThere } from "./work-files.ts";

export { type Change, snapshot } from "./snapshot.ts";

/**
 * A private repository at `folder`, checked out at `base` by one git process.
 *
 * Contract: when `folder` is there, it is whole; a call that was killed is repeated from the beginning.
 */
export function makeWorkspace(
  repo: Repository,
  o: { folder: string; index: string; base: string },
): Promise<Problem | undefined> {
  return fill(repo, { ...o, tree: o.base }, (aside, index) => {
    keepRules(repo, { aside, index, rules: rulesBeside(o.index) });
    writeGitDirectory(repo, join(aside, ".git"), o.base);
    copyFileSync(index, join(aside, ".git", "index"));
  });
}

/** Only the files of a tree, for checks in a clean room: no `.git`. */
export function checkOut(
  repo: Repository,
  o: { folder: string; index: string; tree: string },
): Promise<Problem | undefined> {
  return fill(repo, o, () => {});
}

/** All that `makeWorkspace` or `checkOut` made. Agents leave folders that cannot be written; those go as well. */
export function removeWorkspace(o: { folder: string; index: string }): Promise<Problem | undefined> {
  return orProblem(async () => {
    for (const path of [o.folder, o.index, `${o.index}.lock`, rulesBeside(o.index)]) {
      clearLeftovers(path);
      if (!statIfThere(latin1Of(path))) continue;
      try {
        await rm(path, { recursive: true, force: true });
      } catch {
        openFolders(latin1Of(path));
        await rm(path, { recursive: true, force: true });
      }
    }
    return undefined;
  });
}

function openFolders(folder: string): void {
  if (statIfThere(folder)?.isDirectory() !== true) return;
  chmodSync(bytesOf(folder), 0o700);
  for (const name of readdirSync(bytesOf(folder), { encoding: "latin1" })) openFolders(`${folder}/${name}`);
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
  finish: (aside: string, index: string) => void,
): Promise<Problem | undefined> {
  return orProblem(async () => {
    if (existsSync(folder)) return undefined;
    clearLeftovers(folder);
    clearLeftovers(index);
    clearLeftovers(rulesBeside(index));
    const mark = `.new-${randomBytes(6).toString("hex")}`;
    const [aside, asideIndex] = [`${folder}${mark}`, `${index}${mark}`];
    mkdirSync(aside, { recursive: true });
    mkdirSync(dirname(index), { recursive: true });
    const args = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree];
    const done = await runGit(repo, { args, workTree: aside, index: asideIndex });
    if (done.code !== 0) {
      const isFull = hasNoRoom(aside);
      rmSync(aside, { recursive: true, force: true });
      rmSync(asideIndex, { force: true });
      if (isFull) return fullDisk(dirname(folder));
      return notCheckedOut(repo, tree, done.error) ?? fail(repo, done);
    }
    finish(aside, asideIndex);
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

function clearLeftovers(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(path)}.new-`))
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
}

/** Nothing is kept when nothing is ignored: then nobody has to be asked. */
function keepRules(repo: Repository, o: { aside: string; index: string; rules: string }): void {
  rmSync(o.rules, { recursive: true, force: true });
  const named = [...readIndex(o.index, repo.hashBytes).entries.keys()].filter((path) =>
    /(^|\/)\.gitignore$/.test(path),
  );
  if (named.length === 0 && !hasOwnRules(repo)) return;
  const aside = `${o.rules}.new-${randomBytes(6).toString("hex")}`;
  const [from, to] = [latin1Of(o.aside), latin1Of(aside)];
  mkdirSync(aside, { recursive: true });
  for (const path of named) {
    const file = bytesOf(`${from}/${path}`);
    if (!lstatSync(file).isFile()) continue;
    mkdirSync(bytesOf(dirname(`${to}/${path}`)), { recursive: true });
    copyFileSync(file, bytesOf(`${to}/${path}`));
  }
  renameSync(aside, o.rules);
}

function hasOwnRules(repo: Repository): boolean {
  const file = join(repo.gitDir, "info", "exclude");
  return existsSync(file) && /^[^#\n]/m.test(readFileSync(file, "latin1"));
}

/** What `git clone --shared` would make, without its processes. */
function writeGitDirectory(repo: Repository, gitDir: string, base: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(gitDir, path)), { recursive: true });
    writeFileSync(join(gitDir, path), text);
  };
  for (const folder of ["objects/pack", "refs/tags", "hooks"])
    mkdirSync(join(gitDir, folder), { recursive: true });
  write("HEAD", "ref: refs/heads/heddle-work\n");
  write("refs/heads/heddle-work", `${base}\n`);
  write("objects/info/alternates", `${repo.objects}\n`);
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
  for (const path of ["shallow", "info/exclude"]) {
    if (!existsSync(join(repo.gitDir, path))) continue;
    mkdirSync(dirname(join(gitDir, path)), { recursive: true });
    copyFileSync(join(repo.gitDir, path), join(gitDir, path));
  }
}
