// Pages that were made up: a small run at work, a large one, a halted one, one about documents, and one whose every text is
// markup. Plain data by the page's model.
import type {
  CoveragePage,
  InboxItem,
  MoneyPage,
  MoneyRow,
  ProjectPage,
  ReportData,
  ReportPage,
  RunEntry,
  RunPage,
  TaskPage,
  TaskRow,
  TimelinePage,
} from "../../src/page/model.ts";

export const began = Date.parse("2026-11-16T09:00:00.000Z");
export const at = (seconds: number) => new Date(began + seconds * 1000).toISOString();

export const id = (number: number) => `T${String(number).padStart(3, "0")}`;

type Status = TaskRow["status"];
const names = [
  "Package, entry point and failures",
  "Notes and their tags",
  "The notebook on disk",
  "The command line and `notes add`",
  "`notes list`, newest first",
  "`notes search` with tags and words that may be long",
  "`notes remove`",
  "Markdown, CSV and JSON",
  "`notes export`",
  "Help and a page for people",
];

export function taskRow(number: number, more: Partial<TaskRow> = {}): TaskRow {
  const status = more.status ?? "pending";
  const isDone = status === "complete";
  const hasBegun = isDone || status === "running" || status === "failed";
  return {
    id: id(number),
    name: names[(number - 1) % names.length] ?? "",
    phase: 1 + Math.floor((number - 1) / 4),
    status,
    done: isDone ? "verified" : null,
    stage: status === "running" ? "working" : null,
    dependsOn: [],
    steel: number % 5 === 1,
    tags: number % 3 === 0 ? ["storage"] : number % 3 === 1 ? ["cli"] : [],
    agent: hasBegun ? (number % 2 === 0 ? "claude" : "codex") : null,
    attempts: hasBegun ? 1 + Number(number % 4 === 0) : 0,
    startedAt: hasBegun ? at(number * 30) : null,
    completedAt: isDone ? at(number * 30 + 95) : null,
    costUsd: hasBegun ? number * 0.07 : null,
    ...more,
  };
}

const stateOf = (number: number): Status =>
  number <= 4
    ? "complete"
    : number <= 6
      ? "running"
      : number === 7
        ? "failed"
        : number === 9
          ? "blocked"
          : number === 10
            ? "skipped"
            : "pending";

export const smallTasks = (): TaskRow[] =>
  names.map((_, index) => {
    const number = index + 1;
    const dependsOn =
      number === 1
        ? []
        : number <= 3
          ? [id(1)]
          : number === 4
            ? [id(2), id(3)]
            : number === 9
              ? [id(7), id(8)]
              : [id(4)];
    return taskRow(number, { status: stateOf(number), dependsOn, ...(number === 3 && { done: "claimed" }) });
  });

/** As wide as it is long: each needs one or two of those some forty before it. */
export function manyTasks(count: number): TaskRow[] {
  const all: Status[] = ["pending", "pending", "blocked", "pending", "failed", "skipped"];
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const before = number - 40 - (number % 7);
    const dependsOn =
      before < 1 ? [] : number % 5 < 2 ? [id(before), id(Math.max(1, before - 11))] : [id(before)];
    const status =
      number <= count * 0.45
        ? "complete"
        : number <= count * 0.45 + 24
          ? "running"
          : (all[number % all.length] ?? "pending");
    return taskRow(number, {
      status,
      dependsOn,
      name: `${names[index % 10]} (${number})`,
      phase: 1 + Math.floor(number / 1000),
    });
  });
}

