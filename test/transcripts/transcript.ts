// Conversations with the core as text. An input is a line; after `----` stand the facts that followed, what was
// refused, and how the list of effects changed: `->` begins, `<-` is no longer wanted.

import { effectOfAttempt, effectOfJob } from "../../src/core/effect.ts";
import type { Fact } from "../../src/core/fact.ts";
import type { Input, Outcome } from "../../src/core/input.ts";
import { next } from "../../src/core/next.ts";
import type { Json, Run, TaskState } from "../../src/core/run.ts";
import { evidenceFor, goodOutcome } from "../core/outcome.ts";
import { Conversation, holder, planOf } from "../core/plan.ts";

type Say = (words: readonly string[], run: Run) => Input;

const why = { error: "it failed", category: "test", subcategory: null };
const failure = { kind: "failed", ...why } as const;
const inputs: Readonly<Record<string, Say>> = {
  reload: (words) => ({ kind: "load-plan", tasks: planOf(words.join(" ")) }),
  claim: () => ({ kind: "claim", holder, alive: false }),
  "claim-while-alive": () => ({ kind: "claim", holder, alive: true }),
  release: (_words, run) => ({ kind: "release", epoch: run.epoch }),
  drive: ([slots, onOrphan]) => ({
    kind: "drive",
    slots: Number(slots),
    ...(onOrphan !== undefined && { onOrphan: onOrphan as "retry" | "skip" | "abort" }),
  }),
  "drive-only": ([...only]) => ({ kind: "drive", slots: 2, only }),
  red: ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: false, ...failure, retryable: true, evidence: evidenceFor("red", false) },
  }),
  "checked-nothing": ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: true, evidence: { tree: run.tasks.get(id)?.attempt?.work?.tree ?? "", checks: [] } },
  }),
  "complete-unchecked": ([task = ""]) => ({
    kind: "complete",
    task,
    created: [],
    modified: [],
    evidence: { tree: "target", checks: [] },
  }),
  lost: ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: {
      ok: false,
      ...failure,
      kind: "lost",
      error: "its agent died with the orchestrator",
      retryable: true,
    },
  }),
  "place-missing": ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: false, ...failure, kind: "place", error: "the target is missing", retryable: true },
  }),
  "disk-full": ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: {
      ok: false,
      ...failure,
      kind: "disk",
      error: "the disk is full",
      subcategory: "full",
      retryable: true,
    },
  }),
  "role-misses-place": (_words, run) =>
    jobEnds(run, { ok: false, ...failure, kind: "place", error: "the target is missing", retryable: true }),
  "place-back": () => ({ kind: "resume", stopFile: false, only: "place" }),
  limited: ([id = "", parkMs = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: {
      ok: false,
      ...failure,
      kind: "parked",
      error: "its agent reached its usage limit",
      retryable: true,
      parkMs: Number(parkMs),
    },
  }),
  unreadable: ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: false, ...failure, kind: "unparseable", category: "unparseable", retryable: true },
  }),
  "agent-asks": ([id = "", ...words], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: true, inputs: [{ kind: "ask", id: "q1", text: words.join(" "), options: [], about: id }] },
  }),
  "moved-to": ([id = "", tip = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: {
      ok: false,
      ...failure,
      kind: "branch-moved",
      error: "somebody moved it",
      retryable: true,
      tip,
    },
  }),
  "found-merged": ([id = "", commit = "", tip = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: true, merged: { commit, tip } },
  }),
  "open-branch": ([tip = ""]) => ({ kind: "open-branch", name: "heddle/plan-1", start: "main", tip }),
  propose: ([task = "", attempt]) => ({
    kind: "propose",
    task,
    attempt: Number(attempt),
    status: "success",
    summary: "done",
  }),
  undo: ([task = "", commit = ""]) => ({ kind: "undo", task, commit, reason: "it was wrong" }),
  tick: () => ({ kind: "tick" }),
  ok: ([id = ""], run) => ({ kind: "effect-ended", key: keyOf(run, id), outcome: wellDone(run, id) }),
  "ok-key": ([key = ""]) => ({ kind: "effect-ended", key, outcome: { ok: true } }),
  failed: ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: false, ...failure, retryable: true },
  }),
  "failed-for-good": ([id = ""], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: { ok: false, ...failure, retryable: false },
  }),
  cost: ([id = "", usd], run) => ({
    kind: "effect-ended",
    key: keyOf(run, id),
    outcome: {
      ...wellDone(run, id),
      usage: { agent: "agent", inputTokens: 0, outputTokens: 0, costUsd: Number(usd) },
    },
  }),
  start: ([task = ""]) => ({ kind: "start", task }),
  complete: ([task = ""]) => ({ kind: "complete", task, created: [], modified: [] }),
  fail: ([task = ""]) => ({ kind: "fail", task, ...why, retryable: true }),
  retry: ([task = ""]) => ({ kind: "retry", task }),
  skip: ([task = ""]) => ({ kind: "skip", task, reason: "by hand" }),
  halt: () => ({ kind: "halt", reason: "lunch" }),
  "halt-now": () => ({ kind: "halt", reason: "fire", now: true }),
  adopt: ([task = "", state]) => ({
    kind: "adopt",
    reason: "edited by hand",
    phase: null,
    tasks: { [task]: state as TaskState },
    digests: {},
  }),
  resume: () => ({ kind: "resume", stopFile: false }),
  "raise-budget": ([usd]) => ({ kind: "resume", stopFile: false, budgetUsd: Number(usd) }),
  advance: () => ({ kind: "advance", digests: {} }),
  ask: ([id = "", ...words]) => ({ kind: "ask", id, text: words.join(" "), options: [], about: "T001" }),
  answer: ([id = "", ...words]) => ({ kind: "answer", id, answer: words.join(" ") }),
  "plan-until": ([until = ""]) => ({ kind: "drive", slots: 1, until }),
  "role-done": (_words, run) => jobEnds(run, { ok: true }),
  "role-made": ([artifact = "", verdict], run) =>
    jobEnds(run, { ok: true, inputs: [register(artifact, verdict === undefined ? {} : { verdict })] }),
  verify: () => ({ kind: "set", values: { verify: true } }),
  "ask-to-verify": () => ({ kind: "advance", digests: {}, request: "verify" }),
  "role-judged": ([word = ""], run) =>
    jobEnds(run, {
      ok: true,
      inputs: [register("verification", { passed: word === "passed", tip: run.branch?.tip ?? null })],
    }),
  "role-made-plan": (words, run) =>
    jobEnds(run, { ok: true, inputs: [{ kind: "load-plan", tasks: planOf(words.join(" ")) }] }),
  "role-asks": (words, run) =>
    jobEnds(run, {
      ok: true,
      inputs: [{ kind: "ask", id: "q1", text: words.join(" "), options: [], about: run.job?.role ?? "" }],
    }),
  "role-lost": (_words, run) => jobEnds(run, { ...died, kind: "lost" }),
  "role-unable": (_words, run) => jobEnds(run, { ...died, kind: "unable", retryable: false }),
  "role-failed": ([category = "runtime", ...words], run) =>
    jobEnds(run, {
      ...{ ok: false, kind: category === "unparseable" ? category : "failed" },
      ...{ error: words.join(" "), category, subcategory: null, retryable: true },
    }),
  register: ([artifact = ""]) => register(artifact),
  held: ([task = ""]) => ({
    kind: "record-verification",
    task,
    verdict: "FAIL",
    recommendation: "BLOCK",
    criteria: null,
    quality: null,
    tests: null,
  }),
  cleared: ([task = ""]) => ({
    kind: "record-verification",
    task,
    verdict: "PASS",
    recommendation: "PROCEED",
    criteria: null,
    quality: null,
    tests: null,
  }),
};

