// The repository behind a run's target, and what has landed in the person's files so far.
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import { makeFolder } from "../host/files.ts";
import { holdOffGc } from "../host/gc.ts";
import { openRepository, type Repository } from "../host/repository.ts";
import { type App, Refused } from "./app.ts";
import { ownFolders } from "./paths.ts";

/** The target's repository; a target without one gets a private one, so that isolation and undo work all the same. */
export async function repositoryOf(app: App): Promise<Repository> {
  const target = await app.look((run) => run.targetDir);
  makeFolder(target);
  const repository = await openRepository({
    target,
    privateDir: join(app.paths.heddle, "private.git"),
    exclude: excluded(app, target),
  });
  if (isProblem(repository)) throw new Refused([repository]);
  return repository;
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
  const last = (await app.history()).findLast(({ fact }) => fact.kind === "landed")?.fact;
  return last?.kind === "landed" ? last.commit : null;
}