export function runPage(name: string, tasks: readonly TaskRow[], more: Partial<RunPage> = {}): RunPage {
  const counts = { pending: 0, running: 0, complete: 0, failed: 0, blocked: 0, skipped: 0 };
  for (const { status } of tasks) counts[status]++;
  return {
    id: name,
    protocol: "decomposition",
    title: "Notes: a notebook for the command line",
    position: 42,
    last: 42,
    at: at(400),
    standing: "working",
    stopped: null,
    phase: "executing",
    phases: [
      "ingestion",
      "logical",
      "physical",
      "definition",
      "validation",
      "sequencing",
      "ready",
      "executing",
      "complete",
    ].map((phase, index) => ({
      name: phase,
      state: index < 7 ? "done" : index === 7 ? "current" : "ahead",
      detail: null,
    })),
    round: 0,
    createdAt: at(0),
    updatedAt: at(400),
    targetDir: "/home/ada/notes",
    counts,
    unverified: 1,
    usage: { inputTokens: 812_340, outputTokens: 91_200, costUsd: 4.21, unknownCosts: 1, budgetUsd: 20 },
    inbox: [],
    actions: [
      {
        do: "halt",
        label: "Halt",
        words: "optional",
        asks: "Why it is halted",
        command: `heddle halt --run ${name}`,
      },
    ],
    tasks,
    critical: [id(1), id(2), id(4), id(6)].filter((each) => tasks.some((row) => row.id === each)),
    documents: [],
    actors: [],
    landed: null,
    ...more,
  };
}

export const items = (run: string): InboxItem[] => [
  {
    run,
    id: "q-1",
    kind: "question",
    task: id(5),
    since: at(100),
    title: "Should `notes list` show archived notes?",
    text: "The specification says that archived notes are kept, and nothing of whether they are listed.",
    options: ["Show them", "Hide them", "Hide them unless --all is given"],
    actions: [{ do: "answer", label: "Answer", words: "required", command: "heddle answer q-1 …" }],
  },
  {
    run,
    id: "a-1",
    kind: "approval",
    task: id(7),
    since: at(160),
    title: "T007 changed how it is judged",
    text: "test/remove.test.js was changed; its acceptance commands run it.",
    options: [],
    actions: [
      { do: "accept", label: "Accept", words: "optional", asks: "A note", command: "heddle accept T007" },
      { do: "revise", label: "Ask for changes", words: "required", asks: "What should change" },
      {
        do: "override",
        label: "Override the check",
        words: "required",
        asks: "Why the check is wrong",
        grave: true,
      },
    ],
  },
  {
    run,
    id: "b-1",
    kind: "budget",
    task: null,
    since: at(220),
    title: "80 % of the budget is used",
    text: "$16.02 of $20.00.",
    options: [],
    actions: [{ do: "raise-budget", label: "Raise the budget", words: "none", command: "heddle budget 40" }],
  },
];

const patch = `diff --git a/src/list.js b/src/list.js
index 1b2..3c4 100644
--- a/src/list.js
+++ b/src/list.js
@@ -1,6 +1,8 @@ import { open } from "./book.js";
 // What \`notes list\` prints.
 import { open } from "./book.js";
-export function list(book) {
-  return book.notes;
+export function list(book, { all = false } = {}) {
+  const notes = all ? book.notes : book.notes.filter((note) => !note.archived);
+  // The newest one first.
+  return notes.sort((a, b) => b.at - a.at).slice(0, 50);
 }
 export const count = 12;
diff --git a/test/list.test.js b/test/list.test.js
new file mode 100644
--- /dev/null
+++ b/test/list.test.js
@@ -0,0 +1,3 @@
+import { test } from "node:test";
+
+test("lists", () => {});
`;

