// Effects `prepare-merge` and `move-branch`: a task's change becomes one commit on the integration branch, exactly once.
// Both look first whether the one who did it before has died without saying so.
import type { Outcome } from "../core/input.ts";
import { failure, hindered } from "../core/outcome.ts";
import { isProblem } from "../core/problem.ts";
import type { TaskDef } from "../core/run.ts";
import type { Candidate, Work } from "../core/run-parts.ts";
import { commitTree, isAncestor, mergeOnto, moveBranch } from "../host/git/integrate.ts";
import type { Fence, Move } from "../host/git/move-branch.ts";
import type { Person } from "../host/git/persons-settings.ts";
import { pin, type Repository, tipOf } from "../host/git/repository.ts";
import { type AttemptFolder, startedAt } from "./attempt-folder.ts";
import { authorOf } from "./see-work.ts";

/** Puts the work onto `onto`. `earlier` was prepared before, and may have been merged by one who died since. */
export interface MergeOrder {
  readonly repository: Repository;
  readonly run: string;
  readonly def: TaskDef;
  readonly base: string;
  readonly work: Work;
  readonly author: string;
  /** The person, by whom heddle commits. */
  readonly committer: Person | undefined;
  readonly folder: AttemptFolder;
  readonly attempt: number;
  readonly onto: string;
  readonly earlier: string | null;
}

/** The name that an attempt's commits are pinned by. */
export const pinOf = (task: string, attempt: number) => `${task}-${attempt}`;

export async function prepareMerge(order: MergeOrder): Promise<Outcome> {
  const { repository, run, def, base, work, author, folder, onto, earlier, attempt } = order;
  if (earlier !== null && (await isAncestor(repository, earlier, onto)))
    return { ok: true, merged: { commit: earlier, tip: onto } };
  const merged =
    onto === base
      ? ({ ok: true, tree: work.tree } as const)
      : await mergeOnto(repository, { base, theirs: work.commit, onto });
  if (!merged.ok) {
    const paths = merged.conflicts.map(({ path, kind }) => `${path} (${kind})`).slice(0, 10);
    const error = `it conflicts with what was merged meanwhile: ${paths.join(", ")}`;
    return failure("dependency", error, "conflict");
  }
  const { tree } = merged;
  const message = messageFor(def, { run, attempt, agent: author });
  const commit = await commitTree(repository, {
    tree,
    parents: [onto],
    message,
    author: authorOf(author),
    committer: order.committer,
    at: startedAt(folder),
  });
  // The work itself is pinned already: only what the merge made of it could be swept away.
  const name = `${pinOf(def.id, attempt)}-merge`;
  const unpinned = tree === work.tree ? undefined : await pin(repository, { run, name, commit });
  if (unpinned) return hindered(unpinned);
  return { ok: true, candidate: { commit, tree, onto } };
}

function messageFor(
  { id, name, criteria }: TaskDef,
  { run, attempt, agent }: { run: string; attempt: number; agent: string },
) {
  const checked = criteria.map(({ criterion }) => `- ${criterion}`).join("\n");
  const trailers = `Heddle-Task: ${id}\nHeddle-Attempt: ${attempt}\nHeddle-Run: ${run}\nHeddle-Agent: ${agent.replace(/\s+/g, " ")}`;
  return `${id}: ${name}\n\n${checked === "" ? "" : `Checked:\n${checked}\n\n`}${trailers}\n`;
}

/** A branch that somebody deleted is made again where it was: what the journal calls merged stays merged. */
async function moveOrMake(repository: Repository, move: Move): ReturnType<typeof moveBranch> {
  const moved = await moveBranch(repository, move);
  const isDeleted = typeof moved === "object" && "tip" in moved && moved.tip === null;
  if (!isDeleted) return moved;
  const from = "0".repeat(move.from.length);
  const made = await moveBranch(repository, { ...move, from, to: move.from });
  return made === "moved" || made === "already" ? moveBranch(repository, move) : made;
}

/** `fence`: an orchestrator that was stopped and replaced must not move the branch when it wakes up. */
export async function mergeInto(
  { repository, branch, fence }: { repository: Repository; branch: string; fence: Fence },
  { commit, onto }: Candidate,
): Promise<Outcome> {
  const moved = await moveOrMake(repository, { branch, from: onto, to: commit, fence });
  if (moved === "moved") return { ok: true, merged: { commit, tip: commit } };
  if (moved === "already")
    return { ok: true, merged: { commit, tip: (await tipOf(repository, branch)) ?? commit } };
  const unmoved = (error: string) => failure("environment", error, "branch");
  if (moved === "late") return unmoved("another orchestrator has taken over");
  if (isProblem(moved)) return unmoved(moved.message);
  if (moved.tip === null) return unmoved(`${branch} was deleted, and cannot be made again`);
  return { ...unmoved(`${branch} was moved by somebody else`), kind: "branch-moved", tip: moved.tip };
}
