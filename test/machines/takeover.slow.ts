// Coordinators that take over from one another on one machine: killed, stopped and woken up, asked to end. `npm run machines`.
import { existsSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { Chance } from "../e2e/random.ts";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution, hasBox, survivors, type Turns, taskId } from "../execute/rig.ts";
import { Coordinator } from "./coordinators.ts";

const seed = Number(process.env.HEDDLE_SEED ?? 19);
const made: Coordinator[] = [];
afterEach(async () => {
  for (const each of made.splice(0)) await each.end();
});

/** The first attempt at the first task waits for ever; whoever is next does its work. */
const firstHangs: Turns = { T001: ["hang()", "good()"], "*": ["good()"] };

function serve(project: Execution): Coordinator {
  const words = ["serve", "--parallel", "2", "--agent", "command:./agent.cjs"];
  const more = hasBox ? [] : ["--unconfined"];
  const coordinator = new Coordinator(start([...words, ...more], { cwd: project.root }));
  made.push(coordinator);
  return coordinator;
}

async function two(turns: Turns): Promise<{ project: Execution; first: Coordinator; second: Coordinator }> {
  const project = await Execution.ready({ tasks: 3 }, turns);
  const first = serve(project);
  await until("the first agent works", () => existsSync(project.attempt("T001-1", "started.json")), 60_000);
  // Then nothing happens any more, and whoever is stopped is stopped while it waits.
  for (const task of ["T002", "T003"]) await first.says(new RegExp(`${task} done`));
  const second = serve(project);
  await second.says(new RegExp(`plan-1: process ${first.pid} on .* drives it; standing by`));
  return { project, first, second };
}

/** When each orchestrator took the run. */
const claims = async (project: Execution) =>
  (await project.history())
    .filter(({ fact }) => fact.kind === "epoch-claimed")
    .map(({ at }) => Date.parse(at));

/** The promise is 15 s, and so many looks (`vigil.test.ts`); a machine that is busy with other things takes longer. */
const generous = 60;

function seconds(what: string, ms: number): number {
  console.log(`${what}: taken over after ${ms / 1000} s`);
  return ms / 1000;
}

async function isWhole(project: Execution): Promise<void> {
  expect(project.merged().sort()).toEqual(["T001", "T002", "T003"]);
  expect((await project.heddle("verify")).out).toContain("chain and state agree");
}

test("U5 X17 a coordinator that is killed is replaced by the one that stands by, and no try is spent", async () => {
  const { project, first, second } = await two(firstHangs);
  const roles = new RegExp(
    `coordinated by process ${first.pid} on .*; process ${second.pid} on .* stands by`,
  );
  expect((await project.must("status")).out).toMatch(roles);
  expect((await project.must("why")).out).toMatch(roles);
  expect((await project.status()).standing_by).toMatchObject([{ pid: second.pid }]);
  const { out: who } = await project.must("who");
  expect(who).toMatch(new RegExp(`process ${first.pid} on .* coordinates plan-1`));
  expect(who).toMatch(new RegExp(`process ${second.pid} on .* stands by`));
  const killedAt = Date.now();
  first.child.kill("SIGKILL");
  await second.says(/plan-1: process \d+ on .* is gone/);
  await second.says(/finished on branch|landed:/);
  const [, taken = 0] = await claims(project);
  expect(seconds("killed", taken - killedAt)).toBeLessThan(generous);
  await isWhole(project);
  expect(await project.facts("attempt-failed")).toEqual([]);
  expect((await project.facts("attempt-lost")).map(({ task }) => task)).toEqual(["T001"]);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(survivors(project)).toEqual([]);
});

test("U5 X17 a coordinator that stands still is replaced within 15 s; woken up it writes nothing and ends", async () => {
  const { project, first, second } = await two(firstHangs);
  const stoppedAt = Date.now();
  first.child.kill("SIGSTOP");
  await second.says(/plan-1: process \d+ on .* shows no sign of life/);
  await second.says(/finished on branch|landed:/);
  const [, taken = 0] = await claims(project);
  expect(seconds("stopped", taken - stoppedAt)).toBeLessThan(generous);
  const before = (await project.history()).length;
  first.child.kill("SIGCONT");
  const code = await first.ended;
  expect(code).toBe(1);
  expect(first.text).toMatch(/was taken over by .* while this one stood still; nothing more was done here/);
  expect(first.text).not.toMatch(/^ {4}at /m);
  expect((await project.history()).length).toBe(before);
  await isWhole(project);
});

test("U5 a coordinator that is asked to end lets go of the run at once, unhalted, and the other goes on", async () => {
  const { project, first, second } = await two(firstHangs);
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  await second.says(/finished on branch|landed:/);
  expect(await project.facts("halt-requested")).toEqual([]);
  await isWhole(project);
});

/** Who holds the run now, if anybody does. */
async function holding(project: Execution, among: readonly Coordinator[]): Promise<Coordinator | undefined> {
  const { orchestrator } = await project.status();
  return among.find(({ pid }) => pid === orchestrator?.pid);
}

test("U5 X17 G3 coordinators that are killed and stopped at their work one after another merge each task once", async () => {
  const chance = new Chance(seed);
  console.log(`HEDDLE_SEED=${seed}`);
  const project = await Execution.ready({ tasks: 8 }, { "*": ["sleep(200); good()"] });
  const all = [serve(project)];
  const stopped: Coordinator[] = [];
  for (let blow = 0; blow < 4; blow++) {
    const next = serve(project);
    all.push(next);
    await next.says(/serving/);
    let holder: Coordinator | undefined;
    const isAtWork = async () => {
      holder = await holding(project, all);
      return holder !== undefined && !stopped.includes(holder) && /T\d+ (begins|done)/.test(holder.text);
    };
    const isOver = () => all.some(({ text }) => /finished on branch|landed:/.test(text));
    await until("one of them works", async () => isOver() || (await isAtWork()), 90_000);
    if (isOver() || !holder) break;
    const isStop = chance.below(2) === 0;
    holder.child.kill(isStop ? "SIGSTOP" : "SIGKILL");
    if (isStop) stopped.push(holder);
  }
  await until(
    "it is finished",
    () => all.some(({ text }) => /finished on branch|landed:/.test(text)),
    150_000,
  );
  const before = (await project.history()).length;
  for (const each of stopped) {
    each.child.kill("SIGCONT");
    const code = await each.ended;
    // One that stood in the way of everybody was ended.
    expect([code, each.child.signalCode]).toEqual(
      each.child.signalCode === null ? [1, null] : [null, "SIGKILL"],
    );
  }
  expect((await project.history()).length).toBe(before);
  expect(project.merged().sort()).toEqual(Array.from({ length: 8 }, (_, at) => taskId(at + 1)));
  expect((await project.heddle("verify")).out).toContain("chain and state agree");
});

test("U5 a coordinator leaves a halted run alone, and goes on when it is resumed", async () => {
  const project = await Execution.ready({ tasks: 1 });
  await project.must("halt");
  const only = serve(project);
  await only.says(/serving/);
  const other = await ended(start(["status", "--json"], { cwd: project.root }));
  expect(JSON.parse(other.out).orchestrator).toBe(null);
  await project.must("resume");
  await until("it is merged", () => /finished on branch|landed:/.test(only.text), 60_000);
  expect(project.merged()).toEqual(["T001"]);
});
