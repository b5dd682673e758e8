// What must be true of every fact about heddle's own attempts: one stage after the other, on the word of the one who
// really did it (X17); evidence for exactly the tree that is merged (G4); the queue in its order, each change on the
// branch once (G3, X10). What git really holds is asked of the simulated repository, not of the facts.
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { Stage, TaskId } from "../../src/core/run.ts";
import type { Running, TaskRecord } from "./ledger.ts";
import { checkKept, wasGoneWithWork } from "./machines.ts";
import type { Rules, Said, Scene } from "./rules.ts";

const effects: Readonly<Record<Exclude<Stage, "integrating">, string>> = {
  preparing: "prepare-workspace",
  working: "run-agent",
  repairing: "repair-result",
  checking: "run-checks",
  reviewing: "review-work",
};

/** Where an attempt may go from each stage; what follows the checks depends on the policy. */
const following: Readonly<Record<Stage, readonly Stage[]>> = {
  preparing: ["working"],
  working: ["checking", "repairing"],
  repairing: ["checking"],
  checking: ["reviewing", "integrating"],
  reviewing: ["integrating"],
  integrating: [],
};

export const limitOf = (policy: Policy, stage: Stage) =>
  ({ preparing: policy.prepareLimitMs, working: policy.workLimitMs })[stage as string] ?? policy.checkLimitMs;

/** The identity of what an attempt needs now, if it needs anything (`work.ts`). */
export function attemptIdentity({ ledger }: Pick<Scene, "ledger">, task: TaskRecord): string | undefined {
  const { attempt, def } = task;
  if (attempt?.driver !== "engine" || attempt.isHeld) return undefined;
  const name = `${def.id}#${attempt.number}`;
  const of = `${timesHeld(attempt)}@${ledger.epoch}`;
  if (attempt.stage !== "integrating") return `${effects[attempt.stage]}:${name}${of}`;
  const want = ledger.want(task);
  if (!want) return undefined;
  const object = want.kind === "prepare-merge" ? `onto ${want.onto}` : `of ${want.candidate.commit}`;
  return `${want.kind}:${name} ${object}${of}`;
}

export const timesHeld = ({ holds = 0 }: { readonly holds?: number }) => (holds === 0 ? "" : `~${holds}`);

/** Held work keeps its attempt, and with it its try; and the run is halted, so that nothing else runs into the same. */
export function checkHeld({ sim, ledger, kinds }: Scene, said: readonly Said[], name: string): void {
  const isSaid = said.some(wasMissing);
  sim.check(isSaid, "G7 held", () => `${name} is held, and nothing was missing`);
  const isHalted = ledger.halt !== null || kinds.includes("halt-requested");
  sim.check(isHalted, "G7 halt", () => `${name} waits for a place, and the run goes on`);
  sim.saw("held while a place was missing");
}

/** What was said about what the present attempt needs now, under the present epoch. */
export function saidOf(scene: Scene, id: TaskId): readonly Said[] {
  const task = scene.ledger.tasks.get(id);
  const identity = task && attemptIdentity(scene, task);
  return identity === undefined ? [] : scene.said(identity);
}

/** The attempt that the fact is about, if it is the one that runs. */
export function current({ sim, ledger }: Scene, id: TaskId, attempt: number): Running | null {
  const task = ledger.tasks.get(id);
  const number = task?.attempt?.number ?? attempt;
  const isCurrent = task?.state === "running" && number === attempt;
  sim.check(isCurrent, "X17 attempt", () => `${id}#${attempt} is not running: it is ${task?.state}`);
  return isCurrent ? (task?.attempt ?? null) : null;
}

