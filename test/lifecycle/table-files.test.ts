// The table of the documents once more, with real files in a real task's folder: each phase with its artifact missing,
// of the wrong shape, negative and positive, with and without an override. What is expected is written down from the
// orchestrator's document (its sections 4, 6 and 7), not from the rules.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { type App, openApp, suggest } from "../../src/index.ts";
import { Lifecycle, plan } from "./rig.ts";

interface Case {
  /** What lies in the file; `null`: nothing does; `undefined`: what the phase itself left. */
  readonly file?: string | null;
  /** A phase to go to; `run`, `wait` or `end`. */
  readonly next: string;
  /** What reason or hint must name. */
  readonly names?: string;
}

interface Row {
  readonly phase: string;
  readonly artifact: string;
  readonly cases: Readonly<Record<string, Case>>;
  /** Where an override leads (section 6), and what is then asked for although the artifact is missing (section 7). */
  readonly forward: string | null;
  readonly afterwards: string;
}

const text = (value: unknown) => JSON.stringify(value);
const { title: _, ...untitled } = plan;

const table: readonly Row[] = [
  {
    phase: "planning",
    artifact: "planning/plan.json",
    cases: {
      missing: { file: null, next: "run", names: "planning/plan.json" },
      "without a field": { file: text(untitled), next: "run", names: "`title` is missing" },
      truncated: { file: text(plan).slice(0, 40), next: "run", names: "the plan is invalid" },
      negative: { file: text({ ...plan, blocking_questions: [{ text: "?" }] }), next: "wait" },
      positive: { file: text(plan), next: "plan_review" },
    },
    forward: "plan_review",
    afterwards: "planning",
  },
  {
    phase: "plan_review",
    artifact: "review/plan-review.json",
    cases: {
      missing: { file: null, next: "run", names: "the plan review is missing" },
      "without a field": { file: text({ blocking_issues: [] }), next: "run", names: "`ok` is missing" },
      "with a word for a verdict": {
        file: text({ ok: "yes" }),
        next: "run",
        names: "`ok` must be true or false",
      },
      empty: { file: "", next: "run", names: "is empty" },
      negative: { file: text({ ok: false }), next: "planning" },
      "ok, with a blocking issue": { file: text({ ok: true, blocking_issues: ["x"] }), next: "planning" },
      positive: { file: text({ ok: true, blocking_issues: [] }), next: "codegen" },
    },
    forward: "codegen",
    afterwards: "run",
  },
  {
    phase: "codegen",
    artifact: "code/diff.patch",
    cases: {
      missing: { file: null, next: "run", names: "the patch is missing" },
      "changed by hand": {
        file: "diff --git a/x b/x\n",
        next: "run",
        names: "was edited by hand, and is taken next",
      },
      positive: { next: "review" },
    },
    forward: "review",
    afterwards: "codegen",
  },
  {
    phase: "review",
    artifact: "review/code-review.json",
    cases: {
      missing: { file: null, next: "run", names: "the code review is missing" },
      "without a field": { file: text({ back_to: "codegen" }), next: "run", names: "`ok` is missing" },
      "sent to nowhere": { file: text({ ok: false, back_to: "done" }), next: "run", names: "back_to" },
      negative: { file: text({ ok: false, blocking_issues: ["leak"] }), next: "codegen" },
      "negative about the plan": { file: text({ ok: false, back_to: "planning" }), next: "planning" },
      positive: { file: text({ ok: true }), next: "test" },
    },
    forward: "test",
    afterwards: "run",
  },
  {
    phase: "test",
    artifact: "eval/eval-report.json",
    cases: {
      missing: { file: null, next: "run", names: "the test report is missing" },
      "without a field": { file: text({ suites: [] }), next: "run", names: "`overall_pass` is missing" },
      negative: { file: text({ overall_pass: false }), next: "codegen" },
      positive: { file: text({ overall_pass: true }), next: "accept" },
    },
    forward: "accept",
    afterwards: "run",
  },
  {
    // What is decided counts once heddle has carried it out: a file that claims it is never enough.
    phase: "accept",
    artifact: "accept/decision.json",
    cases: {
      missing: { file: null, next: "run", names: "the decision is missing" },
      "without a field": { file: text({ reasons: ["good"] }), next: "run", names: "`verdict` is missing" },
      "with an unknown verdict": { file: text({ verdict: "maybe" }), next: "run", names: "verdict" },
      negative: { file: text({ verdict: "rejected" }), next: "run", names: "has not carried it out yet" },
      positive: { file: text({ verdict: "accepted" }), next: "run", names: "has not carried it out yet" },
    },
    forward: "done",
    afterwards: "end",
  },
  {
    phase: "revert",
    artifact: "revert/record.json",
    cases: {
      missing: { file: null, next: "run", names: "the revert record is missing" },
      "without a field": { file: text({ who: "me" }), next: "run", names: "`reason` is missing" },
      positive: { file: text({ reason: "x" }), next: "run", names: "has not carried it out yet" },
    },
    forward: "done",
    afterwards: "end",
  },
  {
    phase: "done",
    artifact: "accept/decision.json",
    cases: {
      missing: { file: null, next: "end" },
      "of the wrong shape": { file: "{", next: "end" },
      negative: { file: text({ verdict: "rejected" }), next: "end" },
      positive: { next: "end" },
    },
    forward: null,
    afterwards: "end",
  },
];

