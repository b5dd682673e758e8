// What the tests of the state reference share: a project that every test of a file finds as its first one did, and
// a few ways to look at the outcome of a call. The rig itself is that of the end-to-end tests.
import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, expect } from "vitest";
import { taskFile } from "../e2e/plan-files.ts";
import { type Fact, Project, planning, type Ran } from "../e2e/rig.ts";
import { expectOneError } from "../e2e/whole.ts";

export { taskId } from "../e2e/plan-files.ts";
export { type Fact, folder, heddle, Project, type Ran, until } from "../e2e/rig.ts";
export { expectNoTrace, expectOneError, expectRefused, expectWhole } from "../e2e/whole.ts";

/**
 * A project that is prepared once and put back before every test, in the same place: the journal holds absolute
 * paths. Planning takes a second, a copy ten milliseconds.
 */
export function desk(prepare: (project: Project) => Promise<void>): Project {
  const project = new Project();
  let back = () => {};
  beforeAll(async () => {
    await prepare(project);
    back = project.save();
  });
  beforeEach(() => back());
  return project;
}

type Parts = Partial<Omit<ReturnType<typeof taskFile>, "context">> & {
  readonly context?: Readonly<Record<string, unknown>>;
};

/** Tasks by number, each a valid task file with some parts replaced. */
export interface Plan {
  readonly tasks: readonly Parts[];
  readonly spec?: string;
}

export function writePlan(project: Project, { tasks, spec }: Plan): void {
  project.writePlan({ tasks: tasks.length });
  if (spec !== undefined) project.write("project-planning/inputs/spec.md", spec);
  for (const [at, parts] of tasks.entries()) writeTask(project, at + 1, parts);
}

export function writeTask(project: Project, n: number, parts: Parts = {}): void {
  const { context, ...rest } = parts;
  const whole = taskFile(n);
  const file = { ...whole, ...rest, context: { ...whole.context, ...context } };
  project.write(`project-planning/tasks/${whole.id}.json`, `${JSON.stringify(file, null, 2)}\n`);
}

/** Up to and including the given number of planning commands: 10 lead to `ready`. */
export async function plan(project: Project, plan: Plan, steps = planning.length): Promise<void> {
  await project.must("init", "app");
  writePlan(project, plan);
  for (const words of planning.slice(0, steps)) await project.must(...words);
}

export const waits = (...ids: readonly string[]) => ({ dependencies: { tasks: [...ids], external: [] } });

/** How many planning commands lead to a phase. */
export const stepsTo = {
  logical: 1,
  physical: 3,
  definition: 5,
  validation: 7,
  sequencing: 9,
  ready: 10,
} as const;

/** Asked wrongly: exit 64 and one sentence, before anything was tried. */
export function expectUsage(ran: Ran, sentence: RegExp | string = ""): void {
  expect(ran.code, `${ran.out}${ran.err}`).toBe(64);
  expectOneError(ran);
  expect(ran.err).toMatch(sentence);
}

/** Done: exit 0, and this on standard output, to the letter. */
export function expectDone(ran: Ran, out?: string | RegExp): void {
  expect(ran, ran.err).toMatchObject({ code: 0 });
  if (typeof out === "string") expect(ran.out).toBe(out === "" ? "" : `${out}\n`);
  else if (out) expect(ran.out).toMatch(out);
}

/** The facts that a piece of work leads to. `state.json` says how many there are, so nothing is asked for nothing. */
export async function factsOf(project: Project, work: () => Promise<unknown>): Promise<Fact["fact"][]> {
  const before: number = project.stateJson().position;
  await work();
  if (project.stateJson().position === before) return [];
  return (await project.history()).slice(before).map(({ fact }) => fact);
}

export async function kindsOf(project: Project, work: () => Promise<unknown>): Promise<string[]> {
  return (await factsOf(project, work)).map(({ kind }) => kind);
}

export function read(project: Project, path: string): string {
  return readFileSync(project.path(path), "utf8");
}

/** The task's record in `state.json`. */
export const record = (project: Project, id: string) => project.stateJson().tasks[id];