export const attemptRules: Rules<FactKind> = {
  "stage-entered": entered,
  "work-recorded": (scene, { task: id, attempt, commit, tree }) => {
    const running = current(scene, id, attempt);
    if (!running) return;
    const isSaid = saidOf(scene, id).some(({ outcome }) => outcome?.ok && outcome.work?.tree === tree);
    scene.sim.check(isSaid, "X17 work", () => `${id}#${attempt} made ${commit}, and nobody said so`);
    running.workTree = tree;
  },
  "checks-recorded": (scene, { task: id, attempt, tree, checks }) => {
    const { sim, ledger } = scene;
    if (!current(scene, id, attempt)) return;
    const ok = checks.length > 0 && checks.every((check) => check.ok);
    const isSaid = saidOf(scene, id).some(
      ({ ok: said, outcome }) => (said && checks.length > 0) === ok && outcome?.evidence?.tree === tree,
    );
    if (checks.length === 0) sim.saw("nothing was checked");
    sim.check(isSaid, "G4 evidence", () => `${id}#${attempt} on ${tree}: ${ok}, and no check said so`);
    const task = ledger.at(id);
    const want = ledger.want(task);
    if (want?.kind === "check-merge" && !ok) sim.saw("red on merge");
    task.evidence = { tree, ok };
  },
  "merge-prepared": prepared,
  "task-merged": merged,
  "attempt-lost": (scene, { task: id, attempt }) => {
    const { sim, ledger } = scene;
    if (!current(scene, id, attempt)) return;
    const task = ledger.at(id);
    const { onOrphan, policy } = ledger;
    const isLost = saidOf(scene, id).some((each) => wasLost(each) || wasGoneWithWork(each));
    checkKept(scene, task, `${id}#${attempt}`);
    sim.check(isLost, "X14 lost", () => `${id}#${attempt} was lost, and nobody said so`);
    const isOver = onOrphan === "skip" || task.losses + 1 >= (policy?.losses ?? 0);
    sim.check(!isOver, "X14 losses", () => `${id} is tried again after ${task.losses} losses (${onOrphan})`);
    const isHalted = onOrphan !== "abort" || ledger.halt !== null || scene.kinds.includes("halt-requested");
    sim.check(isHalted, "X14 abort", () => `${id} was lost, and the run goes on`);
    giveBack(scene, task);
    task.losses++;
    sim.saw("attempt lost");
  },
  "attempt-paused": (scene, { task: id, attempt }) => {
    if (!current(scene, id, attempt)) return;
    const isAsking = [...scene.ledger.asking.values()].includes(id);
    scene.sim.check(isAsking, "C8 paused", () => `${id}#${attempt} waits for an answer to nothing`);
    giveBack(scene, scene.ledger.at(id));
    scene.sim.saw("agent asked");
  },
  "attempt-parked": (scene, { task: id, attempt, runMs, notBeforeMs }) => {
    if (!current(scene, id, attempt)) return;
    const wait = notBeforeMs - runMs;
    checkKept(scene, scene.ledger.at(id), `${id}#${attempt}`);
    const isSaid = saidOf(scene, id).some(({ outcome }) => isParkedFor(outcome, wait));
    scene.sim.check(isSaid, "X11 parked", () => `${id}#${attempt} is parked for ${wait}, and nobody said so`);
    const isUnable = saidOf(scene, id).some(
      ({ outcome }) => outcome?.ok === false && outcome.kind === "unable",
    );
    const task = scene.ledger.at(id);
    giveBack(scene, task);
    task.notBeforeMs = notBeforeMs;
    const isHalted = scene.ledger.halt !== null || scene.kinds.includes("halt-requested");
    scene.sim.check(
      !isUnable || isHalted,
      "C10 unable",
      () => `the agent of ${id} cannot work, and nobody is told`,
    );
    scene.sim.saw("agent was limited");
  },
  "attempt-held": (scene, { task: id, attempt }) => {
    const running = current(scene, id, attempt);
    if (!running) return;
    checkHeld(scene, saidOf(scene, id), `${id}#${attempt}`);
    Object.assign(running, { isHeld: true, holds: (running.holds ?? 0) + 1, dueMs: null });
  },
  "proposal-recorded": (scene, { task: id, attempt }) => {
    const running = current(scene, id, attempt);
    if (!running) return;
    scene.sim.check(running.stage === "working", "X16 word", () => `${id} proposed while ${running.stage}`);
    scene.sim.saw("proposal recorded");
  },
  "task-undone": (scene, { task: id, commit }) => {
    const { sim, ledger } = scene;
    const task = ledger.at(id);
    const isMerged = task.state === "complete" && task.commit !== null;
    sim.check(isMerged, "X21 undo", () => `${id} was undone while ${task.state}`);
    const isOpen = ledger.phase !== "complete" || scene.kinds.includes("phase-entered");
    sim.check(isOpen, "X21 reopen", () => `${id} was undone, and the run stays complete`);
    Object.assign(task, { state: "failed", isVerified: false, commit: null, evidence: null });
    ledger.tip = commit;
    sim.saw("undone");
  },
  "branch-opened": (scene, { tip }) => movedTo(scene, tip),
  "branch-moved": (scene, { tip }) => {
    movedTo(scene, tip);
    scene.sim.saw("branch was elsewhere");
  },
};

