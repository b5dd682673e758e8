// What an attempt's git can read: the objects of its base and of the history before that, and nothing else of the target's
// store, where other tasks' unmerged work lies, and what the person stashed or dropped. Per base there is a folder of
// packs, made once, read-only in the box, shared by the attempts that begin there. Its first pack is that of an earlier
// base wherever there is one (a link to the same file), so that a branch which moves on costs only what it moved.
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isGone, makeFolder, replaceFile } from "../files.ts";
import { readRecord } from "../handed-in.ts";
import { removeTree } from "../remove-tree.ts";
import { demandGit, type GitDirectory, runGit } from "./git.ts";

export interface Lender extends GitDirectory {
  /** Where the folders of lent objects are; the attempts that use them lie in `attempts` beside it. */
  readonly lent: string;
}

/** Older commits are not lent: the cost of a workspace must not grow with the age of a project. */
const mostCommits = 1000;
/** With more than this between them, an earlier base does not help. */
const mostBetween = 100;
const triedBases = 3;
/** So many may lie there before it is looked whether they are used: looking costs with every attempt that there was. */
const mostUnused = 8;

/** The folder that the box shows, and that a workspace names as the place of its objects. */
export const lentFor = ({ lent }: Lender, base: string) => join(lent, base);

/** Beside heddle's index of a workspace: which objects it was lent. */
export const baseBeside = (index: string) => `${index}.base`;

/** The same for a workspace that was made already. */
export const lentTo = (repo: Lender, index: string) =>
  linesOf(baseBeside(index)).map((base) => lentFor(repo, base));

/** Commits whose parents were not lent, for the workspace's own `shallow` file; empty when all were. */
export const boundaryOf = (repo: Lender, base: string) => linesOf(join(lentFor(repo, base), "shallow"));

const making = new Map<string, Promise<void>>();

/**
 * Makes sure that `lentFor(repo, base)` is there, whole. Whoever calls it has written `baseBeside` before, so that nobody
 * takes the folder away.
 */
export async function lendObjects(repo: Lender, base: string): Promise<void> {
  const folder = lentFor(repo, base);
  if (existsSync(folder)) return;
  const underway = making.get(folder) ?? make(repo, base).finally(() => making.delete(folder));
  making.set(folder, underway);
  await underway;
}

/** Built aside and renamed: another orchestrator that was faster has made the same. */
async function make(repo: Lender, base: string): Promise<void> {
  const folder = lentFor(repo, base);
  const aside = `${folder}.new-${process.pid}-${randomBytes(4).toString("hex")}`;
  makeFolder(join(aside, "pack"));
  mkdirSync(join(aside, "info"));
  try {
    if (!(await buildOn(repo, base, aside))) await buildWhole(repo, base, aside);
    if (!existsSync(folder)) renameInto(aside, folder);
  } finally {
    await removeTree(aside);
  }
  await returnObjects(repo, { all: false });
}

