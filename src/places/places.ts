// The room of the places that a run needs on this machine, and of the patience with one that is missing. It looks at the disk and
// changes nothing but the folder of attempts.
//
// This file: the places that a run lives in: the project, its journal, its planning folder, its target and the repository there.
// People move, unmount and lock them while agents work. Nothing is started without them, and when something failed they are
// looked at first: a place that is missing is why, and the answer is a sentence for a person.
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import type { Effect } from "../core/effect.ts";
import type { Unsuccessful } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import { type Run, type Stage, type Task, taskFile, taskOf } from "../core/run.ts";
import { makeFolder, makePrivateFolder } from "../host/files.ts";
import { holdsCommit, type Repository } from "../host/git/repository.ts";
import type { Journal } from "../journal/journal.ts";
import { attemptFolder } from "../work/attempt-folder.ts";

type Git = Pick<Repository, "gitDir" | "objects" | "flags">;

interface Place {
  readonly path: string;
  readonly mode: number;
  /** Device and inode: an empty folder where a disk was mounted is another one. */
  readonly identity: string | undefined;
}

const { R_OK, W_OK, X_OK } = constants;
const [readable, writable] = [R_OK | X_OK, R_OK | W_OK | X_OK];

/** What a run says of its places. */
interface Needs extends Pick<Run, "id" | "planningDir" | "targetDir"> {
  readonly mayMakeTarget: boolean;
}

/** The project whose run it is: an `App` is one. */
interface Project {
  readonly paths: { readonly root: string; readonly heddle: string };
  readonly journal: Journal;
  run(): Promise<string>;
}

export class Places {
  readonly #app: Project;
  readonly #run: string;
  readonly #git: Git | undefined;
  /** What the journal needs; a halt cannot be written down without it. */
  readonly #journal: readonly Place[];
  readonly #others: readonly Place[];