/** One who cannot work at all is not waited for: a person resumes. */
export function isParkedFor(outcome: Said["outcome"], waitMs: number): boolean {
  if (outcome?.ok !== false) return false;
  if (outcome.kind === "parked") return outcome.parkMs === waitMs;
  return (outcome.kind === "unable" || (outcome.kind === "machine" && !outcome.begun)) && waitMs === 0;
}

/** A place that was missing is no reason to fail: it costs no try. */
export const wasMissing = ({ outcome }: Said) => outcome?.ok === false && outcome.kind === "place";

export const wasLost = ({ outcome }: Said) => outcome?.ok === false && outcome.kind === "lost";

function entered(scene: Scene, fact: FactOf<"stage-entered">): void {
  const { sim, ledger } = scene;
  const { task: id, attempt, stage, runMs, dueMs } = fact;
  const running = current(scene, id, attempt);
  const { policy } = ledger;
  if (!running || !policy) return;
  const name = `${id}#${attempt}`;
  if (isRenewal(running, stage, dueMs)) {
    const limitMs = limitOf(policy, stage);
    sim.check(!running.isHeld, "G7 renewed", () => `${name} goes on while it is held`);
    sim.check(ledger.halt?.now !== true, "C10 renewed", () => `${name} goes on while halted`);
    sim.check(dueMs === runMs + limitMs, "C7 limit", () => `${name} is due at ${dueMs}, from ${runMs}`);
    Object.assign(running, { sinceMs: sim.nowMs, dueMs });
    sim.saw("limit began anew");
    return;
  }
  const said = saidOf(scene, id);
  const isSaid =
    stage === "repairing"
      ? said.some(({ outcome }) => outcome?.ok === false && outcome.kind === "unparseable")
      : said.some(({ ok }) => ok);
  sim.check(isSaid, "X17 word", () => `${name} went on to ${stage} and nobody said so`);
  const isNext = following[running.stage].includes(stage);
  sim.check(isNext, "X12 stage", () => `${name} went from ${running.stage} to ${stage}`);
  const isReviewed = running.stage !== "checking" || (stage === "reviewing") === policy.review;
  sim.check(isReviewed, "X9 review", () => `${name} went on to ${stage}, review is ${policy.review}`);
  const isWorked = stage !== "checking" || running.workTree !== null;
  sim.check(isWorked, "X8 work", () => `${name} is checked, and nobody saw its work`);
  const wantedMs = stage === "integrating" || ledger.halt?.now ? null : runMs + limitOf(policy, stage);
  sim.check(dueMs === wantedMs, "C7 limit", () => `${name} is due at ${dueMs}, not ${wantedMs}`);
  if (stage === "integrating") {
    const { evidence } = ledger.at(id);
    const isProven = evidence?.ok === true && evidence.tree === running.workTree;
    sim.check(isProven, "G4 queue", () => `${name} waits for its merge without evidence`);
    ledger.queue.push(id);
    if (ledger.queue.length > 1) sim.saw("several wait for the branch");
  }
  if (stage === "repairing") sim.saw("result went to the fixer");
  if (stage === "reviewing") sim.saw("reviewed");
  Object.assign(running, { stage, sinceMs: sim.nowMs, dueMs });
}

/** What a halt had ended goes on. */
const isRenewal = (running: Running, stage: Stage, dueMs: number | null) =>
  running.stage === stage && running.dueMs === null && dueMs !== null;

