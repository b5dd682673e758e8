// `heddle undo T007`: one task's change is taken back on the integration branch, as a commit of its own, and the task is
// open again. Nobody orchestrates meanwhile: the run is held for as long as it takes.
import { find } from "../core/answer.ts";
import { toCall } from "../core/hint.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import { type Run, type Task, type TaskId, taskOf } from "../core/run.ts";
import { type App, Refused } from "../engine/app.ts";
import { Hold, holderOf } from "../engine/hold.ts";
import { systemClock, wallClock } from "../host/clock.ts";
import { runGit } from "../host/git/git.ts";
import {
  type Change,
  changesBetween,
  commitTree,
  diffText,
  isAncestor,
  moveBranch,
  revertTree,
  treeOf,
} from "../host/git/integrate.ts";
import type { Fence } from "../host/git/move-branch.ts";
import { personOf } from "../host/git/persons-settings.ts";
import { type Repository, tipOf } from "../host/git/repository.ts";
import { isAlive, isElsewhere, thisProcess } from "../host/program/process.ts";
import { landedBefore, repositoryOf, withoutGc } from "../orders/target-repository.ts";

export interface Undoing {
  readonly task: TaskId;
  readonly name: string;
  readonly commit: string;
  readonly files: readonly Change[];
  readonly diff: string;
  /** Tasks that rest on it and are complete, at any distance. */
  readonly completed: readonly TaskId[];
  /** Tasks that wait for it and will be blocked. */
  readonly waiting: readonly TaskId[];
  /** Whether its change has reached the person's files. */
  readonly landed: boolean;
}

const shownBytes = 64 * 1024;

/** What would be taken back. Refuses what cannot be. */
export async function undoing(app: App, id: TaskId): Promise<Undoing> {
  const driven = await app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    return held(run);
  });
  if (await holderOf(app)) throw new Refused([driven]);
  const { branch, ...found } = await app.look((run) => standing(run, id));
  const repository = await repositoryOf(app);
  const { commit } = found;
  const files = await changesBetween(repository, `${commit}^`, commit);
  const diff = await diffText(repository, { from: `${commit}^`, to: commit, maxBytes: shownBytes });
  const last = await landedBefore(app);
  const landed = last !== null && (await isAncestor(repository, commit, last));
  if ((await tipOf(repository, branch)) === null)
    throw new Refused([
      problem("no-branch", `\`${branch}\` is gone`, { hint: [toCall("execute"), " makes it again"] }),
    ]);
  return { ...found, files, diff, landed };
}

function standing(run: Run, id: TaskId) {
  const task = taskOf(run, id);
  if (task.state !== "complete" || task.commit === null || !run.branch)
    throw new Refused([
      problem("not-merged", `task \`${id}\` has no change on the integration branch`, {
        hint: toCall(`why ${id}`),
      }),
    ]);
  const all = after(run, task);
  return {
    task: id,
    name: task.def.name,
    commit: task.commit,
    branch: run.branch.name,
    completed: all.filter(({ state }) => state === "complete").map(({ def }) => def.id),
    waiting: all.filter(({ state }) => state === "pending").map(({ def }) => def.id),
  };
}

export function held({ id, holder }: Pick<Run, "id" | "holder">): Problem {
  return problem("held", `run \`${id}\` is orchestrated by process ${holder?.pid} on ${holder?.host}`, {
    hint: [{ do: "halt" }, ", and again when it has stopped"],
  });
}

/** Everything that depends on it, at any distance. */
function after(run: Run, origin: Task): Task[] {
  const found = new Map<TaskId, Task>();
  const open = [...origin.dependents];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    const task = taskOf(run, id);
    found.set(id, task);
    open.push(...task.dependents);
  }
  return [...found.values()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
}

export async function undo(app: App, { task, name, commit }: Undoing, reason: string): Promise<string> {
  const repository = await repositoryOf(app);
  const run = await app.run();
  const claim = {
    journal: app.journal,
    run,
    by: "operator",
    clock: systemClock,
    holder: thisProcess(),
    isAlive,
    isElsewhere,
  };
  const hold = await Hold.take(claim);
  if (!(hold instanceof Hold)) throw new Refused(hold);
  try {
    const branch = await hold.read((state) => state.branch?.name ?? "");
    const made = await withoutGc(repository, () =>
      takenBack(repository, {
        ...{ branch, task, name, commit, reason },
        fence: (swap) => hold.exclusively(swap),
      }),
    );
    const { problems } = await hold.submit({ kind: "undo", task, commit: made, reason });
    if (problems.length > 0) throw new Refused(problems);
    return made;
  } finally {
    await hold.release();
    await app.publish(run);
  }
}

interface TakeBack {
  readonly branch: string;
  readonly task: TaskId;
  readonly name: string;
  readonly commit: string;
  readonly reason: string;
  readonly fence: Fence;
}

/** The branch's tip without the change. One who died after moving it has left nothing more to do. */
async function takenBack(repository: Repository, o: TakeBack): Promise<string> {
  const tip = await tipOf(repository, o.branch);
  if (tip === null) throw new Refused([problem("no-branch", `\`${o.branch}\` is gone`)]);
  const reverted = await revertTree(repository, { commit: o.commit, onto: tip });
  if (!reverted.ok)
    throw new Refused([await conflict(repository, o, { tip, conflicts: reverted.conflicts })]);
  if (reverted.tree === (await treeOf(repository, tip))) return tip;
  const made = await commitTree(repository, {
    tree: reverted.tree,
    parents: [tip],
    message: `Undo ${o.task}: ${o.name}\n\n${o.reason}\n\nThis takes back ${o.commit}.\n\nHeddle-Undo: ${o.task}\n`,
    author: { name: "heddle", email: "heddle@localhost" },
    committer: await personOf(repository.checkoutGitDir),
    at: wallClock(),
  });
  const moved = await moveBranch(repository, { branch: o.branch, from: tip, to: made, fence: o.fence });
  if (moved === "moved" || moved === "already") return made;
  if (isProblem(moved)) throw new Refused([moved]);
  throw new Refused([
    problem("moved", `\`${o.branch}\` was moved meanwhile`, {
      hint: [toCall(`undo ${o.task}`), " tries it again"],
    }),
  ]);
}

async function conflict(
  repository: Repository,
  { task, commit }: TakeBack,
  { tip, conflicts }: { tip: string; conflicts: readonly { readonly path: string; readonly kind: string }[] },
): Promise<Problem> {
  const paths = conflicts.map(({ path }) => path);
  const format = "--format=%(trailers:key=Heddle-Task,valueonly,separator=%x2C)";
  const { out } = await runGit(repository, { args: ["log", format, `${commit}..${tip}`, "--", ...paths] });
  const later = [
    ...new Set(
      out
        .toString("utf8")
        .split(/[\s,]+/)
        .filter((id) => id !== ""),
    ),
  ];
  const who = later.length > 0 ? ` by ${later.slice(0, 5).join(", ")}` : "";
  return problem(
    "conflict",
    `what ${task} changed cannot be taken back by itself: ${paths.length === 1 ? "a file was" : "files were"} changed again since${who}`,
    {
      notes: conflicts.slice(0, 10).map(({ path, kind }) => `${path} (${kind})`),
      hint: later[0]
        ? [toCall(`undo ${later[0]}`), " first, or fix it by hand on the branch"]
        : "fix it by hand on the branch",
    },
  );
}
