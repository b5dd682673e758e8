// Effects `prepare-merge` and `move-branch`: a task's change becomes one commit on the integration branch, exactly once.
// Both look first whether the one who did it before has died without saying so.
import type { AttemptEffect } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";
import type { Work } from "../core/parts.ts";
import { isProblem } from "../core/problem.ts";
import type { TaskDef } from "../core/run.ts";
import { commitTree, isAncestor, mergeOnto, moveBranch } from "../host/integrate.ts";
import type { Fence } from "../host/move-branch.ts";
import { pin, type Repository, tipOf } from "../host/repository.ts";
import { type AttemptFolder, startedAt } from "./attempt-folder.ts";
import { authorOf } from "./see-work.ts";

export interface Merging {
  readonly repository: Repository;
  readonly run: string;
  readonly branch: string;
  readonly def: TaskDef;
  readonly base: string;
  readonly work: Work;
  readonly author: string;
  readonly folder: AttemptFolder;
}

/** The name that an attempt's commits are pinned by. */
export const pinOf = (task: string, attempt: number) => `${task}-${attempt}`;

type Effect<K extends AttemptEffect["kind"]> = Extract<AttemptEffect, { kind: K }>;

export async function prepareMerge(
  { repository, run, def, base, work, author, folder }: Merging,
  { onto, earlier, attempt }: Effect<"prepare-merge">,
): Promise<Outcome> {
  if (earlier !== null && (await isAncestor(repository, earlier, onto)))
    return { ok: true, merged: { commit: earlier, tip: onto } };
  const merged =
    onto === base
      ? ({ ok: true, tree: work.tree } as const)
      : await mergeOnto(repository, { base, theirs: work.commit, onto });
  if (!merged.ok) {
    const paths = merged.conflicts.map(({ path, kind }) => `${path} (${kind})`).slice(0, 10);
    const error = `it conflicts with what was merged meanwhile: ${paths.join(", ")}`;
    return { ok: false, error, category: "dependency", subcategory: "conflict", retryable: true };
  }
  const { tree } = merged;
  const message = messageFor(def, { run, attempt });
  const commit = await commitTree(repository, {
    tree,
    parents: [onto],
    message,
    author: authorOf(author),
    at: startedAt(folder),
  });
  // The work itself is pinned already: only what the merge made of it could be swept away.
  const name = `${pinOf(def.id, attempt)}-merge`;
  const unpinned = tree === work.tree ? undefined : await pin(repository, { run, name, commit });
  if (unpinned)
    return {
      ok: false,
      error: unpinned.message,
      category: "environment",
      subcategory: unpinned.code,
      retryable: true,
    };
  return { ok: true, candidate: { commit, tree, onto } };
}

function messageFor({ id, name, criteria }: TaskDef, { run, attempt }: { run: string; attempt: number }) {
  const checked = criteria.map(({ criterion }) => `- ${criterion}`).join("\n");
  const trailers = `Heddle-Task: ${id}\nHeddle-Attempt: ${attempt}\nHeddle-Run: ${run}`;
  return `${id}: ${name}\n\n${checked === "" ? "" : `Checked:\n${checked}\n\n`}${trailers}\n`;
}

/** `fence`: an orchestrator that was stopped and replaced must not move the branch when it wakes up. */
export async function mergeInto(
  { repository, branch, fence }: Pick<Merging, "repository" | "branch"> & { readonly fence: Fence },
  { candidate: { commit, onto } }: Effect<"move-branch">,
): Promise<Outcome> {
  const moved = await moveBranch(repository, { branch, from: onto, to: commit, fence });
  if (moved === "moved") return { ok: true, merged: { commit, tip: commit } };
  if (moved === "already")
    return { ok: true, merged: { commit, tip: (await tipOf(repository, branch)) ?? commit } };
  const retryable = true;
  const failure = { ok: false, category: "environment", subcategory: "branch", retryable } as const;
  if (moved === "late") return { ...failure, error: "another orchestrator has taken over" };
  if (isProblem(moved)) return { ...failure, error: moved.message };
  if (moved.tip === null)
    return { ...failure, error: `${branch} was deleted: heddle execute makes it again` };
  return { ...failure, error: `${branch} was moved by somebody else`, tip: moved.tip };
}
