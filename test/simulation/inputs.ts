// What people and hosts ask of a run, drawn from what they see of it. Mostly it makes sense at that moment; by the
// time it is decided the run may have moved on, and that is the point.
import type { Input, InputOf } from "../../src/core/input.ts";
import type { TaskId, TaskState } from "../../src/core/run.ts";
import type { Ledger } from "./ledger.ts";
import { drawFleet } from "./machines.ts";
import { editPlan } from "./plan.ts";
import type { Random } from "./random.ts";

export interface View {
  readonly random: Random;
  readonly ledger: Ledger;
  readonly nowMs: number;
}

type Maker = (view: View) => Input;

/** A task in one of these states, or any one, or one that does not exist. */
function someTask({ random, ledger }: View, ...states: readonly TaskState[]): TaskId {
  const fitting = [...ledger.tasks.values()].filter(({ state }) => states.includes(state));
  if (fitting.length > 0 && random.chance(0.85)) return random.pick(fitting).def.id;
  const ids = [...ledger.tasks.keys(), "T404"];
  return random.pick(ids);
}

function hostTask(view: View): TaskId {
  const { random, ledger } = view;
  const own = [...ledger.tasks.values()].filter(({ attempt }) => attempt?.driver === "host");
  return own.length > 0 && random.chance(0.9) ? random.pick(own).def.id : someTask(view, "running");
}

function readyTask(view: View): TaskId {
  const ready = view.ledger.ready();
  return ready.length > 0 && view.random.chance(0.8)
    ? view.random.pick(ready).def.id
    : someTask(view, "failed", "pending");
}

const failure = (random: Random) => ({
  error: "it does not work",
  category: "runtime",
  subcategory: null,
  retryable: random.chance(0.8),
});

const someQuestion = ({ random, ledger }: View) =>
  random.pick([...ledger.questions.keys(), `Q${random.between(1, 3)}`]);

/** Time as a batch has it: the facts of a checkpoint carry it, so it is virtual here. */
const stamp = ({ nowMs }: View) => `${nowMs} ms`;

const taskMakers: Readonly<Record<string, Maker>> = {
  start: (view) => ({ kind: "start", task: readyTask(view), force: view.random.chance(0.3) }),
  complete: (view) => ({ kind: "complete", task: hostTask(view), created: ["a.ts"], modified: [] }),
  fail: (view) => ({ kind: "fail", task: hostTask(view), ...failure(view.random) }),
  retry: (view) => ({ kind: "retry", task: blockedOrFailed(view), force: view.random.chance(0.4) }),
  skip: (view) => ({ kind: "skip", task: someTask(view, "pending", "failed"), reason: "not needed" }),
  verify: (view) => ({
    kind: "record-verification",
    task: someTask(view, "complete"),
    verdict: "PASS",
    recommendation: view.random.pick(["BLOCK", "PROCEED"]),
    criteria: [],
    quality: null,
    tests: null,
  }),
  calibrate: (view) => ({
    kind: "record-calibration",
    task: someTask(view, "complete"),
    outcome: view.random.pick(["correct", "false_positive", "false_negative"]),
    notes: "",
  }),
  rollback: (view) => ({
    kind: "prepare-rollback",
    task: someTask(view, "running"),
    rollback: { files: ["a.ts"] },
  }),
  rolledBack: (view) => ({
    kind: "verify-rollback",
    task: someTask(view, "failed"),
    success: true,
    issues: [],
  }),
  commit: (view) => ({
    kind: "record-commit",
    task: someTask(view, "complete"),
    files: ["a.ts"],
    commit: "c0ffee",
  }),
  usage: ({ random, ledger }) => ({
    kind: "record-usage",
    task: random.pick([null, ...ledger.tasks.keys()]),
    agent: "host",
    inputTokens: random.between(0, 1000),
    outputTokens: random.between(0, 1000),
    costUsd: random.pick([null, random.between(0, 30) / 10]),
  }),
};

