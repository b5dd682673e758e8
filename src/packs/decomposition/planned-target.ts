// What a plan was made for: the files, or the commit, that lay in the target then. Executed much later, the target may be gone
// or be another repository; an empty folder in its place would take every task for new work. A run that was begun looks for
// its own last commit instead (`orders/target-repository.ts`).
import { relative } from "node:path";
import { toCall } from "../../core/hint.ts";
import { isProblem, problem } from "../../core/problem.ts";
import { type App, Refused } from "../../engine/app.ts";
import { isThere } from "../../host/files.ts";
import { findRepository } from "../../host/git/find-repository.ts";
import { orProblem } from "../../host/git/git.ts";
import { holdsCommit, openPublic } from "../../host/git/repository.ts";
import { placeProblem } from "../../places/places.ts";
import { hasFiles } from "./target.ts";

const filesAlone = "files";

async function repositoryAt(target: string) {
  const place = await findRepository(target);
  return place === null || isProblem(place) ? null : openPublic(place);
}

/** What a plan that begins now is for; nothing where there is nothing yet. A repository that cannot be read is told of later. */
export async function targetSeen(target: string): Promise<string | null> {
  if (!hasFiles(target)) return null;
  const found = await orProblem(() => repositoryAt(target));
  return isProblem(found) ? null : (found?.head ?? filesAlone);
}

/** Once, or `anew` when a person names the target again: then it is for what is there now. */
export async function rememberTarget(app: App, { anew = false } = {}): Promise<void> {
  const { target, known } = await app.look((run) => ({
    target: run.targetDir,
    known: run.vars.planned_for !== undefined || run.branch !== null,
  }));
  const seen = known && !anew ? null : await targetSeen(target);
  if (seen !== null) await app.submit({ kind: "set", values: { planned_for: seen } });
}

export async function refuseOtherTarget(app: App): Promise<void> {
  const { target, planned, begun } = await app.look((run) => ({
    target: run.targetDir,
    planned: run.vars.planned_for,
    begun: run.branch !== null,
  }));
  if (typeof planned !== "string" || begun) return;
  if (!isThere(target)) throw new Refused([placeProblem(`the target \`${target}\` is missing`)]);
  if (!hasFiles(target))
    throw new Refused([
      placeProblem(`the target \`${target}\` is empty, but had files when the plan was made`),
    ]);
  if (planned === filesAlone) return;
  const repository = await repositoryAt(target);
  // Without git the files are the same ones, and get a private repository.
  if (!repository || (await holdsCommit(repository, planned))) return;
  const word = relative(app.paths.root, target) || ".";
  throw new Refused([
    problem(
      "other-target",
      `\`${target}\` is not the repository that the plan was made for: it lacks commit ${planned.slice(0, 12)}`,
      { hint: ["put that one back; or, to work on this one: ", toCall(`plan --target ${word}`)] },
    ),
  ]);
}
