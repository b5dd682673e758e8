// The lifecycle's ends. Accepting makes one commit of exactly the tree that was reviewed and tested, onto the person's
// newest commit; where that is another tree, the commands run again on it first. Reverting takes back exactly that
// commit, whatever has happened since, and touches nothing else (L12).

import { fork } from "../../core/apply.ts";
import { toCall } from "../../core/hint.ts";
import type { Outcome } from "../../core/input.ts";
import { ownRecord, recordIn } from "../../core/json.ts";
import { failure } from "../../core/outcome.ts";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { isGreen } from "../../core/queue.ts";
import type { Json, Run } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { Hold } from "../../engine/hold.ts";
import { systemClock, wallClock } from "../../host/clock.ts";
import { textDigest } from "../../host/digest.ts";
import { makeFolder, readIfThere, replaceFile } from "../../host/files.ts";
import {
  changesBetween,
  commitTree,
  isAncestor,
  mergeOnto,
  moveBranch,
  revertTree,
  treeOf,
} from "../../host/git/integrate.ts";
import type { Fence } from "../../host/git/move-branch.ts";
import { personOf } from "../../host/git/persons-settings.ts";
import { openBranch, type Repository, tipOf } from "../../host/git/repository.ts";
import { readRecord } from "../../host/handed-in.ts";
import { type Landed, land } from "../../host/land/land.ts";
import { isAlive, isElsewhere, thisProcess } from "../../host/program/process.ts";
import { outcomeOf } from "../../orders/carrier.ts";
import type { Merging } from "../../orders/land-branch.ts";
import { excluded, landedBefore, repositoryOf } from "../../orders/target-repository.ts";
import { sayRed } from "../../work/evidence/check-tree.ts";
import { authorOf } from "../../work/see-work.ts";
import { documentProduct, registering } from "../documents/document.ts";
import { beganAt, checked, type Jobs, type Part, type Scene } from "../documents/roles.ts";
import { fileOf } from "../documents/run-files.ts";
import type { Decision } from "./artifacts/decision.ts";
import type { EvalReport } from "./artifacts/eval-report.ts";
import { checkingOf, planOf, taskDefOf } from "./code.ts";

export const acceptor: Part = { check: carryOutDecision };
export const reverter: Part = { work: revert, check: async (jobs, scene) => recordRevert(jobs, scene) };

const branchOf = (run: Pick<Run, "id">) => `heddle/${run.id}`;

/** Commits of this task that stand: those that were accepted and not reverted since. */
function standing({ artifacts }: Pick<Run, "artifacts">): string[] {
  const taken = new Set(words(artifacts.revert?.content.reverted));
  return words(artifacts.decision?.content.commits).filter((commit) => !taken.has(commit));
}

const words = (value: Json | undefined) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

async function carryOutDecision(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { run, folder } = scene;
  const commits = standing(run);
  const plain = documentProduct(run, "decision", { commits });
  const said = checked(jobs, scene, { ...plain, keep: () => {} });
  if (!said.ok) return said;
  const decision = ownRecord<Decision>(folder.taken, readRecord(folder.taken)) ?? ({} as Decision);
  if (decision.verdict !== "accepted") {
    plain.keep(folder.taken);
    return said;
  }
  const made = await integrate(jobs, scene, signal);
  if ("ok" in made) return made;
  if ("refused" in made) return sentBack(scene, { decision, reasons: made.refused, commits });
  const content = { ...made, commits: [...commits, made.commit] };
  return checked(jobs, scene, documentProduct(run, "decision", content));
}

/** The acceptor said yes, and heddle found out that it cannot be: that is on record, with both sides. */
function sentBack(
  { run, folder }: Scene,
  o: {
    readonly decision: Decision;
    readonly reasons: readonly string[];
    readonly commits: readonly string[];
  },
): Outcome {
  const verdict: Decision = {
    ...{ verdict: "rejected", back_to: "codegen", decider: "heddle", reasons: [...o.reasons] },
    proposed: o.decision,
  };
  replaceFile(folder.taken, `${JSON.stringify(verdict, null, 2)}\n`);
  const product = documentProduct(run, "decision", { commits: [...o.commits] });
  const { problems, inputs } = product.check(folder.taken);
  if (problems[0]) return failure("validation", problems[0].message);
  product.keep(folder.taken);
  return { ok: true, inputs };
}

