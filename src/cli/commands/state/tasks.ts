// `heddle state …-task`: what a host's own loop does with tasks (X12, X20). Their lines are read by scripts.
import { join } from "node:path";
import { type Call, type Command, type Reply, Usage } from "../../../command/command.ts";
import { numberOf } from "../../../command/parse.ts";
import { toCall } from "../../../core/hint.ts";
import { failureCategories } from "../../../core/outcome.ts";
import { problem } from "../../../core/problem.ts";
import { readyTasks as readyIn } from "../../../core/table.ts";
import type { App } from "../../../engine/app.ts";
import { readIfThere } from "../../../host/files.ts";
import type { Undone } from "../../../hostloop/attempt-files.ts";

const id = { name: "id", about: "a task id" } as const;
const attemptFlag = {
  attempt: { about: "only if this attempt is the one that runs (X17)", takes: "N" },
} as const;

function attemptOf({ flags }: Pick<Call, "flags">): number | undefined {
  const text = flags.one("attempt");
  return text === undefined ? undefined : numberOf(text, "--attempt", { least: 1, whole: true });
}

/** What was done to the files of an attempt, in lines. */
const undoneLines = ({ restored, deleted, left, aside }: Undone) => [
  ...(restored.length > 0 ? [`  put back: ${restored.join(", ")}`] : []),
  ...(deleted.length > 0 ? [`  taken away: ${deleted.join(", ")}`] : []),
  ...(left.length > 0 ? [`  left as it is, too large to be copied: ${left.join(", ")}`] : []),
  ...(aside === null ? [] : [`  what was there is kept at ${aside}`]),
];

export const readyTasks: Command = {
  name: "state ready-tasks",
  summary: "list the tasks that can start, best first",
  group: "state",
  flags: { limit: { about: "only the first N", takes: "N" } },
  examples: ["heddle state ready-tasks", "heddle state ready-tasks --limit 1 | cut -d: -f1"],
  run: async ({ app, flags }) => {
    const most = flags.one("limit");
    const limit = most === undefined ? undefined : numberOf(most, "--limit", { least: 1, whole: true });
    const tasks = await (await app()).look((run) =>
      Array.from(readyIn(run.tasks, limit), ({ def: { id, name, phase } }) => ({ id, name, phase })),
    );
    const lines = tasks.map(({ id, name, phase }) => `${id}: ${name} (phase ${phase})`);
    return { text: lines.join("\n"), json: tasks };
  },
};

export const startTask: Command = {
  name: "state start-task",
  summary: "mark a ready task as running; a failed one is retried",
  group: "state",
  args: [id],
  flags: { force: { about: "also a task that failed for good" } },
  examples: ["heddle state start-task T001"],
  run: async ({ app, args: [task = ""], flags }) => {
    const { startTask: start } = await import("../../../hostloop/attempt-files.ts");
    const { entries } = await start(await app(), { kind: "start", task, force: flags.has("force") });
    const started = entries.map((entry) => entry.fact).find((fact) => fact.kind === "task-started");
    const attempt = started?.attempt ?? 1;
    return { text: `Task ${task} started (attempt ${attempt})`, json: { task, status: "running", attempt } };
  },
};

export const completeTask: Command = {
  name: "state complete-task",
  summary: "claim that a running task is complete; heddle marks it as unverified",
  group: "state",
  args: [id],
  flags: {
    created: { about: "files that were created", takes: "FILE", many: true },
    modified: { about: "files that were modified", takes: "FILE", many: true },
    verify: { about: "run its acceptance commands in the target first, boxed, and refuse when one is red" },
    ...attemptFlag,
  },
  examples: [
    "heddle state complete-task T001 --created src/a.ts test/a.test.ts --modified src/index.ts",
    "heddle state complete-task T001 --attempt 2",
  ],
  run: async ({ app, args: [task = ""], flags }) => {
    const [created, modified] = [flags.all("created"), flags.all("modified")];
    const attempt = attemptOf({ flags });
    const evidence = await evidenceFor(await app(), task, flags.has("verify"));
    await (await app()).submit({ kind: "complete", task, attempt, created, modified, evidence });
    return {
      text: `Task ${task} completed`,
      json: { task, status: "complete", verified: (evidence?.checks.length ?? 0) > 0, created, modified },
    };
  },
};