function blockedOrFailed(view: View): TaskId {
  const { random, ledger } = view;
  const blocked = [...ledger.tasks.values()].filter((task) => ledger.isBlocked(task));
  return blocked.length > 0 && random.chance(0.4) ? random.pick(blocked).def.id : someTask(view, "failed");
}

/** Now and then one that waits for its merge. */
function adoptedTask(view: View): TaskId {
  const { random, ledger } = view;
  const isQueued = random.chance(0.2) && ledger.queue.length > 0;
  return isQueued ? random.pick(ledger.queue) : someTask(view, "failed", "pending");
}

const runMakers: Readonly<Record<string, Maker>> = {
  halt: () => ({ kind: "halt", reason: "enough for today" }),
  haltNow: () => ({ kind: "halt", reason: "stop that", now: true }),
  confirm: () => ({ kind: "confirm-halt", stopFile: false }),
  resume: resumeInput,
  skipBaseline: ({ random }) => ({ kind: "skip-baseline", reason: random.pick(["it is known", " "]) }),
  advance: () => ({ kind: "advance", digests: {} }),
  override: ({ random, ledger }) => ({
    kind: "override",
    reason: random.pick(["it is fine", " "]),
    ...(random.chance(0.3) ? { to: ledger.phase } : {}),
    digests: {},
  }),
  reload: (view) => ({ kind: "load-plan", tasks: editedPlan(view) }),
  ask: (view) => ({
    kind: "ask",
    id: `Q${view.random.between(1, 4)}`,
    text: "Which?",
    options: ["a", "b"],
    about: "run",
  }),
  answer: (view) => ({ kind: "answer", id: someQuestion(view), answer: view.random.pick(["a", "b"]) }),
  drive: (view) => driveInput(view, view.random.pick([0, 1, 1, 2, 3, 5])),
  propose: (view) => {
    const task = someTask(view, "running");
    const attempt = (view.ledger.tasks.get(task)?.attempts ?? 1) - Number(view.random.chance(0.3));
    return { kind: "propose", task, attempt, status: "success", summary: "done" };
  },
  /** The commit is made when it is decided. */
  undo: (view) => ({ kind: "undo", task: mergedTask(view), commit: "", reason: "it was wrong" }),
  land: ({ ledger }) => ({ kind: "land", commit: ledger.tip ?? "", files: 1 }),
  adopt: (view) => ({
    kind: "adopt",
    reason: "edited by hand",
    phase: view.random.chance(0.2) ? "executing" : null,
    tasks: {
      [adoptedTask(view)]: view.random.pick(["pending", "complete", "skipped", "running", "failed"]),
    },
    digests: {},
  }),
  tick: () => ({ kind: "tick" }),
  verifyAll: () => ({ kind: "set", values: { verify: true } }),
  askToVerify: () => ({ kind: "advance", digests: {}, request: "verify" }),
  release: ({ ledger }) => ({ kind: "release", epoch: ledger.epoch - 1 }),
  stray: strayInput,
};

const batchMakers: Readonly<Record<string, Maker>> = {
  batch: (view) => ({
    kind: "checkpoint-create",
    tasks: [hostTask(view), someTask(view, "running")],
    batch: "b",
    now: stamp(view),
  }),
  batchUpdate: (view) => ({
    kind: "checkpoint-update",
    task: someTask(view, "complete"),
    status: view.random.pick(["success", "failed"]),
    now: stamp(view),
  }),
  batchDone: (view) => ({ kind: "checkpoint-complete", now: stamp(view) }),
  batchRecover: (view) => ({
    kind: "checkpoint-recover",
    results: {
      [hostTask(view)]: { status: "success", created: [], modified: [] },
      [hostTask(view)]: { status: "failed", ...failure(view.random) },
    },
    now: stamp(view),
  }),
  batchClear: () => ({ kind: "checkpoint-clear" }),
};

