// Bringing a person's checkout to what was integrated on a run's branch. With `heddle land --merge` a checkout that has moved is
// merged with: one commit with both parents, checked on that very tree before anything of the person's is touched; a conflict or a
// red command changes nothing.
import { toCall } from "../core/hint.ts";
import { isProblem } from "../core/problem.ts";
import { isGreen } from "../core/queue.ts";
import type { App } from "../engine/app.ts";
import { wallClock } from "../host/clock.ts";
import { orProblem, runGit } from "../host/git/git.ts";
import { commitTree, isAncestor, mergeOnto } from "../host/git/integrate.ts";
import { personOf } from "../host/git/persons-settings.ts";
import { pin, type Repository } from "../host/git/repository.ts";
import { type Landed, land } from "../host/land/land.ts";
import { landInto } from "../host/land/land-into.ts";
import { attemptFolder } from "../work/attempt-folder.ts";
import { againstBaseline } from "../work/evidence/against-baseline.ts";
import { checkTree, sayRed } from "../work/evidence/check-tree.ts";
import { needBox } from "./box.ts";
import { benchFor, readConfig } from "./config.ts";
import { setUpFor } from "./set-ups.ts";
import { excluded, landedBefore, repositoryOf } from "./target-repository.ts";

export async function landBranch(app: App, merging?: Merging): Promise<Landed> {
  const merged = merging && (await mergedBranch(app, merging));
  if (merged) return merged;
  const repository = await repositoryOf(app);
  const { branch, target } = await app.look((run) => ({ branch: run.branch, target: run.targetDir }));
  if (!branch) return { landed: false, reason: "nothing was executed yet", hint: toCall("execute") };
  const { name, tip } = branch;
  // Without git nothing but this tells which files are heddle's from an earlier landing, to be changed or taken away.
  const before = repository.isPrivate ? await landedBefore(app) : null;
  const landed = await land(repository, {
    branch: name,
    start: before ?? branch.start,
    target,
    exclude: excluded(app, target),
    heddle: app.paths.heddle,
  });
  if (landed.landed) await app.submit({ kind: "land", commit: tip, files: landed.files });
  return landed;
}

/** With everything that the finished tasks had to fulfil, each command once. */
async function mergedBranch(app: App, merging: Merging): Promise<Landed | undefined> {
  const what = await app.look(({ branch, tasks }) => {
    const done = [...tasks.all()].filter(({ state }) => state === "complete");
    const all = done.flatMap(({ def }) =>
      def.criteria.map(({ criterion, command }) => ({ criterion: `${def.id}: ${criterion}`, command })),
    );
    const once = new Map(all.map((each) => [each.command, each]));
    return branch && { branch: branch.name, tip: branch.tip, criteria: [...once.values()] };
  });
  if (!what) return undefined;
  return landMerged(app, what, merging);
}

/** As `landBranch`, to a branch that the person named. */
export async function landBranchInto(app: App, into: string): Promise<Landed> {
  const { branch, target } = await app.look((run) => ({ branch: run.branch, target: run.targetDir }));
  if (!branch)
    return {
      landed: false,
      reason: "a single task's commit cannot go to another branch by itself",
      hint: toCall("land"),
    };
  const repository = await repositoryOf(app);
  const { name, start, tip } = branch;
  const landed = await landInto(repository, { branch: name, start, into, target });
  if (landed === "checked out") return landBranch(app);
  if (landed.landed) await app.submit({ kind: "land", commit: tip, files: landed.files, into });
  return landed;
}

export interface Merging {
  readonly signal: AbortSignal;
  readonly unconfined: boolean;
}

export interface ToMerge {
  /** The branch, for people, and the commit that lands. */
  readonly branch: string;
  readonly tip: string;
  /** What must hold on the merged tree. */
  readonly criteria: readonly { readonly criterion: string; readonly command: string }[];
}

const no = (reason: string, hint: Extract<Landed, { landed: false }>["hint"]): Landed => ({
  landed: false,
  reason,
  hint,
});

