// U4: what the page shows, from runs in memory.
import { describe, expect, it } from "vitest";
import { effectOfAttempt } from "../../src/core/effect.ts";
import type { Entry, Fact } from "../../src/core/fact.ts";
import type { Input, Outcome } from "../../src/core/input.ts";
import { type Run, taskOf } from "../../src/core/run.ts";
import { lifecycle } from "../../src/packs/lifecycle/protocol.ts";
import { commenting, commentOf } from "../../src/page/comment.ts";
import { inboxOf, nothingBeside } from "../../src/page/inbox.ts";
import type { Order, RunPage } from "../../src/page/model.ts";
import { momentsPage } from "../../src/page/moments.ts";
import { moneyPage } from "../../src/page/money.ts";
import { orderIn, staleness, wordsOf } from "../../src/page/order.ts";
import { runPage } from "../../src/page/run-page.ts";
import { taskPage } from "../../src/page/task-page.ts";
import { timelinePage } from "../../src/page/timeline.ts";
import { toldBy } from "../../src/page/told.ts";
import { taskReports } from "../../src/view/report/report.ts";
import { goodOutcome } from "../core/outcome.ts";
import { Conversation, holder } from "../core/plan.ts";

/** A conversation that keeps its entries, a second apart. */
class Told {
  readonly talk = Conversation.ready("T001* T002<-T001 T003<-T002");
  readonly entries: Entry[] = [];

  get run(): Run {
    return this.talk.run;
  }

  submit(input: Input): void {
    const from = this.run.position;
    const { facts } = this.talk.submit(input);
    facts.forEach((fact: Fact, at) => {
      const position = from + 1 + at;
      const time = new Date(Date.parse("2026-01-01T00:00:00.000Z") + position * 1000).toISOString();
      this.entries.push({ position, at: time, by: "test", fact });
    });
  }

  answer(id: string, outcome?: Outcome): void {
    const effect = effectOfAttempt(this.run, taskOf(this.run, id));
    if (!effect) throw new Error(`${id} needs nothing`);
    const made = outcome ?? goodOutcome(this.run, effect);
    this.submit({ kind: "effect-ended", key: effect.key, outcome: made, runMs: this.run.runMs });
  }
}

const red: Outcome = {
  ...{ ok: false, kind: "failed", error: "<script>alert(1)</script>", category: "test", subcategory: null },
  retryable: false,
};

const around = (told: Told) => ({
  ...nothingBeside,
  ...{ title: "t", idle: undefined, last: told.run.position, critical: ["T001"], told: toldBy(told.entries) },
});

function failedRun(): Told {
  const told = new Told();
  told.submit({ kind: "claim", holder, alive: false, runMs: 0 });
  told.submit({ kind: "drive", slots: 2, runMs: 0 });
  told.answer("T001");
  told.submit({
    kind: "record-usage",
    task: "T001",
    agent: "claude",
    inputTokens: 10,
    outputTokens: 5,
    costUsd: null,
  });
  told.answer("T001", red);
  return told;
}

const order = (more: Partial<Order>): Order => ({ do: "halt", seen: 0, ...more });