function wellDone(run: Run, id: string): Extract<Outcome, { ok: true }> {
  const task = run.tasks.get(id);
  const effect = task && effectOfAttempt(run, task);
  return effect ? goodOutcome(run, effect) : { ok: true };
}

const died = {
  ok: false,
  error: "its agent died",
  category: "environment",
  subcategory: null,
  retryable: true,
} as const;

/** How the effect of the role at work ends. */
const jobEnds = (run: Run, outcome: Outcome): Input => ({
  kind: "effect-ended",
  key: run.job ? effectOfJob(run, run.job).key : "none",
  outcome,
});

const register = (artifact: string, content: Readonly<Record<string, Json>> = {}): Input => ({
  kind: "register",
  artifact,
  path: `/planning/${artifact}`,
  digest: `digest of ${artifact}`,
  inputs: {},
  valid: true,
  problems: [],
  content,
});

function keyOf(run: Run, id: string): string {
  const task = run.tasks.get(id);
  return (task && effectOfAttempt(run, task)?.key) ?? `none:${id}`;
}

/** Plays a transcript's inputs and writes it down again with what really followed. */
export function play(text: string): string {
  let conversation = Conversation.ready("");
  const blocks = text.trimEnd().split(/\n\n+/);
  return `${blocks
    .map((block) => {
      const lines = block.split("\n");
      const line = lines.find((each) => each !== "" && !each.startsWith("#")) ?? "";
      if (line === "") return block;
      const comments = lines.filter((each) => each.startsWith("#"));
      const [word = "", ...words] = line.split(/\s+/);
      if (word === "plan") conversation = Conversation.ready(words.join(" "));
      if (word === "begin") conversation = Conversation.begun();
      const begins = word === "plan" || word === "begin";
      const said = begins ? counts(conversation.run) : converseAll(conversation, line);
      return [...comments, line, "----", ...said].join("\n");
    })
    .join("\n\n")}\n`;
}