interface Integrated {
  readonly commit: string;
  readonly tree: string;
  readonly onto: string;
}

async function integrate(
  jobs: Jobs,
  scene: Scene,
  signal: AbortSignal,
): Promise<Integrated | { readonly refused: readonly string[] } | Outcome> {
  const { run } = scene;
  const repository = await repositoryOf(jobs.app);
  const { base, commit: work, tree: made } = run.artifacts.diff?.content ?? {};
  const plan = planOf(run);
  if (typeof base !== "string" || typeof work !== "string" || typeof made !== "string" || !plan)
    return { refused: ["there is no code to accept"] };
  const onto = repository.head ?? base;
  const merged =
    onto === base
      ? { ok: true as const, tree: made }
      : await mergeOnto(repository, { base, theirs: work, onto });
  if (!merged.ok) {
    const paths = merged.conflicts.map(({ path, kind }) => `${path} (${kind})`).slice(0, 10);
    return { refused: [`it conflicts with what was committed meanwhile: ${paths.join(", ")}`] };
  }
  const { tree } = merged;
  const red = await untested(jobs, { scene, repository, tree }, signal);
  if (red) return red;
  const def = taskDefOf(run, plan);
  const person = await personOf(repository.checkoutGitDir);
  const isPersons = run.artifacts.diff?.content.by_person === true;
  const agent = isPersons ? undefined : authorName(jobs);
  const author = agent === undefined ? (person ?? authorOf("a person")) : authorOf(agent);
  const commit = await commitTree(repository, {
    ...{ tree, parents: [onto], at: beganAt(scene), author, committer: person },
    message: messageFor(run, {
      title: plan.title,
      checked: def.criteria.map(({ criterion }) => criterion),
      agent,
    }),
  });
  const moved = await bringBranch(repository, { run, to: commit, fence: scene.fence });
  return moved ?? { commit, tree, onto };
}

const authorName = ({ agents }: Jobs) => {
  const agent = agents.forRole("coder");
  return isProblem(agent) ? "agent" : agent.name;
};

function messageFor(
  run: Run,
  { title, checked: lines, agent }: { title: string; checked: readonly string[]; agent: string | undefined },
): string {
  const by = agent === undefined ? "" : `\nHeddle-Agent: ${agent}`;
  const trailers = `Heddle-Task: ${run.id}\nHeddle-Run: ${run.id}${by}`;
  return `${run.id}: ${title}\n\nChecked:\n${lines.map((line) => `- ${line}`).join("\n")}\n\n${trailers}\n`;
}

interface Tested {
  readonly scene: Scene;
  readonly repository: Repository;
  readonly tree: string;
}

/** Evidence counts for one tree only (G4): the commands run again where none was made for this one. */
async function untested(
  jobs: Jobs,
  { scene, repository, tree }: Tested,
  signal: AbortSignal,
): Promise<{ refused: string[] } | Outcome | undefined> {
  // A person passed over the tests, with a reason that is on record.
  if (!scene.run.completedPhases.includes("test")) return undefined;
  const report = recordIn<EvalReport>(readIfThere(fileOf(scene.run, "eval_report")));
  if (report?.meta?.tree === tree && report.overall_pass) return undefined;
  const checking = checkingOf(jobs, scene, repository);
  if (!checking) return { refused: ["the plan cannot be read any more"] };
  const seen = await outcomeOf(jobs, { kind: "run-checks", ...checking, tree }, signal);
  if (!seen.ok) return seen;
  const { evidence = { tree, checks: [] } } = seen;
  if (signal.aborted) return failure("runtime", "it was ended");
  if (isGreen(evidence)) return undefined;
  if (evidence.checks.length === 0) return { refused: ["the plan names no command that could check it"] };
  return { refused: [`on top of what was committed meanwhile, ${sayRed(evidence)}`] };
}

interface Bring {
  readonly run: Pick<Run, "id">;
  readonly to: string;
  readonly fence?: Fence;
}

