// From an order of the page to the words of a command, as a person would type them: what is done, and what is refused, is the same as
// in the terminal. And whether what it is about has changed since the person looked.
import type { Entry, FactKind } from "../core/fact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { lineOf } from "../view/activity.ts";
import type { Order, OrderKind } from "./model.ts";
import { tasksOf } from "./moments.ts";

const orderKinds: readonly OrderKind[] = [
  ...(["answer", "accept", "revise", "override", "halt", "resume", "raise-budget", "retry"] as const),
  ...(["skip", "undo", "edit", "split", "repair-view", "adopt-view", "comment"] as const),
];

/** Longer ones are no answer of a person's; a list of tasks may be longer. */
const mostWords = 20_000;
const mostDocument = 120_000;

const texts = ["task", "id", "words", "reason", "to"] as const;

/** What came over the wire as an order, or nothing when it is none. */
export function orderIn(value: unknown): Order | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const order = value as Partial<Record<keyof Order, unknown>>;
  const longest = order.do === "edit" || order.do === "split" ? mostDocument : mostWords;
  const isText = (key: (typeof texts)[number]) =>
    order[key] === undefined || (typeof order[key] === "string" && (order[key] as string).length <= longest);
  const at = order.at as Partial<NonNullable<Order["at"]>> | undefined;
  const isWhole =
    orderKinds.includes(order.do as OrderKind) &&
    Number.isSafeInteger(order.seen) &&
    texts.every(isText) &&
    (order.amountUsd === undefined || (typeof order.amountUsd === "number" && order.amountUsd >= 0)) &&
    (at === undefined ||
      (typeof at?.path === "string" && at.path.length < 4096 && Number.isSafeInteger(at.line)));
  return isWhole ? (order as Order) : undefined;
}

const missing = (what: string) => problem("missing-words", `${what} is missing`);

type Words = readonly string[] | Problem;

/** A person's words never look like a flag: they follow `=`, or `--`. `files`: what an edit or a split puts in a task's place. */
export function wordsOf(run: Run, order: Order, files: readonly string[] = []): Words {
  const words = order.words?.trim() ?? "";
  const { task = "" } = order;
  switch (order.do) {
    case "answer":
      return words === "" ? missing("the answer") : ["answer", "--", questionIn(order), words];
    case "retry":
      return [...retry(run, task), ...(words === "" ? [] : [`--advice=${words}`])];
    case "skip":
      return words === "" ? missing("the reason") : ["state", "skip-task", "--", task, words];
    case "undo":
      return words === "" ? missing("the reason") : ["undo", task, "--yes", `--reason=${words}`];
    case "edit":
    case "split":
      return ["task", order.do, ...because(order), "--", task, ...files];
    case "halt":
      return ["halt", "--", ...(words === "" ? [] : [words])];
    case "resume":
      return ["resume"];
    case "raise-budget":
      return order.amountUsd === undefined
        ? missing("the amount")
        : ["resume", `--budget=${order.amountUsd}`];
    case "repair-view":
      return ["state", "restore"];
    case "adopt-view":
      return words === "" ? missing("the reason") : ["state", "adopt", `--reason=${words}`];
    case "override":
      return words === "" ? missing("the reason") : overriding(run, order, words);
    case "comment":
      return words === "" ? missing("the comment") : commentWords(order, words);
    case "accept":
    case "revise":
      return chosen(run, order.do, words);
  }
}

function because({ reason = "" }: Order): readonly string[] {
  return reason.trim() === "" ? [] : [`--reason=${reason.trim()}`];
}

/** An item of the inbox is named by its kind as well. */
const questionIn = ({ id = "" }: Order) => id.replace(/^question:/, "");

function retry(run: Run, id: string): readonly string[] {
  const task = run.tasks.get(id);
  const isFinal = task?.failure?.retryable === false;
  return ["state", "retry-task", id, ...(isFinal ? ["--force"] : [])];
}

function overriding(run: Run, { to }: Order, words: string): readonly string[] {
  if (run.halt?.code === "baseline") return ["resume", `--skip-baseline=${words}`];
  return ["next", run.id, `--override=${words}`, ...(to === undefined ? [] : [`--to=${to}`])];
}

function commentWords({ task = "", at }: Order, words: string): readonly string[] {
  return ["comment", ...(at ? [`--at=${at.path}:${at.line}`] : []), "--", task, words];
}

function chosen(run: Run, kind: "accept" | "revise", words: string): Words {
  const choice = run.protocol.own?.choices?.(run).find((each) => each.kind === kind);
  if (!choice) return problem("no-choice", `there is nothing to ${kind} in phase \`${run.phase}\``);
  if (choice.reason === "required" && words === "") return missing("the reason");
  return choice.command(words);
}

const aboutHalts: readonly FactKind[] = ["halt-requested", "resumed"];
const aboutPhases: readonly FactKind[] = [
  "phase-entered",
  "overridden",
  "artifact-registered",
  "job-started",
];
const aboutTasks: readonly FactKind[] = [
  ...(["task-started", "task-completed", "task-failed", "attempt-failed", "task-retried"] as const),
  ...(["task-skipped", "task-undone", "task-defined", "task-dropped", "overridden"] as const),
];

/** The facts that change what an order is about. */
const kindsOf: Readonly<Record<OrderKind, readonly FactKind[]>> = {
  answer: ["question-answered"],
  accept: aboutPhases,
  revise: aboutPhases,
  override: [...aboutPhases, ...aboutHalts],
  halt: aboutHalts,
  resume: aboutHalts,
  "raise-budget": aboutHalts,
  retry: aboutTasks,
  skip: aboutTasks,
  undo: aboutTasks,
  edit: aboutTasks,
  split: aboutTasks,
  "repair-view": ["view-repaired", "overridden"],
  "adopt-view": ["view-repaired", "overridden"],
  comment: [],
};

export const changingKinds = (order: Order) => kindsOf[order.do];

/** `entries`: of those kinds, after what the person saw. */
export function staleness(order: Order, entries: readonly Entry[]): Problem | undefined {
  const isAbout = ({ fact }: Entry) => {
    if (fact.kind === "question-answered") return fact.id === questionIn(order);
    return kindsOf[order.do] === aboutTasks ? tasksOf(fact).includes(order.task ?? "") : true;
  };
  const changed = entries.find(isAbout);
  if (!changed) return undefined;
  const { event, message } = lineOf(changed);
  const what = `this has changed since you looked: ${event}: ${message} (by ${changed.by}, ${changed.at})`;
  return problem("changed", what, { hint: "look again, and then decide" });
}