const stages = new Map<string, Lifecycle>();

const opened = (project: Lifecycle) => openApp({ root: project.root, ...composition, by: "test" });

/** One task on its way, copied in each phase. */
beforeAll(async () => {
  const project = await Lifecycle.begun();
  for (const { phase } of table.filter((row) => row.phase !== "revert")) {
    expect(await project.phase()).toBe(phase);
    stages.set(phase, project.copy());
    if (phase !== "done") await project.next();
  }
  const [coded, reverting] = [
    (stages.get("review") as Lifecycle).copy(),
    (stages.get("accept") as Lifecycle).copy(),
  ];
  const [first, second] = [await opened(coded), await opened(reverting)];
  await first.submit({ kind: "override", reason: "look again", to: "codegen", digests: {} });
  await second.submit({ kind: "advance", digests: {}, request: "revert", reason: "no" });
  for (const app of [first, second]) app.close();
  stages.set("codegen", coded);
  stages.set("revert", reverting);
});

/** The task as it stands in this phase, with this in the phase's file. */
async function having({ phase, artifact }: Row, { file }: Case): Promise<{ app: App; project: Lifecycle }> {
  const project = (stages.get(phase) as Lifecycle).copy();
  const path = project.task(artifact);
  if (file === null) rmSync(path, { force: true });
  else if (file !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file);
  }
  return { app: await opened(project), project };
}

async function asked(app: App): Promise<{ next: string; words: string }> {
  const { action, suggestedNext, reason, hint } = (await suggest(app)).suggestion;
  const next = action === "go" ? suggestedNext : action === "job" ? "run" : action;
  return { next, words: `${reason}; ${hint}` };
}

describe.each(table)("$phase, its file", (row) => {
  it.each(Object.entries(row.cases))("L4 L5 L6 %s: the suggestion of the document", async (_what, each) => {
    const { app } = await having(row, each);
    const { next, words } = await asked(app);
    expect(await app.look(({ phase }) => phase)).toBe(row.phase);
    app.close();
    expect(next, words).toBe(each.next);
    expect(words).toContain(each.names ?? "");
  });

  it.each(Object.entries(row.cases))("L10 %s, and a person goes on all the same", async (_what, each) => {
    const { app } = await having(row, each);
    const going = app.submit({ kind: "override", reason: "so be it", digests: {} });
    if (row.forward === null)
      await expect(going).rejects.toMatchObject({ problems: [{ code: "unreachable" }] });
    else await going;
    expect(await app.look(({ phase }) => phase)).toBe(row.forward ?? row.phase);
    const last = (await app.history()).at(-1)?.fact;
    if (row.forward) expect(last).toMatchObject({ kind: "overridden", reason: "so be it" });
    if (each.file === null) expect((await asked(app)).next).toBe(row.afterwards);
    app.close();
  });
});