/** The task's branch is heddle's alone: it goes wherever the newest commit of the task is. */
async function bringBranch(repository: Repository, { run, to, fence }: Bring): Promise<Outcome | undefined> {
  const opened = await openBranch(repository, run.id);
  if (isProblem(opened)) return failure("environment", opened.message);
  const moved = await moveBranch(repository, {
    ...{ branch: branchOf(run), from: opened.tip, to },
    ...(fence && { fence }),
  });
  if (moved === "moved" || moved === "already") return undefined;
  if (moved === "late") return failure("environment", "another orchestrator has taken over");
  if (isProblem(moved)) return failure("environment", moved.message);
  return failure("environment", `${branchOf(run)} was moved by somebody else`);
}

export interface TakenBack {
  readonly commits: readonly { readonly reverted: string; readonly by: string }[];
  readonly files: readonly string[];
  /** What it was put onto, and what came of that; nothing where nothing had been integrated. */
  readonly onto: string | null;
  readonly commit: string | null;
  /** Whether the change is in the person's files. */
  readonly landed: boolean;
}

interface TakeBack {
  readonly run: Run;
  readonly reason: string;
  readonly at: string;
  readonly fence?: Fence;
}

/** Newest first, each as a commit of its own. What others changed since stays; where that cannot be, nothing happens. */
async function takeBack(app: App, { run, reason, at, fence }: TakeBack): Promise<TakenBack | Problem> {
  const commits = standing(run).toReversed();
  const repository = await repositoryOf(app);
  const [newest] = commits;
  if (newest === undefined) return { commits: [], files: [], onto: null, commit: null, landed: false };
  const { head } = repository;
  const landed =
    head !== null && ((await landedBefore(app)) === newest || (await isAncestor(repository, newest, head)));
  const onto = landed ? head : await tipOf(repository, branchOf(run));
  if (onto === null)
    return problem("no-branch", `\`${branchOf(run)}\` is gone`, { hint: { do: "show-status" } });
  const done: { reverted: string; by: string }[] = [];
  let tip = onto;
  for (const commit of commits) {
    const reverted = await revertTree(repository, { commit, onto: tip });
    if (!reverted.ok) return inTheWay(run, commit, reverted.conflicts);
    if (reverted.tree !== (await treeOf(repository, tip)))
      tip = await commitTree(repository, {
        ...{ tree: reverted.tree, parents: [tip], at, author: { name: "heddle", email: "heddle@localhost" } },
        committer: await personOf(repository.checkoutGitDir),
        message: `Revert ${run.id}\n\n${reason}\n\nThis takes back ${commit}.\n\nHeddle-Undo: ${run.id}\n`,
      });
    done.push({ reverted: commit, by: tip });
  }
  const files = (await changesBetween(repository, onto, tip)).map(({ path }) => path);
  const moved = await bringBranch(repository, { run, to: tip, ...(fence && { fence }) });
  if (moved && !moved.ok) return problem("branch", moved.error);
  return { commits: done, files, onto, commit: tip, landed };
}

function inTheWay(
  run: Run,
  commit: string,
  conflicts: readonly { readonly path: string; readonly kind: string }[],
): Problem {
  const paths = conflicts.map(({ path }) => path).slice(0, 5);
  return problem("conflict", `what ${run.id} changed was changed again since: ${paths.join(", ")}`, {
    hint: [
      `git -C ${run.targetDir} revert ${commit.slice(0, 12)}, fix the conflicts there and commit; then again: `,
      toCall("revert"),
    ],
  });
}