describe("the page's model", () => {
  it("U4 shows a run with its tasks, their states, the steel thread, and an unknown cost as unknown", () => {
    const told = failedRun();
    const page = runPage(told.run, around(told));
    expect(page.tasks.map(({ id, status, steel }) => [id, status, steel])).toEqual([
      ["T001", "failed", true],
      ["T002", "blocked", false],
      ["T003", "blocked", false],
    ]);
    expect(page.tasks[0]).toMatchObject({ agent: "claude", costUsd: null, attempts: 1 });
    expect(page.usage).toMatchObject({ costUsd: null, unknownCosts: 1 });
    expect(page.counts).toMatchObject({ failed: 1, blocked: 2 });
    expect(page.phases.find(({ state }) => state === "current")?.name).toBe("executing");
  });

  it("U4 lists what needs a person, with what can be done there: failed tasks, questions, budgets", () => {
    const told = failedRun();
    const [failed] = inboxOf(told.run, nothingBeside);
    expect(failed).toMatchObject({
      id: "failed:T001",
      task: "T001",
      text: "test: <script>alert(1)</script>",
    });
    expect(failed?.actions.map((each) => each.do)).toEqual(["retry", "skip"]);
    told.submit({ kind: "ask", id: "q1", text: "Which?", options: ["a"], about: "T002" });
    told.submit({ kind: "halt", reason: "look", code: "operator" });
    const items = inboxOf(told.run, nothingBeside);
    expect(items.map(({ kind }) => kind).sort()).toEqual(["halt", "question"]);
    expect(items.find(({ kind }) => kind === "question")).toMatchObject({ options: ["a"], task: "T002" });
  });

  it("U4 has no inbox of tasks that failed while an orchestrator goes on", () => {
    expect(inboxOf(failedRun().run, { ...nothingBeside, isHeld: true })).toEqual([]);
  });

  it("U4 asks for a decision about a task that is reviewed and tested, and has none while somebody works", () => {
    const choices = lifecycle.own?.choices;
    const run = { ...failedRun().run, protocol: lifecycle, phase: "accept", id: "task-1" } as Run;
    // Nothing in it is usable: the rules lead back, and nobody is asked.
    expect(choices?.(run)).toEqual([]);
    expect(wordsOf(run, order({ do: "accept" }))).toMatchObject({ code: "no-choice" });
  });

  it("U4 says on every page of a run that agents run without a sandbox", () => {
    const told = failedRun();
    told.submit({ kind: "describe", metadata: { unconfined: true } });
    expect(runPage(told.run, around(told)).notices?.[0]).toContain("UNCONFINED");
    told.submit({ kind: "describe", metadata: { unconfined: false, openNetwork: true } });
    expect(runPage(told.run, around(told)).notices?.[0]).toContain("OPEN NETWORK");
  });

  it("U4 shows who drives a run, who stands by, and each machine and worker with what it works on", () => {
    const told = failedRun();
    const there = { standing: "there", asked: 1, failures: 0, reason: "", notBeforeMs: 0 } as const;
    const machines = [
      { ...there, name: "mill", slots: 1, labels: [], standing: "away", reason: "no route" },
      { ...there, name: "barn", slots: 4, labels: ["gpu"], joins: true },
    ] as const;
    told.run.fleet = { here: { slots: 1, labels: [] }, wants: {}, machines };
    const beside = { ...nothingBeside, isHeld: true, standingBy: [{ pid: 77, host: "shed" }] };
    const shown = (page: RunPage) => page.places?.map(({ kind, name, status }) => [kind, name, status]);
    expect(shown(runPage(told.run, { ...around(told), ...beside }))).toEqual([
      ["coordinator", `process ${holder.pid} on ${holder.host}`, "coordinates"],
      ["coordinator", "process 77 on shed", "stands by"],
      ["machine", "mill", "away"],
      ["worker", "barn", "there"],
    ]);
    expect(shown(runPage(told.run, around(told)))?.map(([, name]) => name)).toEqual(["mill", "barn"]);
  });

  it("U4 offers nothing in a replay", () => {
    const told = failedRun();
    const page = runPage(told.run, { ...around(told), last: told.run.position + 5 });
    expect(page.actions).toEqual([]);
    expect(page.inbox.flatMap(({ actions }) => actions)).toEqual([]);
  });

  it("U4 shows one task with why it stands there, its attempts and its history", () => {
    const told = failedRun();
    const files = { description: null, transcripts: new Set([1]), diffs: new Map() };
    const entries = told.entries.filter(({ fact }) => "task" in fact && fact.task === "T001");
    const task = taskOf(told.run, "T001");
    const known = { agents: new Map([["T001-1", "claude"]]), claims: new Map(), diffs: new Map() };
    const [document] = taskReports(told.run, [task], { ...known, entries });
    if (!document) throw new Error("bug: no report of T001");
    const page = taskPage(told.run, task, {
      ...{ entries, files, document },
      ...{ told: toldBy(told.entries), idle: undefined, isPast: false },
    });
    expect(page.why[0]).toContain("attempt 1 failed (test)");
    expect(page.attempts).toMatchObject([
      { number: 1, agent: "claude", outcome: "failed", transcript: true },
    ]);
    expect(page.command).toContain("state retry-task T001 --force");
    expect(page.actions.find((each) => each.do === "retry")).toMatchObject({ grave: true });
  });

  it("U4 draws attempts as bars, none of one seat over another, and sums what they used", () => {
    const told = failedRun();
    const { seats, marks } = timelinePage(told.run, told.entries, toldBy([]));
    expect(seats.flatMap(({ bars }) => bars)).toMatchObject([
      { task: "T001", outcome: "failed", attempt: 1 },
    ]);
    expect(seats[0]?.name).toBe("claude");
    expect(marks.some(({ kind }) => kind === "epoch-claimed")).toBe(true);
    const money = moneyPage(told.run, told.entries);
    expect(money.byTask).toMatchObject([{ name: "T001", calls: 1, costUsd: null, unknownCosts: 1 }]);
    expect(money.byRole).toMatchObject([{ name: "task-executor" }]);
    expect(momentsPage(told.entries, told.run.position).moments.at(-1)?.text).toContain("T001");
  });

  it("U4 makes an order what a person would type, and no words of theirs a flag", () => {
    const { run } = failedRun();
    expect(wordsOf(run, order({ do: "halt", words: "--now" }))).toEqual(["halt", "--", "--now"]);
    expect(wordsOf(run, order({ do: "retry", task: "T001", words: "use it" }))).toEqual([
      ...["state", "retry-task", "T001", "--force", "--advice=use it"],
    ]);
    expect(wordsOf(run, order({ do: "skip", task: "T001" }))).toMatchObject({ code: "missing-words" });
    expect(wordsOf(run, order({ do: "answer", id: "question:q1", words: "a" }))).toEqual([
      ...["answer", "--", "q1", "a"],
    ]);
    expect(orderIn({ do: "drop-all", seen: 1 })).toBeUndefined();
    expect(orderIn({ do: "halt" })).toBeUndefined();
    expect(orderIn({ do: "comment", seen: 1, at: { path: "a", line: "2" } })).toBeUndefined();
    expect(orderIn({ do: "comment", seen: 1, at: null })).toBeUndefined();
  });

  it("U4 knows an order about something that has changed since from one about something else", () => {
    const { entries } = failedRun();
    expect(staleness(order({ do: "skip", task: "T001" }), entries)?.message).toContain(
      "changed since you looked",
    );
    expect(staleness(order({ do: "skip", task: "T003" }), entries)).toBeUndefined();
  });

  it("U4 keeps a comment on a line as an answer that the next attempt is given", () => {
    const told = failedRun();
    for (const input of commenting({ task: "T001", text: "leaks", at: { path: "src/a b.ts", line: 7 } }, 1))
      told.submit(input);
    const [question] = told.run.questions;
    expect(question && commentOf(question)).toMatchObject({ path: "src/a b.ts", line: 7, text: "leaks" });
    expect(question).toMatchObject({ about: "T001", answer: "leaks" });
  });
});