/** How somebody wants the run driven: all of it, up to a phase, or only some tasks, perhaps one of them named twice. */
export function driveInput({ random, ledger }: View, slots: number): InputOf<"drive"> {
  const ids = [...ledger.tasks.keys()];
  const named = ids.filter(() => random.chance(0.4));
  const only = random.chance(0.12) && named.length > 0 ? [...named, random.pick(named)] : undefined;
  const onOrphan = random.pick(["retry", "retry", "retry", "skip", "abort"] as const);
  const until = random.chance(0.06) ? random.pick(["ready", "executing"]) : undefined;
  const fleet = drawFleet(random);
  const some = { ...(only && { only }), ...(until && { until }), ...(fleet && { fleet }) };
  return { kind: "drive", slots, onOrphan, ...some };
}

function mergedTask(view: View): TaskId {
  const merged = [...view.ledger.tasks.values()].filter(({ isVerified }) => isVerified);
  return merged.length > 0 ? view.random.pick(merged).def.id : someTask(view, "complete");
}

const makers = { ...taskMakers, ...runMakers, ...batchMakers };

const weights: Readonly<Record<string, number>> = {
  skipBaseline: 0.3,
  start: 8,
  complete: 6,
  fail: 3,
  retry: 7,
  skip: 2,
  verify: 6,
  calibrate: 1,
  rollback: 1,
  rolledBack: 1,
  commit: 1,
  usage: 2,
  halt: 4,
  haltNow: 6,
  confirm: 1,
  resume: 9,
  advance: 3,
  override: 1,
  reload: 9,
  ask: 2,
  answer: 3,
  drive: 5,
  propose: 1,
  undo: 2,
  land: 0.5,
  adopt: 2,
  tick: 1,
  verifyAll: 2,
  askToVerify: 1,
  release: 1,
  stray: 3,
  batch: 3,
  batchUpdate: 1,
  batchDone: 0.5,
  batchRecover: 2,
  batchClear: 1,
};

export function drawInput(view: View): Input {
  const maker = makers[view.random.weighted(weights)];
  if (!maker) throw new Error("bug: a weight without a maker");
  return maker(view);
}

function resumeInput({ random, ledger }: View): Input {
  const budget = { budgetUsd: Math.ceil(ledger.costUsd + random.between(-1, 20)) };
  return { kind: "resume", stopFile: random.chance(0.1), ...(random.chance(0.6) ? budget : {}) };
}

export function editedPlan({ random, ledger }: View) {
  const defs = [...ledger.tasks.values()].map(({ def }) => def);
  const running = [...ledger.tasks.values()]
    .filter(({ state }) => state === "running")
    .map(({ def }) => def.id);
  return editPlan(random, defs, { dropped: ledger.dropped, running });
}

/** What roles make; the tasks themselves are loaded. */
export const madeByRoles: readonly string[] = ["capability_map", "physical_map", "task_validation", "order"];

export function registerInput(artifact: string): Input {
  const found = { valid: true, problems: [], content: { verdict: "READY" } };
  return { kind: "register", artifact, path: artifact, digest: artifact, inputs: {}, ...found };
}

export function verificationInput(content: { readonly passed: boolean; readonly tip: string | null }): Input {
  return { ...registerInput("verification"), content } as Input;
}

/** An answer to something that nobody asked any more: an older attempt, an older epoch, or none at all. */
function strayInput({ random, ledger }: View): Input {
  const [id, task] = random.pick([...ledger.tasks, ["T404", undefined] as const]);
  const attempts = task?.attempts ?? 1;
  const isOldEpoch = random.chance(0.5);
  const epoch = isOldEpoch ? ledger.epoch - 1 : ledger.epoch;
  const attempt = isOldEpoch ? attempts : attempts - 1;
  const kind = random.pick(["prepare-workspace", "run-agent", "run-checks", "prepare-merge", "move-branch"]);
  const commit = task?.attempt?.candidate?.commit ?? "none";
  const onto = kind === "prepare-merge" ? ledger.tip : commit;
  const of = kind === "prepare-merge" || kind === "move-branch" ? `+${onto}` : "";
  const candidate = { commit, tree: "none", onto: onto ?? "none" };
  const outcome = { ok: true, merged: { commit, tip: commit }, candidate } as const;
  return { kind: "effect-ended", key: `${kind}:${id}#${attempt}@${epoch}${of}`, outcome };
}