  private constructor(app: Project, run: Needs, git: Git | undefined) {
    const { root, heddle } = app.paths;
    const files = git ? [git.gitDir, git.objects, join(git.gitDir, "refs")] : [];
    this.#app = app;
    this.#run = run.id;
    this.#git = git;
    this.#journal = [
      placeAt(root, readable),
      placeAt(heddle, writable),
      ...app.journal.files.map((file) => placeAt(file, R_OK | W_OK)),
    ];
    this.#others = [
      placeAt(join(heddle, "attempts", run.id), writable),
      placeAt(run.planningDir, writable),
      ...(run.mayMakeTarget && isAbsent(run.targetDir) ? [] : [placeAt(run.targetDir, readable)]),
      ...files.map((path) => placeAt(path, writable)),
    ];
  }

  /** As they are now. `git`: the target's repository, for runs that have one. */
  static async of(app: Project, git?: Git): Promise<Places> {
    const needs = await app.journal.read(await app.run(), (run) => {
      const { id, planningDir, targetDir } = run;
      return { id, planningDir, targetDir, mayMakeTarget: mayMakeTarget(run) };
    });
    return new Places(app, needs, git);
  }

  /** For a run that is about to be driven: the folder of its attempts is made, unless it is there. */
  static async toWorkIn(app: Project, git?: Git): Promise<Places> {
    const attempts = join(app.paths.heddle, "attempts");
    makePrivateFolder(attempts);
    makeFolder(join(attempts, await app.run()));
    return Places.of(app, git);
  }

  /** Why the journal cannot be written to, if that is so. */
  journalGone(): string | undefined {
    return firstLack(this.#journal);
  }

  /** At a glance: what every effect needs. */
  gone(): string | undefined {
    return this.journalGone() ?? firstLack(this.#others);
  }

  /** The first place that is missing, also of what is held, and of the effect that failed. */
  async missing(failed?: Failed): Promise<string | undefined> {
    const gone = this.gone();
    if (gone !== undefined) return gone;
    const { paths, tip } = await this.#app.journal.read(this.#run, (run) => ({
      paths: [
        ...heldPlaces(run, this.#app.paths.heddle),
        ...placesOfFailed(run, this.#app.paths.heddle, failed),
      ],
      tip: run.branch?.tip,
    }));
    const absent = paths.find(isAbsent);
    if (absent !== undefined) return `\`${absent}\` is missing`;
    if (!this.#git || tip === undefined || (await holdsCommit(this.#git, tip))) return undefined;
    return withoutCommit(this.#git, tip);
  }
}

/** An effect that failed, and how. */
export interface Failed {
  readonly effect: Effect;
  readonly outcome: Unsuccessful;
}

function placeAt(path: string, mode: number): Place {
  return { path, mode, identity: identityOf(path) };
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

const isAbsent = (path: string) => identityOf(path) === undefined;

function firstLack(places: readonly Place[]): string | undefined {
  for (const place of places) {
    const found = lack(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In a sentence, what a place lacks: it is not there, it is another one than before, or it may not be used. */
function lack({ path, mode, identity }: Place): string | undefined {
  const now = identityOf(path);
  if (now === undefined) return `\`${path}\` is missing`;
  if (identity !== undefined && now !== identity) return `\`${path}\` is not the one that was there before`;
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return `\`${path}\` cannot be used (${(error as NodeJS.ErrnoException).code})`;
  }
}

export function withoutCommit({ gitDir }: Pick<Git, "gitDir">, tip: string): string {
  return `the repository ${gitDir} does not have ${tip.slice(0, 12)}, the last commit of this run`;
}

/** Only a plan for a new project may have a target that is not there, until something was made in it. */
export function mayMakeTarget({ protocol, branch, metadata, vars }: Run): boolean {
  const isNew = metadata.project_type !== "existing" && vars.planned_for === undefined;
  return protocol.own?.makesTarget === true && branch === null && isNew;
}

const inWorkspace: ReadonlySet<Stage> = new Set<Stage>(["working", "repairing", "reviewing"]);

function heldPlaces(run: Run, heddle: string): string[] {
  const held = run.running.map((id) => taskOf(run, id)).filter(({ attempt }) => attempt?.held);
  const role = run.job?.held && run.job.stage !== "working" ? [roleFolder(run, heddle, run.job)] : [];
  return [...held.flatMap((task) => placesOfTask(run, heddle, task)), ...role];
}

/** How it ends where a file or a folder of heddle's own was not there. */
const fileFailures: readonly (string | null)[] = ["ENOENT", "ENOTDIR", "files", "git"];

function placesOfFailed(run: Run, heddle: string, failed: Failed | undefined): string[] {
  if (!failed) return [];
  const { effect, outcome } = failed;
  const isOfFiles = fileFailures.includes(outcome.subcategory);
  if ("job" in effect)
    return [...planFiles(run), ...(isOfFiles ? [roleFolder(run, heddle, effect.job)] : [])];
  const task = "task" in effect ? run.tasks.get(effect.task) : undefined;
  if (!task?.attempt) return [];
  const about = { task: task.def.id, attempt: task.attempt.number };
  const own = isOfFiles ? [attemptFolder(heddle, run.id, about).folder] : [];
  return [...placesOfTask(run, heddle, task), ...own];
}

/** Before its workspace is made an attempt needs the plan's files, and later what was made of them. */
function placesOfTask(run: Run, heddle: string, { attempt, def }: Task): string[] {
  if (attempt?.stage === "preparing")
    return def.file.startsWith("tasks/") ? [taskFile(run, def), ...planFiles(run)] : [];
  if (!attempt || !inWorkspace.has(attempt.stage)) return [];
  return [attemptFolder(heddle, run.id, { task: def.id, attempt: attempt.number }).work];
}

/** What agents are given of a plan, as far as it was made. */
function planFiles({ protocol, artifacts }: Run): string[] {
  return (protocol.own?.handsOut ?? []).flatMap((name) => artifacts[name]?.path ?? []);
}

function roleFolder({ id }: Run, heddle: string, job: { readonly role: string; readonly attempt: number }) {
  return join(heddle, "attempts", id, `${job.role}-${job.attempt}`);
}

export function placeProblem(sentence: string): Problem {
  return problem("place", sentence, { hint: "put it back and run the same command again" });
}
