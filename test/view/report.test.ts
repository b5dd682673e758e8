// X19: what the reports always say, and what they never do.
import { expect, it } from "vitest";
import { reportDocument } from "../../src/view/report/report.ts";
import { reportMarkdown } from "../../src/view/report/report-md.ts";
import { executionSummary } from "../../src/view/report/summary.ts";
import { statusDocument } from "../../src/view/status.ts";
import { Conversation } from "../core/plan.ts";

const nothing = {
  agents: new Map(),
  claims: new Map(),
  diffs: new Map(),
  entries: [],
  writtenAt: "2026-01-01T00:00:00Z",
};

it("X19 says in every form that agents ran unconfined", () => {
  const talk = Conversation.ready("T001");
  const quiet = reportDocument(talk.run, nothing);
  expect(reportMarkdown(quiet) + JSON.stringify(executionSummary(quiet))).not.toContain("UNCONFINED");
  talk.submit({ kind: "describe", metadata: { unconfined: true } });
  const loud = reportDocument(talk.run, nothing);
  expect(loud.unconfined).toBe(true);
  expect(reportMarkdown(loud)).toContain("UNCONFINED");
  expect(executionSummary(loud).warnings).toEqual([expect.stringContaining("UNCONFINED")]);
});

it("U11 says in every form that agents had the whole network", () => {
  const talk = Conversation.ready("T001");
  expect(statusDocument(talk.run, { stopFile: false })).toMatchObject({ open_network: false });
  talk.submit({ kind: "describe", metadata: { openNetwork: true } });
  const loud = reportDocument(talk.run, nothing);
  expect(loud).toMatchObject({ unconfined: false, open_network: true });
  expect(reportMarkdown(loud)).toContain("OPEN NETWORK");
  expect(executionSummary(loud).warnings).toEqual([expect.stringContaining("OPEN NETWORK")]);
  expect(statusDocument(talk.run, { stopFile: false })).toMatchObject({ open_network: true });
});

it("X19 shows what an agent claimed to have passed and did not", () => {
  const talk = Conversation.ready("T001");
  const at = "2026-01-01T00:00:00.000Z";
  const attempt = { task: "T001", attempt: 1 };
  const check = {
    criterion: "it works",
    command: "make test",
    ok: false,
    exit: 2,
    ms: 3,
    digest: "d",
    log: "l",
    note: null,
  };
  const document = reportDocument(talk.run, {
    ...nothing,
    claims: new Map([["T001-1", { status: "success", created: [], modified: [], passed: ["make test"] }]]),
    entries: [
      {
        position: 1,
        at,
        by: "x",
        fact: { kind: "task-started", ...attempt, driver: "engine", runMs: 0, dueMs: null },
      },
      { position: 2, at, by: "x", fact: { kind: "checks-recorded", ...attempt, tree: "t", checks: [check] } },
    ],
  });
  expect(document.tasks[0]?.attempts[0]?.differences).toEqual([
    "says that `make test` passed, and it did not",
  ]);
});

it("X19 says that no agent reported the cost, where none did", () => {
  const document = reportDocument(Conversation.ready("T001").run, nothing);
  expect(document.usage.cost_usd).toBeNull();
  expect(reportMarkdown(document)).toContain("| Used | unknown: no agent reported it |");
});

it("X25 names both logs of a red command, where both streams have something", () => {
  const document = reportDocument(Conversation.ready("T001").run, nothing);
  const red = {
    ...{ criterion: "it works", command: "make test", ok: false, exit: 2, ms: 3, tree: "t", note: null },
    ...{ log: "/logs/1.err", log_beside: "/logs/1.out", output: "red" },
  };
  const [task] = document.tasks;
  if (!task) throw new Error("there is a task");
  const told = { ...document, tasks: [{ ...task, status: "failed", criteria: [red] }] } as typeof document;
  expect(reportMarkdown(told)).toContain("`/logs/1.err` and `/logs/1.out`");
});