/** A project may make it the rule. Reading the whole configuration takes long, so a look at its text comes first. */
async function evidenceFor(app: App, task: string, asked: boolean) {
  const settings = asked ? "" : (readIfThere(join(app.paths.heddle, "config.json")) ?? "");
  if (!asked && !settings.includes("verifyClaims")) return undefined;
  const { verifyClaim } = await import("../../../hostloop/verify-claim.ts");
  return verifyClaim(app, task, asked);
}

export const failTask: Command = {
  name: "state fail-task",
  summary: "mark a running task as failed; everything that waits for it is blocked",
  group: "state",
  args: [id, { name: "error", about: "what went wrong", many: true, text: true }],
  flags: {
    category: { about: "the kind of failure", takes: "KIND", choices: failureCategories },
    subcategory: { about: "a word of your own", takes: "WORD", text: true },
    retryable: { about: "it may be tried again (the default)" },
    "no-retry": { about: "it failed for good" },
    keep: { about: "leave the task's files as they are, instead of putting them back" },
    ...attemptFlag,
  },
  examples: [
    'heddle state fail-task T001 "tests are red" --category test',
    "heddle state fail-task T001 broken --no-retry",
  ],
  run: async ({ app, args: [task = "", ...words], flags }) => {
    if (flags.has("retryable") && flags.has("no-retry"))
      throw new Usage(
        problem("contradiction", "`--retryable` and `--no-retry` contradict each other", {
          hint: toCall(`state fail-task ${task} "<why>" --no-retry`),
        }),
      );
    const error = words.join(" ");
    const category = flags.one("category") ?? "unknown";
    const retryable = !flags.has("no-retry");
    const subcategory = flags.one("subcategory") ?? null;
    const attempt = attemptOf({ flags });
    const { failTask: fail } = await import("../../../hostloop/attempt-files.ts");
    const input = { kind: "fail", task, attempt, error, category, subcategory, retryable } as const;
    const { blocked, ...undone } = await fail(await app(), input, { keep: flags.has("keep") });
    const lines = [
      `Task ${task} failed: ${error}`,
      ...undoneLines(undone),
      ...(blocked > 0 ? [`  ${blocked} task${blocked === 1 ? " is" : "s are"} blocked`] : []),
    ];
    return {
      text: lines.join("\n"),
      json: { task, status: "failed", error, category, retryable, ...undone, blocked },
    };
  },
};

export const retryTask: Command = {
  name: "state retry-task",
  summary: "set a failed, blocked or orphaned task back to pending",
  group: "state",
  args: [id],
  flags: {
    force: { about: "also a task that failed for good" },
    keep: { about: "leave an orphan's files as they are, instead of putting them back" },
    advice: { about: "what the next attempt should know", takes: "TEXT", text: true },
  },
  examples: [
    "heddle state retry-task T001",
    'heddle state retry-task T001 --advice "use the parser that is there"',
  ],
  run: async ({ app, args: [task = ""], flags }): Promise<Reply> => {
    const { retryTask: retry } = await import("../../../hostloop/attempt-files.ts");
    const input = { kind: "retry", task, force: flags.has("force") } as const;
    const advice = flags.one("advice")?.trim() ?? "";
    // Before the task is open again: an orchestrator that runs begins the next attempt at once.
    if (advice !== "")
      await (await import("../../comment.ts")).comment(await app(), { task, text: advice, at: null });
    const { retried, ...undone } = await retry(await app(), input, { keep: flags.has("keep") });
    const instead = retried.includes(task) ? "" : `: ${retried.join(", ")} will be tried again in its place`;
    const lines = [`Task ${task} reset for retry${instead}`, ...undoneLines(undone)];
    return { text: lines.join("\n"), json: { task, retried, ...undone } };
  },
};

export const skipTask: Command = {
  name: "state skip-task",
  summary: "leave a task out; what waits for it goes on without it",
  group: "state",
  args: [id, { name: "reason", about: "why", optional: true, many: true, text: true }],
  examples: ['heddle state skip-task T009 "done by hand"'],
  run: async ({ app, args: [task = "", ...words] }) => {
    const reason = words.join(" ") || "skipped by the operator";
    await (await app()).submit({ kind: "skip", task, reason });
    return { text: `Task ${task} skipped: ${reason}`, json: { task, status: "skipped", reason } };
  },
};