/** `all T001` answers every effect of T001 well until it is no longer running. */
function converseAll(conversation: Conversation, line: string): string[] {
  if (!line.startsWith("all ")) return converse(conversation, line);
  const id = line.split(/\s+/)[1] ?? "";
  const said: string[] = [];
  while (conversation.run.tasks.get(id)?.state === "running")
    said.push(...converse(conversation, line.replace("all", "ok")));
  return said;
}

function converse(conversation: Conversation, line: string): string[] {
  const at = / @(\d+)$/.exec(line)?.[1];
  const [word = "", ...words] = line.replace(/ @\d+$/, "").split(/\s+/);
  const say = inputs[word];
  if (!say) throw new Error(`no input ${word}`);
  const before = effects(conversation.run);
  const { facts, problems } = conversation.submit({
    ...say(words, conversation.run),
    runMs: at === undefined ? conversation.run.runMs : Number(at),
  });
  const after = effects(conversation.run);
  return [
    ...facts.map(factLine),
    ...problems.map((each) => `refused ${each.code}: ${each.message}`),
    ...after.filter((key) => !before.includes(key)).map((key) => `  -> ${key}`),
    ...before.filter((key) => !after.includes(key)).map((key) => `  <- ${key}`),
    ...(facts.length + problems.length === 0 ? ["nothing"] : []),
  ];
}

function effects(run: Run): string[] {
  return next(run)
    .filter(({ kind }) => kind !== "write-view")
    .map(({ key }) => key);
}

/** The fact without what is the same in every transcript. */
function factLine({ kind, ...rest }: Fact): string {
  const shown = Object.entries(rest)
    .filter(
      ([key, value]) =>
        value !== null &&
        !["holder", "error", "category", "subcategory", "created", "modified", "runMs"].includes(key),
    )
    .map(([key, value]) => `${key}=${shownValue(value)}`);
  return [kind, ...shown].join(" ");
}

function shownValue(value: unknown): string {
  if (value === null || typeof value !== "object") return String(value);
  return "dependsOn" in value && "id" in value ? `${value.id}<-${value.dependsOn}` : JSON.stringify(value);
}

function counts(run: Run): string[] {
  return [`${run.phase}: ready ${run.tasks.ready().join(" ") || "none"}`];
}