function prepared(scene: Scene, fact: FactOf<"merge-prepared">): void {
  const { sim, ledger } = scene;
  const { task: id, attempt, commit, tree, onto, runMs, dueMs } = fact;
  const running = current(scene, id, attempt);
  const { policy } = ledger;
  if (!running || !policy) return;
  const name = `${id}#${attempt}`;
  const task = ledger.at(id);
  const want = ledger.want(task);
  if (want?.kind === "check-merge" && want.candidate.commit === commit && running.dueMs === null) {
    Object.assign(running, { sinceMs: sim.nowMs, dueMs });
    return;
  }
  const isWanted = want?.kind === "prepare-merge" && want.onto === onto;
  sim.check(isWanted, "X10 order", () => `${name} was put onto ${onto}; wanted: ${JSON.stringify(want)}`);
  const isSaid = saidOf(scene, id).some(({ outcome }) => outcome?.ok && outcome.candidate?.commit === commit);
  sim.check(isSaid, "X17 word", () => `${name} was prepared as ${commit} and nobody said so`);
  const real = sim.git.commit(commit);
  const isReal = real?.parent === onto && real.tree === tree && real.changes.includes(name);
  sim.check(isReal, "G3 commit", () => `${commit} is not ${name} put onto ${onto}`);
  const wantedMs = ledger.halt?.now ? null : runMs + policy.checkLimitMs;
  sim.check(dueMs === wantedMs, "C7 limit", () => `${name} is due at ${dueMs}, not ${wantedMs}`);
  if (running.candidate) sim.saw("prepared again");
  if (running.candidate && ledger.queue.indexOf(id) > 0) sim.saw("speculation came to nothing");
  running.candidate = { commit, tree, onto };
  if (task.evidence?.ok && task.evidence.tree === tree) sim.saw("evidence carried over");
  else if (ledger.queue[0] !== id) sim.saw("checked on top of another");
  Object.assign(running, { sinceMs: sim.nowMs, dueMs });
}

function merged(scene: Scene, { task: id, attempt, commit, tip }: FactOf<"task-merged">): void {
  const { sim, ledger } = scene;
  const { git } = sim;
  const running = current(scene, id, attempt);
  if (!running) return;
  const name = `${id}#${attempt}`;
  const task = ledger.at(id);
  const real = git.commit(commit);
  sim.check(ledger.queue[0] === id, "X10 order", () => `${name} was merged before ${ledger.queue[0]}`);
  sim.check(running.candidate?.commit === commit, "G3 commit", () => `${name} was merged as ${commit}`);
  const isThere = real !== undefined && git.isAncestor(commit, git.tip);
  sim.check(isThere, "G3 branch", () => `${name} is merged as ${commit}, which is not on the branch`);
  sim.check(!ledger.merged.has(name), "G3 twice", () => `${name} was merged twice`);
  if (!real) return;
  const { evidence } = task;
  const isProven = evidence?.ok === true && evidence.tree === real.tree;
  sim.check(isProven, "G4 tree", () => `${name} was merged as ${real.tree}, proven is ${evidence?.tree}`);
  const digest = git.greenFor(name, real.tree);
  sim.check(
    digest !== undefined,
    "G4 merged",
    () => `${name} was merged and no check of ${real.tree} was green`,
  );
  const isBound = digest === task.def.digest;
  sim.check(isBound, "G4 definition", () => `${name} was merged by the evidence of another definition`);
  if (!saidOf(scene, id).some(({ ok }) => ok)) sim.saw("found merged when the branch was opened");
  const isOn = ledger.tip !== null && git.isAncestor(ledger.tip, tip);
  sim.check(isOn, "G3 back", () => `the branch is said to have gone from ${ledger.tip} back to ${tip}`);
  movedTo(scene, tip);
  task.commit = commit;
  ledger.merged.add(name);
}

/** The branch was there, at one time or another: nobody takes commits away, and a look at it may come late. */
function movedTo({ sim, ledger }: Scene, tip: string): void {
  const { git } = sim;
  const isReal = git.commit(tip) !== undefined && git.isAncestor(tip, git.tip);
  sim.check(isReal, "G3 tip", () => `the branch is said to be at ${tip}, and is at ${git.tip}`);
  ledger.tip = tip;
}

/** It ends without having cost a try. */
function giveBack({ sim, ledger }: Scene, task: TaskRecord): void {
  const name = `${task.def.id}#${task.attempts}`;
  sim.check(!ledger.finished.has(name), "G2 end", () => `${name} ended twice`);
  ledger.finished.add(name);
  ledger.leave(task);
  task.state = "pending";
  task.tries--;
}
