// The room of keeping: backup, undo, workspaces, adopted views, moving a journal, and clearing up after kills. It changes what
// lies in `.heddle` and, under the journal's lease, views and branches; it starts no agent.
//
// Clearing up after commands that were killed: what each had begun is finished or taken back, and what it left lying
// about goes. It happens at the beginning of the next command, whichever that is, and one process at a time does it. What
// cannot be done now, because a git still works there, stays noted for the next command.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import type { Opening } from "../engine/app.ts";
import type { TakenOver } from "../engine/packs.ts";
import { pathsIn } from "../engine/paths.ts";
import type { Copies } from "../host/copies.ts";
import { isGone, remove } from "../host/files.ts";
import { clearGit, type GitFolders } from "../host/git/git-leftovers.ts";
import { contentOf } from "../host/notes.ts";
import { isElsewhere } from "../host/program/process.ts";
import { forget, type Left, type Note, passingPrefix, turnIn, underway } from "../host/underway.ts";
import { takeTurn } from "../journal/turn.ts";

/** What a person should know of it. */
export async function settle(opening: Opening, warn: (problem: Problem) => void): Promise<void> {
  const { heddle } = pathsIn(opening.root);
  const turn = takeTurn(turnIn(heddle));
  try {
    for (const left of underway(heddle).filter(({ isDead }) => isDead))
      if (await clearUp(opening, left, warn)) forget(left);
  } finally {
    turn?.close();
  }
}

/** Locks of its gits first, because what follows may call git there; what was for a moment last, when nobody needs it. */
const turns: readonly Note["kind"][] = ["git", "restore", "landing", "rollback", "import", "view", "scratch"];

async function clearUp(opening: Opening, left: Left, warn: (problem: Problem) => void): Promise<boolean> {
  const since = lstatSync(left.mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const dead = { pid: left.by.pid, since };
  let isAll = true;
  const order = [...left.notes].sort((a, b) => turns.indexOf(a.kind) - turns.indexOf(b.kind));
  for (const note of order) {
    const content = contentOf(note);
    const clearing = { kind: note.kind, content, dead };
    const done = content === undefined || (await clearUpNote(opening, clearing, warn).catch(notNow(warn)));
    if (done) rmSync(note.file, { force: true });
    isAll &&= done;
  }
  const { heddle } = pathsIn(opening.root);
  const own = join(heddle, "private.git");
  if (lstatSync(own, { throwIfNoEntry: false }))
    isAll = (await clearGit({ gitDir: own, checkoutGitDir: own }, dead)) && isAll;
  // A number of another machine's may be a process here, which is at work.
  if (!isElsewhere(left.by) || isGone(left.by.pid)) sweepAfter(opening.root, left.by.pid);
  // Asides of workspaces bear no pid: whose they are is clear when nobody else is at work.
  if (isAll && underway(heddle).every(({ isDead }) => isDead)) sweepAttempts(join(heddle, "attempts"));
  const passing = passingPrefix(left.by);
  for (const name of namesIn(dirname(passing)))
    if (name.startsWith(basename(passing)))
      rmSync(join(dirname(passing), name), { recursive: true, force: true });
  return isAll;
}

/** A sentence of the store's or git's goes on; whatever else is in the way stops no command, and is tried by the next. */
const notNow = (warn: (problem: Problem) => void) => (error: unknown) => {
  if (error instanceof Error && ("problem" in error || "problems" in error)) throw error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  warn(problem("unsettled", `what a killed command left cannot be cleared away yet (${code || message})`));
  return false;
};

interface Clearing {
  readonly kind: Note["kind"];
  readonly content: unknown;
  readonly dead: { readonly pid: number; readonly since: number };
}

async function clearUpNote(
  opening: Opening,
  { kind, content, dead }: Clearing,
  warn: (problem: Problem) => void,
): Promise<boolean> {
  switch (kind) {
    case "git":
      return clearGit(content as GitFolders, dead);
    case "scratch":
      for (const path of (content as { paths: readonly string[] }).paths) remove(path);
      return true;
    case "restore": {
      const { finishRestore } = await import("./backup.ts");
      await finishRestore(opening, content as Parameters<typeof finishRestore>[1]);
      return true;
    }
    case "import": {
      await opening.packs.undoTakeOver(opening, content as TakenOver);
      return true;
    }
    case "view": {
      const { finishView } = await import("./adopt.ts");
      await finishView(opening, content as Parameters<typeof finishView>[1]);
      return true;
    }
    case "rollback": {
      const { putBack } = await import("../host/copies.ts");
      const { copies, aside } = content as { copies: Copies; aside: string };
      const back = putBack(copies, aside);
      if (back.aside !== null)
        warn(keptAside("a command that was killed had begun to put files back", back.aside));
      return true;
    }
    case "landing": {
      const { settleLanding } = await import("../host/land/land-staging.ts");
      const aside = await settleLanding((content as { staging: string }).staging);
      if (aside !== null) warn(keptAside("a landing that was killed is taken back", aside));
      return true;
    }
  }
}

const keptAside = (what: string, aside: string) =>
  problem("kept-aside", `${what}; what was changed meanwhile is kept at ${aside}`);

/** Files that were being written, in heddle's own folders; an agent's and a person's copies are not looked at. */
function sweepAfter(root: string, pid: number): void {
  const { heddle, planning, meta, artifacts } = pathsIn(root);
  const isLeft = (name: string) =>
    name.endsWith(`.${pid}.new`) ||
    /\.(\d+)\.new-(?:wal|shm|journal)$/.exec(name)?.[1] === String(pid) ||
    name.endsWith(`.new-${pid}`);
  for (const folder of [heddle, planning, meta, artifacts]) sweepFolder(folder, isLeft, 6);
}

const aside = /\.new-[0-9a-f]{12}(?:\.lock)?$|^index\.lock$|\.\d+\.new$/;

function sweepAttempts(attempts: string): void {
  for (const run of namesIn(attempts))
    for (const attempt of namesIn(join(attempts, run)))
      for (const name of namesIn(join(attempts, run, attempt)))
        if (aside.test(name)) rmSync(join(attempts, run, attempt, name), { recursive: true, force: true });
}

const notOurs = new Set(["work", "home", "tmp", "files", "private.git", "taken-away", "archive"]);

function sweepFolder(folder: string, isLeft: (name: string) => boolean, deep: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (isLeft(name)) rmSync(path, { recursive: true, force: true });
    else if (deep > 0 && !notOurs.has(name) && !name.startsWith("room") && isFolder(path))
      sweepFolder(path, isLeft, deep - 1);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
