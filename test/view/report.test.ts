// X19: what the reports always say, and what they never do.
import { expect, it } from "vitest";
import { reportDocument } from "../../src/view/report.ts";
import { reportHtml } from "../../src/view/report-html.ts";
import { reportMarkdown } from "../../src/view/report-md.ts";
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
  expect(reportMarkdown(quiet) + reportHtml(quiet)).not.toContain("UNCONFINED");
  talk.submit({ kind: "describe", metadata: { unconfined: true } });
  const loud = reportDocument(talk.run, nothing);
  expect(loud.unconfined).toBe(true);
  expect(reportMarkdown(loud)).toContain("UNCONFINED");
  expect(reportHtml(loud)).toContain("UNCONFINED");
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

it("X19 says that nothing was told of the cost, where nothing was", () => {
  const document = reportDocument(Conversation.ready("T001").run, nothing);
  expect(document.usage.cost_usd).toBeNull();
  expect(reportMarkdown(document)).toContain("| Used | unknown: nothing was told |");
});