export function taskPage(run: RunPage, task: string): TaskPage | null {
  const row = run.tasks.find((each) => each.id === task);
  if (!row) return null;
  const checks = [
    {
      criterion: "Lists the newest first",
      command: "node --test test/list.test.js",
      result: "passed",
      exit: 0,
      ms: 812,
      tree: "9f3c2a77d01b",
      note: null,
      output: null,
      logs: [],
    },
    {
      criterion: "Fails with a clear sentence",
      command: "node --test test/failure.test.js",
      result: "failed",
      exit: 1,
      ms: 640,
      tree: "9f3c2a77d01b",
      note: "green before it",
      output: "not ok 1 - fails\n  expected: 2\n  actual: 1\n",
      logs: ["/home/ada/notes/.heddle/attempts/plan-1/T005-1/checks/1.out"],
    },
    {
      criterion: "The whole suite stays green",
      command: "npm test",
      result: "not-run",
      exit: null,
      ms: null,
      tree: null,
      note: null,
      output: null,
      logs: [],
    },
  ] as const;
  const diff = {
    files: [
      { path: "src/list.js", added: 4, removed: 2 },
      { path: "test/list.test.js", added: 3, removed: 0 },
    ],
    text: patch,
    cut: false,
  };
  const begins = row.startedAt ?? at(0);
  return {
    row,
    description: "Prints the notes, the newest first.\nArchived notes are left out unless `--all` is given.",
    files: [
      { path: "src/list.js", action: "modify" },
      { path: "test/list.test.js", action: "create" },
    ],
    neededBy: run.tasks.filter(({ dependsOn }) => dependsOn.includes(task)).map((each) => each.id),
    why: [
      `${task} is ${row.status}: attempt 2 of 3 is under way with \`claude\`.`,
      "The first attempt failed its checks.",
    ],
    command: `heddle why ${task}`,
    plan: null,
    outcome: row.status === "complete" ? "complete, verified by heddle, 9f3c2a77d01b" : row.status,
    ms: row.startedAt && row.completedAt ? Date.parse(row.completedAt) - Date.parse(row.startedAt) : null,
    notes: ["it changed package.json, which decides how it is judged"],
    criteria: checks,
    attempts:
      row.attempts === 0
        ? []
        : [
            {
              number: 1,
              agent: "codex",
              startedAt: begins,
              endedAt: at(300),
              outcome: "failed",
              category: "test",
              error: "checks-failed: `node --test test/failure.test.js` exited with code 1",
              claim: "success: 1 created, 1 modified",
              refused: ["network: the task names no host"],
              logged: [{ level: "WARN", text: "tests: two are slow" }],
              stages: [
                { stage: "preparing", ms: 2100 },
                { stage: "working", ms: 61_000 },
                { stage: "checking", ms: 3200 },
              ],
              differences: ["says that `npm test` passed, and it did not"],
              checks,
              transcript: true,
              diff,
            },
            {
              number: 2,
              agent: "claude",
              startedAt: at(310),
              endedAt: null,
              outcome: "running",
              category: null,
              error: null,
              claim: null,
              refused: [],
              logged: [],
              stages: [{ stage: "preparing", ms: 1900 }],
              differences: [],
              checks: [],
              transcript: true,
              diff: null,
            },
          ],
    diff,
    usage: { inputTokens: 120_000, outputTokens: 9_000, costUsd: 0.61, unknownCosts: 1, budgetUsd: null },
    history: [
      { position: 20, at: at(150), by: "engine", text: `${task} begins: attempt 1` },
      {
        position: 31,
        at: at(300),
        by: "engine",
        text: `${task}: attempt 1 failed (checks-failed); retrying`,
      },
      { position: 33, at: at(310), by: "engine", text: `${task} begins: attempt 2` },
    ],
    comments: [
      { path: "src/list.js", line: 4, text: "Sorts in place: copy it first.", by: "ada", at: at(320) },
    ],
    actions: [
      {
        do: "retry",
        label: "Retry",
        words: "optional",
        asks: "Advice for the next attempt",
        command: `heddle retry ${task}`,
      },
      { do: "skip", label: "Skip", words: "required", asks: "Why it is skipped", grave: true },
      { do: "undo", label: "Undo", words: "required", asks: "Why it is undone", grave: true },
      {
        do: "comment",
        label: "Comment",
        words: "required",
        asks: "A comment that the next attempt is given",
      },
    ],
  };
}

