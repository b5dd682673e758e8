// The repository behind a run's target, and what has landed in the person's files so far.
import { join } from "node:path";
import type { FactOf } from "../core/fact.ts";
import { isProblem, problem } from "../core/problem.ts";
import { wayOn } from "../core/steps/halt.ts";
import { commandOf } from "../core/steps/phase.ts";
import { type App, Refused } from "../engine/app.ts";
import { ownFolders } from "../engine/paths.ts";
import { isThere, makeFolder } from "../host/files.ts";
import { holdOffGc } from "../host/git/gc.ts";
import type { GitFolders } from "../host/git/git-leftovers.ts";
import { holdsCommit, isEmptyRoot, openRepository, type Repository } from "../host/git/repository.ts";
import { note } from "../host/notes.ts";
import { distrust } from "../host/program/programs.ts";
import { isUnclean } from "../host/underway.ts";
import { mayMakeTarget, Places, placeProblem, withoutCommit } from "../places/places.ts";

const known = new Set<string>();

/** No program of heddle's own comes from a folder that a run of this project writes to. */
export async function distrustTargets({ journal, paths: { root } }: App): Promise<void> {
  for (const { id } of await journal.runs()) {
    if (known.has(`${root} ${id}`)) continue;
    // A run whose protocol cannot be loaded is no run that works here; the one that does is read again by its command.
    const target = await journal.read(id, (run) => run.targetDir).catch(() => undefined);
    if (target === undefined) continue;
    known.add(`${root} ${id}`);
    distrust(target);
  }
}

/**
 * The target's repository; a target without one gets a private one, so that isolation and undo work all the same. `bring`
 * adds what other machines made of the run.
 */
export async function repositoryOf(
  app: App,
  bring?: (repository: Repository) => Promise<void>,
): Promise<Repository> {
  const { target, tip, mayMake } = await app.look((run) => ({
    target: run.targetDir,
    tip: run.branch?.tip,
    mayMake: mayMakeTarget(run),
  }));
  await distrustTargets(app);
  distrust(target);
  if (mayMake && !isThere(target)) makeFolder(target);
  else if (!isThere(target)) throw new Refused([placeProblem(`the target \`${target}\` is missing`)]);
  const repository = await openRepository({
    target,
    privateDir: join(app.paths.heddle, "private.git"),
    exclude: excluded(app, target),
    begun: tip !== undefined,
  });
  if (isProblem(repository)) throw new Refused([repository]);
  await bring?.(repository);
  // Another repository in the target's place knows nothing of this run: its tasks must not begin from there.
  if (tip !== undefined && !(await holdsCommit(repository, tip)))
    throw new Refused([placeProblem(withoutCommit(repository, tip))]);
  noteGit(app, repository);
  return repository;
}

/** Whoever calls again after a place was missing wants to go on, once it is back. */
export async function clearPlaceHalt(app: App): Promise<void> {
  const { halt, branch, command } = await app.journal.read(await app.run(), (run) => ({
    halt: run.halt,
    branch: run.branch,
    command: commandOf(run),
  }));
  if (halt?.code !== "place") return;
  const places = await Places.of(app, branch ? await repositoryOf(app) : undefined);
  const gone = await places.missing();
  if (gone !== undefined)
    throw new Refused([problem("place", `the run is halted: ${gone}`, { hint: wayOn(halt, command) })]);
  await app.submit({ kind: "resume", stopFile: false, only: "place" });
}

const noted = new Set<string>();

/** Whoever comes after a kill looks there for what our gits left. */
function noteGit({ paths }: App, { gitDir, checkoutGitDir }: GitFolders): void {
  const key = `${paths.heddle}\0${gitDir}\0${checkoutGitDir}`;
  if (noted.has(key)) return;
  noted.add(key);
  const forget = note(paths.heddle, "git", { gitDir, checkoutGitDir });
  process.on("exit", () => {
    if (!isUnclean()) forget();
  });
}

/** Does `work` while no `git gc` can take away what it writes. */
export async function withoutGc<T>({ gitDir }: Repository, work: () => Promise<T>): Promise<T> {
  const held = await holdOffGc(gitDir);
  if (isProblem(held)) throw new Refused([held]);
  try {
    return await work();
  } finally {
    held.release();
  }
}

export function excluded(app: App, target: string): string[] {
  return ownFolders(app.paths)
    .filter((path) => path.startsWith(`${target}/`))
    .map((path) => path.slice(target.length + 1));
}

/** What landed last, if anything did. */
export async function landedBefore(app: App): Promise<string | null> {
  return (await lastLanding(app))?.commit ?? null;
}

export async function lastLanding(app: App): Promise<FactOf<"landed"> | undefined> {
  const last = (await app.history({ kinds: ["landed"] })).at(-1)?.fact;
  return last?.kind === "landed" ? last : undefined;
}

/** heddle itself began the project: there is no git, or the run began where there was no commit with a file. */
export async function isOwnProject(app: App): Promise<boolean> {
  const repository = await repositoryOf(app);
  if (repository.isPrivate) return true;
  const start = await app.look((run) => run.branch?.start);
  return start === undefined ? repository.head === null : isEmptyRoot(repository, start);
}