function renameInto(aside: string, folder: string): void {
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

async function buildWhole(repo: Lender, base: string, aside: string): Promise<void> {
  const args = ["rev-list", "--parents", `--max-count=${mostCommits}`, base, "--"];
  const listed = (await demandGit(repo, { args })).toString("latin1").split("\n").filter(Boolean);
  const rows = listed.map((line) => line.split(" "));
  const commits = new Set(rows.map(([commit = ""]) => commit));
  const cut = rows
    .filter(([, ...parents]) => parents.some((each) => !commits.has(each)))
    .map(([commit = ""]) => commit);
  const before = linesOf(join(repo.gitDir, "shallow")).filter((commit) => commits.has(commit));
  const shallow = [...new Set([...cut, ...before])];
  await pack(repo, { aside, wanted: [base], shallow });
  replaceFile(join(aside, "shallow"), shallow.map((commit) => `${commit}\n`).join(""));
  replaceFile(join(aside, "commits"), [...commits].join("\n"));
}

/** On what was lent for an earlier commit: only where that is all that lies between is added to it. */
async function buildOn(repo: Lender, base: string, aside: string): Promise<boolean> {
  for (const earlier of wholeOnes(repo).slice(0, triedBases)) {
    const from = lentFor(repo, earlier);
    const args = ["rev-list", "--boundary", `--max-count=${mostBetween}`, base, `^${earlier}`, "--"];
    // It may be of another target's repository: then git does not know it.
    const { code, out } = await runGit(repo, { args });
    const listed = code === 0 ? out.toString("latin1").split("\n").filter(Boolean) : [];
    const edge = listed.filter((line) => line.startsWith("-")).map((line) => line.slice(1));
    const known = new Set(linesOf(join(from, "commits")));
    if (!edge.includes(earlier) || !edge.every((commit) => known.has(commit))) continue;
    if (listed.length - edge.length >= mostBetween || !(await shareFiles(from, aside))) continue;
    const shallow = boundaryOf(repo, earlier);
    await pack(repo, { aside, wanted: [base, `^${earlier}`], shallow });
    // The one that is built upon most is kept longest.
    touch(from);
    return true;
  }
  return false;
}

/** What is in the store goes over as it is: no search for better deltas. What a partial clone lacks is left out. */
async function pack(
  repo: Lender,
  o: { aside: string; wanted: readonly string[]; shallow: readonly string[] },
): Promise<void> {
  const lines = [...o.shallow.map((commit) => `--shallow ${commit}`), ...o.wanted];
  const args = [
    ...["-c", "pack.compression=1", "pack-objects", "--revs", "--quiet", "--delta-base-offset", "--window=0"],
    ...(o.shallow.length > 0 ? ["--shallow"] : []),
    ...["--missing=allow-any", join(o.aside, "pack", "pack")],
  ];
  await demandGit(repo, { args, input: `${lines.join("\n")}\n` });
}

/** Not when it was taken away meanwhile. */
async function shareFiles(from: string, to: string): Promise<boolean> {
  try {
    copyFileSync(join(from, "shallow"), join(to, "shallow"));
    for (const name of readdirSync(join(from, "pack"))) {
      const [source, copy] = [join(from, "pack", name), join(to, "pack", name)];
      try {
        linkSync(source, copy);
      } catch {
        await copyFile(source, copy);
      }
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Those that others can be built on, the last used first. */
function wholeOnes({ lent }: Lender): string[] {
  return namesIn(lent)
    .filter((name) => existsSync(join(lent, name, "commits")))
    .map((name) => ({ name, usedMs: statSync(join(lent, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
    .map(({ name }) => name);
}

/**
 * Takes away what no workspace uses any more; `all`: also what the next one could be built on. From its place it is gone
 * at once, so that an attempt that begins meanwhile finds all of it or nothing.
 */
export async function returnObjects(repo: Lender, { all }: { readonly all: boolean }): Promise<void> {
  const names = namesIn(repo.lent);
  const kept = all || names.length > mostUnused ? inUse(repo, all) : new Set(names);
  const doomed = names.flatMap((name) => {
    const maker = /\.new-(\d+)-[0-9a-f]+$/.exec(name)?.[1];
    const isNeeded = maker === undefined ? kept.has(name) : !isGone(Number(maker));
    return isNeeded ? [] : [setAside(join(repo.lent, name))];
  });
  for (const path of doomed) await removeTree(path);
}

function inUse(repo: Lender, all: boolean): Set<string> {
  const used = basesInUse(join(dirname(repo.lent), "attempts"));
  return new Set([...used, ...(all && used.size === 0 ? [] : wholeOnes(repo).slice(0, 2))]);
}

/** Under the name of what this process makes: after a kill the next one takes it away. */
function setAside(path: string): string {
  const aside = `${path}.new-${process.pid}-${randomBytes(4).toString("hex")}`;
  renameSync(path, aside);
  return aside;
}

function basesInUse(attempts: string): Set<string> {
  const places = namesIn(attempts).flatMap((run) =>
    namesIn(join(attempts, run)).map((name) => join(run, name)),
  );
  return new Set(places.flatMap((place) => linesOf(baseBeside(join(attempts, place, "index")))));
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const linesOf = (file: string) => (readRecord(file) ?? "").split("\n").filter(Boolean);
