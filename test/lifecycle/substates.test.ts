// Where the planner and the coder stand in themselves (L2): the documents' substates, in the documents' order, as they
// were after each fact of a real task.
import { expect, it } from "vitest";
import { apply, type Entry, newRun, protocols, type Run } from "../../src/index.ts";
import { actorsOf } from "../../src/packs/lifecycle/actors.ts";
import { code, json, Lifecycle, plan, type Turns } from "./rig.ts";

const asking = { ...plan, blocking_questions: [{ text: "Which language?", options: ["en", "de"] }] };

/** The row of substates that one actor went through, each named once. */
async function row(project: Lifecycle, actor: string): Promise<string[]> {
  if (!protocols.lifecycle) throw new Error("there is no lifecycle");
  const run: Run = newRun("task-1", protocols.lifecycle);
  const seen: string[] = [];
  for (const entry of (await project.history()) as unknown as Entry[]) {
    apply(run, entry);
    const { status } = actorsOf(run)[actor] ?? { status: "none" };
    if (seen.at(-1) !== status) seen.push(status);
  }
  return seen;
}

async function finished(turns: Turns): Promise<Lifecycle> {
  const project = await Lifecycle.begun(turns);
  await project.all();
  for (const { id } of (await project.status()).questions ?? []) await project.must("answer", id, "en");
  const ran = await project.all();
  expect(ran.code, ran.err + ran.out).toBe(0);
  return project;
}

it("L2 a plan with a question goes draft, clarifying, workshop, formalizing, review_ready", async () => {
  const project = await finished({ planner: [json(asking), json(plan)] });
  expect(await row(project, "planning")).toEqual([
    "draft",
    "clarifying",
    "workshop",
    "formalizing",
    "review_ready",
  ]);
});

it("L2 a plan without one goes past the workshop, and code goes context, generate, materialize, diff, ready", async () => {
  const project = await finished({});
  expect(await row(project, "planning")).toEqual(["draft", "clarifying", "formalizing", "review_ready"]);
  expect(await row(project, "codegen")).toEqual([
    "idle",
    "context",
    "generate",
    "materialize",
    "diff",
    "ready",
  ]);
});

it("L2 what is sent back begins its row again", async () => {
  const project = await finished({
    planner: [json({ ...plan, approach: "first" }), json(plan)],
    "plan-reviewer": [json({ ok: false, blocking_issues: ["no"] }), json({ ok: true })],
    coder: [code({ "greet.txt": "Goodbye\n" }), code({ "greet.txt": "Hello\n" })],
  });
  expect((await row(project, "planning")).slice(3)).toEqual([
    "review_ready",
    "workshop",
    "formalizing",
    "review_ready",
  ]);
  expect((await row(project, "codegen")).slice(5)).toEqual([
    "ready",
    "context",
    "generate",
    "materialize",
    "diff",
    "ready",
  ]);
  await project.must("redo");
  expect(project.stateJson().actors.planning.status).toBe("workshop");
});