export function timelinePage(run: RunPage): TimelinePage {
  const seats = ["seat 1", "seat 2", "seat 3"].map((name, seat) => ({
    name,
    bars: run.tasks
      .filter(({ startedAt }, index) => startedAt !== null && index % 3 === seat)
      .map((row, index) => {
        // The person was away for two hours in between.
        const from = index * 140 + seat * 11 + (index >= 2 ? 7200 : 0);
        const end = row.status === "running" ? null : at(from + 90 + seat * 12);
        return {
          task: row.id,
          attempt: 1,
          label: `${row.id} ${row.name}`,
          from: at(from),
          to: end,
          outcome:
            row.status === "running"
              ? ("running" as const)
              : row.status === "failed"
                ? ("failed" as const)
                : ("complete" as const),
          stages: [
            { stage: "preparing", from: at(from), to: at(from + 8) },
            { stage: "working", from: at(from + 8), to: end === null ? null : at(from + 70) },
            ...(end === null
              ? []
              : [
                  { stage: "checking", from: at(from + 70), to: at(from + 85) },
                  { stage: "integrating", from: at(from + 85), to: end },
                ]),
          ],
          estimateHours: 1 + (index % 3),
        };
      }),
  }));
  const last = seats
    .flatMap(({ bars }) => bars.map(({ to, from }) => to ?? from))
    .sort()
    .at(-1);
  const marks = [
    { at: at(95), kind: "task-merged", text: "T001 merged" },
    { at: at(7180), kind: "halt-requested", text: "halted by ada" },
  ];
  return { from: at(0), to: last ?? at(60), seats, marks: seats[0]?.bars.length ? marks : [] };
}

const money = (name: string, costUsd: number | null, unknownCosts = 0): MoneyRow => ({
  name,
  calls: 7,
  inputTokens: 210_300,
  outputTokens: 18_000,
  costUsd,
  unknownCosts,
});

export const moneyPage = (run: RunPage): MoneyPage => ({
  total: run.usage,
  byRole: [money("executor", 3.4), money("reviewer", 0.81, 1)],
  byAgent: [money("claude", 2.9), money("codex", 1.31, 1), money("local", null, 4)],
  byTask: run.tasks
    .filter(({ costUsd }) => costUsd !== null)
    .slice(0, 40)
    .map((row) => money(row.id, row.costUsd)),
  byDay: [money("2026-11-16", 4.21, 1)],
});

export const coveragePage = (run: RunPage): CoveragePage => ({
  specification: "# Notes\n\n- R1: A note has a text, tags and a time.\n",
  requirements: [
    {
      id: "R1",
      text: "A note has a text, tags and a time.",
      tasks: [id(2)],
      evidence: "proven",
      detail: null,
    },
    {
      id: "R2",
      text: "Notes are kept in one file, which a crash does not harm.",
      tasks: [id(3)],
      evidence: "claimed",
      detail: "T003 rests on its agent's word.",
    },
    {
      id: "R3",
      text: "`notes list` shows the newest first.",
      tasks: [id(5), id(6)],
      evidence: "open",
      detail: null,
    },
    {
      id: "R4",
      text: "`notes remove` asks before it removes.",
      tasks: [id(7)],
      evidence: "failed",
      detail: "test/remove.test.js fails.",
    },
    { id: "R5", text: "Notes can be read on a phone.", tasks: [], evidence: "uncovered", detail: null },
  ].filter(() => run.tasks.length > 0) as CoveragePage["requirements"],
});

export const entryOf = (run: RunPage): RunEntry => ({
  id: run.id,
  protocol: run.protocol,
  title: run.title,
  phase: run.phase,
  position: run.position,
  archived: false,
  standing: run.standing,
  needsYou: run.inbox.length,
  createdAt: run.createdAt,
  updatedAt: run.updatedAt,
});

const nothingMore = { reason: null, slots: null, labels: [], running: [] } as const;
const places: NonNullable<RunPage["places"]> = [
  { ...nothingMore, kind: "coordinator", name: "process 812 on loom", status: "coordinates" },
  { ...nothingMore, kind: "coordinator", name: "process 77 on shed", status: "stands by" },
  {
    ...{ kind: "worker", name: "barn", status: "there", reason: null, slots: 4, labels: ["gpu"] },
    running: [id(5), id(6)],
  },
  { ...nothingMore, kind: "machine", name: "ada@mill", status: "away", reason: "ssh: no route", slots: 1 },
];

