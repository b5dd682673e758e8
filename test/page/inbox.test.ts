// U4: every kind of thing that needs a person, in the inbox of real journals, each with what can be done about it there.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Input } from "../../src/core/input.ts";
import type { App } from "../../src/engine/app.ts";
import type { InboxItem } from "../../src/page/model.ts";
import { Page, readyProject } from "./rig.ts";

async function inboxAfter(app: App, ...inputs: Input[]): Promise<{ page: Page; items: InboxItem[] }> {
  for (const input of inputs) await app.submit(input);
  const page = await (await Page.open(app)).begin();
  return { page, items: (await page.read("/api/project")).json.inbox };
}

const short = ({ kind, actions }: InboxItem) => [kind, ...actions.map((each) => each.do)];

it.each([
  ["operator", "halt", ["resume"]],
  ["budget", "budget", ["raise-budget"]],
  ["agent", "agent", ["resume"]],
  ["baseline", "halt", ["resume", "override"]],
] as const)("U4 shows a halt by %s in the inbox as %s, with its way on", async (code, kind, ways) => {
  const app = await readyProject("T001");
  // As the core records it when money, the agents or the base stand in the way.
  await app.journal.transact({ run: "plan-1" }, "engine", ({ record }) => {
    record({ kind: "halt-requested", code, reason: "it <b>must</b> stop", now: false });
    return [];
  });
  const { page, items } = await inboxAfter(app);
  expect(items.map(short)).toEqual([[kind, ...ways]]);
  expect(items[0]?.title).toContain("it <b>must</b> stop");
  expect(items[0]?.text).toContain("To go on: ");
  const { position: seen } = (await page.read("/api/runs/plan-1")).json;
  const [first] = ways;
  const amount = first === "raise-budget" ? { amountUsd: 40 } : {};
  const done = await page.order("plan-1", { do: first, ...amount, seen });
  expect([done.status, done.json.problem]).toEqual([200, undefined]);
  expect((await page.read("/api/project")).json.inbox).toEqual([]);
});

/** A plan that was judged: with a verdict, its summary and its notes. */
const judged = (verdict: string): Input => ({
  ...{ kind: "register", artifact: "task_validation", path: "artifacts/task-validation.json", digest: "d1" },
  ...{ inputs: {}, valid: true, problems: [] },
  content: { verdict, summary: "T001 is <b>too large</b>", issues: ["T001 has no test"], dimensions: true },
});

async function judgedProject(verdict: string, phases: readonly string[]): Promise<App> {
  const app = await readyProject("T001", undefined, ["logical", "physical", "definition", "validation"]);
  await app.submit(judged(verdict));
  for (const to of phases) await app.submit({ kind: "override", reason: "test", to, digests: {} });
  return app;
}

it("U4 D14 shows a BLOCKED verdict with its notes in the inbox, and a person overrides it there with a reason", async () => {
  const { page, items } = await inboxAfter(await judgedProject("BLOCKED", []));
  expect(items.map(short)).toEqual([["approval", "override"]]);
  expect(items[0]).toMatchObject({ title: "the plan is blocked by its verdict" });
  expect(items[0]?.text.split("\n").slice(0, 2)).toEqual([
    "Verdict: BLOCKED: T001 is <b>too large</b>",
    "T001 has no test",
  ]);
  const run = (await page.read("/api/runs/plan-1")).json;
  const rows: { name: string; said: string[] }[] = run.documents;
  expect(rows.find(({ name }) => name === "task validation")?.said).toContain("T001 has no test");
  const order = { do: "override", id: items[0]?.id, to: items[0]?.actions[0]?.to, seen: run.position };
  expect((await page.order("plan-1", order)).json.problem).toBe("the reason is missing");
  const done = await page.order("plan-1", { ...order, words: "it is small enough" });
  expect([done.status, done.json.problem]).toEqual([200, undefined]);
  expect((await page.read("/api/runs/plan-1")).json.phase).toBe("sequencing");
});

it("U4 D12 shows what was noted of a plan that is ready, until it is executed", async () => {
  const { page, items } = await inboxAfter(await judgedProject("READY_WITH_NOTES", ["sequencing", "ready"]));
  expect(items.map(short)).toEqual([["approval"]]);
  expect(items[0]?.title).toBe("The plan is ready, with notes");
  expect(items[0]?.text.split("\n")).toEqual([
    "Verdict: READY_WITH_NOTES: T001 is <b>too large</b>",
    "T001 has no test",
    "To go on: heddle execute",
  ]);
  await page.served.close();
  const { items: others } = await inboxAfter(await judgedProject("READY", ["sequencing", "ready"]));
  expect(others).toEqual([]);
});

it("U4 takes any answer to a question, its own options or not, and lists the oldest first", async () => {
  const app = await readyProject("T001\nT002");
  const ask = (id: string, about: string): Input => ({
    ...{ kind: "ask", id, text: `Which for ${about}?`, options: ["a", "b"], about },
  });
  const { page, items } = await inboxAfter(app, ask("q1", "T002"), ask("q2", "T001"));
  expect(items.map(({ id, task }) => [id, task])).toEqual([
    ["question:q1", "T002"],
    ["question:q2", "T001"],
  ]);
  const { position: seen } = (await page.read("/api/runs/plan-1")).json;
  const order = { do: "answer", id: "question:q1", words: "neither, use <script>", seen };
  expect((await page.order("plan-1", order)).status).toBe(200);
  const answered = (await app.history()).find(({ fact }) => fact.kind === "question-answered");
  expect(answered).toMatchObject({ by: "operator", fact: { id: "q1", answer: "neither, use <script>" } });
  expect((await page.read("/api/project")).json.inbox.map(({ id }: InboxItem) => id)).toEqual([
    "question:q2",
  ]);
});

it("U4 shows a view that was edited beside a question and a halt, and adopts nothing without a reason", async () => {
  const app = await readyProject("T001");
  await app.submit({ kind: "ask", id: "q1", text: "Which?", options: [], about: "T001" });
  await app.submit({ kind: "halt", reason: "look", code: "operator" });
  const edited = JSON.stringify({ run: "plan-1", phase: { current: "complete" }, tasks: {} });
  writeFileSync(join(app.paths.root, "project-planning/state.json"), edited);
  const { page, items } = await inboxAfter(app);
  expect(items.map(({ kind }) => kind).sort()).toEqual(["halt", "question", "view"]);
  const { position: seen } = (await page.read("/api/runs/plan-1")).json;
  const adopt = await page.order("plan-1", { do: "adopt-view", seen });
  expect([adopt.status, adopt.json.problem]).toEqual([422, "the reason is missing"]);
});
