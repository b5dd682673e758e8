// What a task, or a whole run, changed: as a patch, from the commits that heddle keeps. Of a task that is not merged it is what its
// last attempt had made when heddle looked at it.
import { find } from "../core/answer.ts";
import { isProblem, problem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { isThere } from "../host/files.ts";
import { changesBetween, diffText } from "../host/git/integrate.ts";
import { holdsCommit } from "../host/git/repository.ts";
import { repositoryOf } from "../orders/target-repository.ts";
import { attemptFolder } from "../work/attempt-folder.ts";

export interface ChangeOf {
  /** What the patch shows: a merged commit, an attempt's work, or the run's branch. */
  readonly of: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly { readonly path: string; readonly status: string }[];
  readonly diff: string;
  readonly cut: boolean;
}

const mostBytes = 4 * 1024 * 1024;

/** Nothing where nothing was changed yet. */
export async function changeOf(app: App, task?: string): Promise<ChangeOf | undefined> {
  const range = task === undefined ? await ofRun(app) : await ofTask(app, task);
  if (!range) return undefined;
  const repository = await repositoryOf(app);
  if (!(await holdsCommit(repository, range.to))) return undefined;
  const { from, to } = range;
  const text = await diffText(repository, { from, to, maxBytes: mostBytes });
  const files = (await changesBetween(repository, from, to)).map(({ path, status }) => ({ path, status }));
  return { ...range, files, diff: text, cut: Buffer.byteLength(text) >= mostBytes };
}

interface Range {
  readonly of: string;
  readonly from: string;
  readonly to: string;
}

async function ofRun(app: App): Promise<Range | undefined> {
  const branch = await app.look((run) => run.branch);
  return branch && branch.tip !== branch.start
    ? { of: branch.name, from: branch.start, to: branch.tip }
    : undefined;
}

async function ofTask(app: App, id: string): Promise<Range | undefined> {
  const { commit, attempts } = await app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    return { commit: task.state === "complete" ? task.commit : null, attempts: task.attempts };
  });
  if (commit !== null)
    return { of: `${id}, merged as ${commit.slice(0, 12)}`, from: `${commit}^`, to: commit };
  const seen = (await app.history()).findLast(
    ({ fact }) => fact.kind === "work-recorded" && fact.task === id,
  )?.fact;
  if (seen?.kind !== "work-recorded") return undefined;
  const now = seen.attempt === attempts ? "" : `, of ${attempts}`;
  return { of: `${id}, attempt ${seen.attempt}${now}, not merged`, from: `${seen.commit}^`, to: seen.commit };
}

/** Where the last attempt at a task worked; a sentence when nothing is left of it. */
export async function workspaceOf(app: App, id: string): Promise<{ path: string; isRunning: boolean }> {
  const { attempts, isRunning } = await app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    return { attempts: task.attempts, isRunning: task.state === "running" };
  });
  const { work } = attemptFolder(app.paths.heddle, await app.run(), { task: id, attempt: attempts });
  if (attempts > 0 && isThere(work)) return { path: work, isRunning };
  throw new Refused([
    problem(
      "no-workspace",
      attempts === 0 ? `no agent has worked on ${id} yet` : `the workspace of ${id} is gone`,
      {
        hint: attempts === 0 ? `heddle execute ${id}` : `heddle diff ${id}`,
      },
    ),
  ]);
}