export function madeRuns(): RunPage[] {
  return [
    runPage("plan-1", smallTasks(), { standing: "waiting", inbox: items("plan-1"), places }),
    runPage("plan-2", manyTasks(10_000), {
      title: "A large one: 10,000 tasks",
      critical: [id(40), id(83), id(126)],
    }),
    runPage("plan-3", smallTasks(), {
      title: "A halted one",
      standing: "halted",
      stopped: { why: "HALTED: the budget of $20.00 is used up", command: "heddle resume --run plan-3" },
      actions: [{ do: "resume", label: "Resume", words: "none", command: "heddle resume --run plan-3" }],
    }),
    runPage("life-1", [], {
      title: "Sort notes by relevance",
      protocol: "lifecycle",
      round: 2,
      phase: "review",
      phases: ["specify", "plan", "build", "review", "land"].map((name, index) => ({
        name,
        state: index < 3 ? "done" : index === 3 ? "current" : "ahead",
        detail: index === 3 ? "round 2" : null,
      })),
      documents: [
        {
          name: "specification",
          path: "docs/spec.md",
          state: "current",
          valid: true,
          problems: [],
          at: at(20),
        },
        {
          name: "findings",
          path: "docs/findings.json",
          state: "stale",
          valid: false,
          problems: ["`severity` of finding 2 is missing"],
          at: at(90),
        },
      ],
      actors: [
        { name: "architect", status: "done", attempts: 1, problems: [] },
        { name: "reviewer", status: "working", attempts: 2, problems: ["wrote no output in attempt 1"] },
      ],
    }),
  ];
}

export const projectPage = (runs: readonly RunPage[]): ProjectPage => ({
  name: "notes",
  root: "/home/ada/notes",
  version: "0.1.0",
  runs: runs.map(entryOf),
  inbox: runs.flatMap(({ inbox }) => inbox),
});

/** Every text of a page becomes something that would run, were it ever taken for markup. */
export function hostile<T>(value: T): T {
  const keep = /^(T\d+|plan-\d|[\d-]+T[\d:.]+Z)$/;
  const fixed = new Set([
    "status",
    "stage",
    "kind",
    "standing",
    "outcome",
    "result",
    "evidence",
    "state",
    "do",
    "words",
    "done",
    "run",
    "id",
    "task",
    "dependsOn",
    "text of diff",
  ]);
  const walk = (each: unknown, key: string): unknown => {
    if (typeof each === "string") {
      if (fixed.has(key) || keep.test(each)) return each;
      return key === "text" && each.startsWith("diff --git")
        ? each.replaceAll("notes", "<img src=x onerror=ran()>")
        : `${each.slice(0, 6)}<img src=x onerror="ran()"><script>ran()</script>\u202e javascript:ran()`;
    }
    if (Array.isArray(each)) return each.map((inner) => walk(inner, key));
    if (each !== null && typeof each === "object")
      return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, walk(inner, name)]));
    return each;
  };
  return walk(value, "") as T;
}

export function summaryPage(run: RunPage): ReportPage {
  const { complete, failed } = run.counts;
  return {
    headline: `Not finished: ${complete} of ${run.tasks.length} tasks done, ${failed} failed`,
    warnings: ["UNCONFINED: agents ran without a sandbox."],
    facts: [
      ["Run", `${run.id}, phase ${run.phase}`],
      ["Target", run.targetDir],
      ["Used", "1.2M tokens in, 300k out, at least $3.20 of $20 (2 calls of unknown cost)"],
      ["Branch", "heddle/plan-1 at 9f3c2a77d01b"],
    ],
    sections: [
      {
        title: "What is left",
        head: ["task", "is", "why", "what would help"],
        rows: [["T006", "failed", "attempt 2 failed (test)", { code: "heddle state retry-task T006" }]],
      },
      {
        title: "Overrides",
        head: ["when", "who", "task", "what", "why"],
        rows: [["2026-11-16 09:05:00 UTC", "ada", "T010", "skipped", "not needed for the first release"]],
      },
    ],
    difference: run.tasks.length === 0 ? patch : null,
    writtenAt: at(500),
  };
}

export function reportOf(run: RunPage): ReportData {
  return {
    writtenAt: at(500),
    project: projectPage([run]),
    run,
    report: summaryPage(run),
    leftOut: 0,
    tasks: Object.fromEntries(
      run.tasks.flatMap(({ id: name }) => {
        const page = taskPage(run, name);
        return page ? [[name, page]] : [];
      }),
    ),
    timeline: timelinePage(run),
    money: moneyPage(run),
    coverage: coveragePage(run),
  };
}