/** Nothing when there is nothing to merge: the checkout has not moved, or there is no git. */
export async function landMerged(app: App, what: ToMerge, merging: Merging): Promise<Landed | undefined> {
  const repository = await repositoryOf(app);
  const { head, checkout } = repository;
  const { tip, branch } = what;
  if (repository.isPrivate || head === null || checkout === null) return undefined;
  if (await isAncestor(repository, head, tip)) return undefined;
  if (await isAncestor(repository, tip, head)) return recorded(app, tip, { landed: true, files: 0 });
  const made = await orProblem(() => merged(app, { repository, head, ...what }, merging));
  if (isProblem(made)) return no(made.message, made.hint ?? `git -C ${checkout} status`);
  if (typeof made !== "string") return made;
  const { id, target } = await app.look((run) => ({ id: run.id, target: run.targetDir }));
  const unpinned = await pin(repository, { run: id, name: "landing", commit: made });
  if (unpinned) return no(unpinned.message, unpinned.hint ?? `git -C ${checkout} status`);
  const landed = await land(repository, {
    ...{ branch, tip: made, start: head, target, exclude: excluded(app, target), heddle: app.paths.heddle },
  });
  return landed.landed ? recorded(app, tip, landed) : landed;
}

async function recorded(
  app: App,
  commit: string,
  landed: Extract<Landed, { landed: true }>,
): Promise<Landed> {
  await app.submit({ kind: "land", commit, files: landed.files });
  return landed;
}

interface Sides extends ToMerge {
  readonly repository: Repository;
  readonly head: string;
}

/** The commit that lands, or why there is none. */
async function merged(app: App, sides: Sides, merging: Merging): Promise<string | Landed> {
  const { repository, head, tip, branch, criteria } = sides;
  const byHand = `git -C ${repository.checkout} merge ${branch}`;
  const found = await runGit(repository, { args: ["merge-base", head, tip] });
  const base = found.out.toString("utf8").trim();
  if (base === "") return no(`your checkout and ${branch} have no commit in common`, byHand);
  const both = await mergeOnto(repository, { base, theirs: tip, onto: head });
  if (!both.ok) {
    const paths = both.conflicts.map(({ path, kind }) => `${path} (${kind})`).slice(0, 10);
    return no(`it conflicts with your own commits: ${paths.join(", ")}`, byHand);
  }
  const red = await redOn(app, { ...sides, tree: both.tree }, merging);
  if (red) return red;
  const person = (await personOf(repository.checkoutGitDir)) ?? { name: "heddle", email: "heddle@localhost" };
  const lines = criteria.map(({ criterion }) => `- ${criterion}`);
  return commitTree(repository, {
    ...{ tree: both.tree, parents: [head, tip], at: wallClock(), author: person, committer: person },
    message: `Merge ${branch}\n\nChecked on this tree:\n${lines.join("\n")}\n`,
  });
}

async function redOn(
  app: App,
  { repository, head, tip, tree, criteria, branch }: Sides & { readonly tree: string },
  { signal, unconfined }: Merging,
): Promise<Landed | undefined> {
  if (criteria.length === 0) return undefined;
  const config = readConfig(app.paths.heddle);
  const box = await needBox(app, { unconfined: unconfined || config.unconfined === true, config });
  const { id, baseline } = await app.look((run) => ({ id: run.id, baseline: run.baseline }));
  const folder = attemptFolder(app.paths.heddle, id, { task: "land", attempt: 1 });
  const evidence = await checkTree(
    {
      ...{ repository, folder, criteria, mark: `heddle ${app.paths.root} ${id} land` },
      bench: benchFor(config, box.kind === "boxed" ? box.sandbox : null),
      setUp: setUpFor({ app, config, box }, { trusted: [head, tip], agents: [], folder }),
      network: config.network?.checks ?? false,
    },
    tree,
    signal,
  );
  if (isProblem(evidence)) return no(evidence.message, evidence.hint ?? toCall("land --merge"));
  if (signal.aborted) return no("it was interrupted", toCall("land --merge"));
  const seen = againstBaseline(evidence, baseline);
  if (isGreen(seen)) return undefined;
  const log = seen.checks.find(({ ok }) => !ok)?.log ?? folder.checks;
  return no(`merged with your own commits, ${sayRed(seen)}`, [
    `cat ${log}.out ${log}.err shows what it printed; git -C ${repository.checkout} merge ${branch} merges it all the same`,
  ]);
}