function recordOf(run: Run, back: TakenBack, o: { reason: string; who: string; at: string }): string {
  const record = {
    ...{ reason: o.reason, who: o.who, timestamp: o.at, commits: back.commits, files: back.files },
    impact:
      back.commit === null
        ? "nothing of it had been integrated"
        : `${back.files.length === 1 ? "1 file is" : `${back.files.length} files are`} as without it${back.landed ? "" : ", on the branch alone"}`,
    phase: run.phase,
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

const contentOf = ({ commits, commit, onto, landed }: TakenBack) => ({
  ...{ reverted: commits.map(({ reverted }) => reverted), commit, onto, landed },
});

/** What was taken back, kept beside the attempt between its two effects. */
const backFile = ({ folder }: Scene) => `${folder.folder}/back.json`;

async function revert({ app }: Jobs, scene: Scene): Promise<Outcome> {
  const { run, folder, fence } = scene;
  const at = beganAt(scene);
  const reason = reasonOf(run);
  const back = await takeBack(app, { run, reason, at, fence });
  if (isProblem(back)) return { ...failure("dependency", back.message), retryable: false };
  makeFolder(folder.outbox);
  replaceFile(backFile(scene), JSON.stringify(back));
  const who = run.vars.revert_reason === undefined ? "heddle" : (process.env.HEDDLE_ACTOR ?? "operator");
  replaceFile(folder.output, recordOf(run, back, { reason, who, at }));
  return { ok: true };
}

/** A person's word, or the decision's. */
function reasonOf(run: Run): string {
  const said = run.vars.revert_reason;
  if (typeof said === "string" && said.trim() !== "") return said;
  const { reasons = [] } = recordIn<Partial<Decision>>(readIfThere(fileOf(run, "decision"))) ?? {};
  return reasons.join("; ").trim() || "it was sent back to be reverted";
}

function recordRevert(jobs: Jobs, scene: Scene): Outcome {
  const back = ownRecord<TakenBack>(backFile(scene), readRecord(backFile(scene)));
  return checked(jobs, scene, documentProduct(scene.run, "revert", back ? contentOf(back) : {}));
}

/** Takes an accepted task back that is done: it stays done, and the record says what became of it. */
export async function revertDone(
  app: App,
  { reason, who }: { reason: string; who: string },
): Promise<TakenBack> {
  const id = await app.run();
  const hold = await Hold.take({
    ...{
      journal: app.journal,
      run: id,
      by: who,
      clock: systemClock,
      holder: thisProcess(),
      isAlive,
      isElsewhere,
    },
  });
  if (!(hold instanceof Hold)) throw new Refused(hold);
  try {
    const run = await hold.read(fork);
    const at = wallClock();
    const back = await takeBack(app, { run, reason, at });
    if (isProblem(back)) throw new Refused([back]);
    // The record of what was taken back before stays.
    if (back.commit === null) return back;
    const text = recordOf(run, back, { reason, who, at });
    replaceFile(fileOf(run, "revert"), text);
    await hold.submit(
      registering(run, { name: "revert", digest: textDigest(text), content: contentOf(back) }),
    );
    return back;
  } finally {
    await hold.release();
    await app.publish(id);
  }
}

/** Whether what was decided is not in the person's files yet. */
export async function isToLand(app: App): Promise<boolean> {
  const { commit } = await landing(app);
  return commit !== null && (await landedBefore(app)) !== commit;
}

/** What was decided last: the commit that was accepted, or the one that takes it back. */
async function landing(app: App) {
  return app.look(({ id, targetDir, artifacts: { revert: back, decision } }) => {
    const accepted = decision?.valid && decision.content.verdict === "accepted" ? decision.content : {};
    const taken = words(back?.content.reverted);
    const reverted =
      accepted.commit === undefined ? taken.length > 0 : taken.includes(String(accepted.commit));
    const { commit, onto } = reverted && back ? back.content : accepted;
    const nothing =
      typeof commit !== "string" || typeof onto !== "string" || (reverted && !back?.content.landed);
    return { id, targetDir, commit: nothing ? null : commit, onto: nothing ? "" : onto };
  });
}

/** Brings the person's files to what was decided last, if that cannot hurt. */
export async function landTask(app: App, merging?: Merging): Promise<Landed> {
  const { commit, onto, ...run } = await landing(app);
  if (commit === null) return { landed: false, reason: "nothing was accepted", hint: { do: "show-next" } };
  if ((await landedBefore(app)) === commit) return { landed: true, files: 0 };
  if (merging) {
    const { landMerged } = await import("../../orders/land-branch.ts");
    const criteria = await app.look((state) => {
      const plan = planOf(state);
      return plan ? taskDefOf(state, plan).criteria : [];
    });
    const merged = await landMerged(app, { branch: branchOf(run), tip: commit, criteria }, merging);
    if (merged) return merged;
  }
  const repository = await repositoryOf(app);
  const landed = await land(repository, {
    ...{ branch: branchOf(run), start: onto, target: run.targetDir, exclude: excluded(app, run.targetDir) },
    heddle: app.paths.heddle,
  });
  if (landed.landed) await app.submit({ kind: "land", commit, files: landed.files });
  return landed;
}
