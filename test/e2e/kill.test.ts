// Acknowledged means that it survives (C1): `kill -9` at random moments of a stream of commands, and at every single
// write of one command. `HEDDLE_KILLS` sets how many random kills there are: 8 in `npm test`, 40 in CI, 500 in a campaign.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasStrace } from "../needs.ts";
import { thorough } from "../thorough.ts";
import { chain, taskId } from "./plan-files.ts";
import { Chance } from "./random.ts";
import { cli, ended, type Fact, newProject, Project, type Ran, readyProject, start } from "./rig.ts";
import { expectNoTrace, expectWhole } from "./whole.ts";

const kills = Number(process.env.HEDDLE_KILLS ?? (thorough ? 40 : 5));
const isCampaign = kills >= 500;

/** Runs a command and kills it after a while, unless it was faster. */
async function killed(project: Project, words: readonly string[], afterMs: number): Promise<Ran> {
  const child = start(words, { cwd: project.root });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const ran = await ended(child);
  clearTimeout(timer);
  return ran;
}

/** How long a process for this command takes here and now: kills are spread over that time. */
async function wholeTime(project: Project, ...words: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  expect(await ended(start(words, { cwd: project.root }))).toMatchObject({ code: 0 });
  return performance.now() - startedAt;
}

interface Step {
  readonly words: readonly string[];
  /** The facts that it leads to, in this order, or none. */
  readonly facts: readonly string[];
}

/** Something that a host may do next, as things stand. */
function following(
  chance: Chance,
  status: { ready: string[]; running: string[]; halt: unknown; phase: string },
): Step {
  if (status.halt) return { words: ["resume"], facts: ["resumed"] };
  const [ready, running] = [chance.pick(status.ready), chance.pick(status.running)];
  const begins = status.phase === "ready" ? ["phase-entered", "task-started"] : ["task-started"];
  const steps: Step[] = [{ words: ["halt", "for a moment"], facts: ["halt-requested"] }];
  if (ready) steps.push(...Array(4).fill({ words: ["state", "start-task", ready], facts: begins }));
  if (ready) steps.push({ words: ["state", "skip-task", ready, "no time"], facts: ["task-skipped"] });
  if (running) {
    const complete = ["state", "complete-task", running, "--created", `src/${running}.ts`];
    steps.push(...Array(4).fill({ words: complete, facts: ["task-completed"] }));
    steps.push({ words: ["state", "fail-task", running, "red"], facts: ["task-failed"] });
    steps.push({ words: ["state", "retry-task", running], facts: ["task-retried"] });
  }
  return chance.pick(steps) as Step;
}

const withoutRepairs = (facts: readonly Fact[]) =>
  facts.map(({ fact }) => fact.kind).filter((kind) => kind !== "view-repaired");

describe("kill -9", () => {
  it(`C1 at ${kills} random moments: what was acknowledged is there, what was not is there whole or not at all`, {
    timeout: 180_000 + 2_500 * kills,
  }, async () => {
    const chance = new Chance();
    const project = await readyProject({ tasks: 12 * kills });
    let wholeMs = await wholeTime(project, "status");
    let history = await project.history();
    let status = await project.status();
    const outcomes = { acknowledged: 0, applied: 0, lost: 0 };
    // Kills that all came too early or too late would prove nothing: the pace of the machine is found on the way.
    const isOneSided = () => Math.min(outcomes.lost, outcomes.acknowledged + outcomes.applied) <= kills / 10;
    for (let n = 0; n < kills || (isOneSided() && n < 6 * kills); n++) {
      const step = following(chance, status);
      const part = chance.next() < 0.2 ? chance.next() : 0.55 + 0.6 * chance.next();
      const ran = await killed(project, step.words, part * wholeMs);
      const context = `seed ${chance.seed}, kill ${n}: ${step.words.join(" ")}`;

      status = await project.status();
      const longer = await project.history();
      if (n % 3 === 0) expect((await project.heddle("verify")).code, context).toBe(0);
      expect(longer.slice(0, history.length), `${context}: history was lost`).toEqual(history);
      const fresh = withoutRepairs(longer.slice(history.length));
      if (ran.code === 0) expect(fresh, context).toEqual(step.facts);
      else expect([[], step.facts], context).toContainEqual(fresh);
      expect(project.stateJson().position, context).toBe(longer.at(-1)?.position);
      const outcome = ran.code === 0 ? "acknowledged" : fresh.length > 0 ? "applied" : "lost";
      outcomes[outcome]++;
      // The machine's pace changes while this goes on: the next comes a little later, or a little sooner.
      wholeMs *= outcome === "lost" ? 1.25 : 0.8;
      history = longer;
    }
    await expectWhole(project);
    expect(isOneSided(), JSON.stringify(outcomes)).toBe(false);
  });

  it("C1 C4 of eight processes at once, again and again: the rest of the world goes on", {
    timeout: 120_000,
  }, async () => {
    const chance = new Chance();
    const project = await readyProject({ tasks: 200 });
    const wholeMs = 2 * (await wholeTime(project, "status"));
    const acknowledged = new Set<string>();
    for (let round = 0; round < Math.max(4, kills / 15); round++) {
      const ids = Array.from({ length: 8 }, (_, at) => taskId(1 + at + 8 * (round % 24)));
      await Promise.all(
        ids.map(async (id) => {
          const ran = await killed(project, ["state", "start-task", id], (0.4 + chance.next()) * wholeMs);
          if (ran.code === 0) acknowledged.add(id);
        }),
      );
      const running: readonly string[] = (await expectNext(project)).running;
      for (const id of acknowledged) expect(running, `seed ${chance.seed}, round ${round}`).toContain(id);
    }
  });

  it("C1 D10 while 500 tasks are loaded: all of them or none", { timeout: 120_000 }, async () => {
    const chance = new Chance();
    const project = await newProject();
    project.writePlan({ tasks: 500, after: (n) => (n > 10 ? [n - 10] : []) });
    const back = project.save();
    const wholeMs = await wholeTime(project, "state", "load-tasks");
    for (let round = 0; round < Math.max(6, kills / 10); round++) {
      back();
      const ran = await killed(project, ["state", "load-tasks"], (0.3 + 0.8 * chance.next()) * wholeMs);
      const { tasks } = await expectNext(project);
      expect(ran.code === 0 ? [500] : [0, 500], `seed ${chance.seed}, round ${round}`).toContain(
        tasks.pending,
      );
    }
  });

  it("D1 during init: init again works, or says that the first one had done it", {
    timeout: 120_000,
  }, async () => {
    const chance = new Chance();
    const wholeMs = await wholeTime(new Project(), "init", "app");
    for (let round = 0; round < Math.max(10, kills / 6); round++) {
      const project = new Project();
      const ran = await killed(project, ["init", "app"], (0.5 + 0.6 * chance.next()) * wholeMs);
      await expectBegun(project, ran.code === 0, `seed ${chance.seed}, round ${round}`);
    }
  });

  it("D1 during init --force: init --force again works, and the old plan is in the archive", {
    timeout: 120_000,
  }, async () => {
    const chance = new Chance();
    const project = await newProject();
    project.write("project-planning/inputs/spec.md", "# precious\n");
    const back = project.save();
    const wholeMs = await wholeTime(project, "init", "app", "--force");
    for (let round = 0; round < Math.max(6, kills / 10); round++) {
      back();
      await killed(project, ["init", "app", "--force"], (0.6 + 0.5 * chance.next()) * wholeMs);
      const again = await project.heddle("init", "app", "--force");
      expect(again, `seed ${chance.seed}, round ${round}`).toMatchObject({ code: 0, err: "" });
      expect(project.has(".heddle/archive/plan-1/inputs/spec.md"), `round ${round}`).toBe(true);
      expect((await expectWhole(project)).phase).toBe("ingestion");
    }
  });
});

const writes = "pwrite64,write,fsync,ftruncate,rename,unlink,link,mkdir";

/** Kills the process at its `nth` system call of a kind that changes a file. Null when it made fewer. */
async function killedAt(project: Project, words: readonly string[], nth: number): Promise<Ran> {
  const inject = `inject=${writes}:signal=KILL:when=${nth}`;
  const options = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${writes}`, "-e", inject];
  return ended(spawn("strace", [...options, process.execPath, cli, ...words], { cwd: project.root }));
}

describe.skipIf(!hasStrace)("kill -9 at each write in turn (left out without strace)", () => {
  const stride = isCampaign ? 1 : thorough ? 4 : 16;

  it("C1 of complete-task: done or not done, and the next command goes on", {
    timeout: 300_000,
  }, async () => {
    const project = await readyProject({ tasks: 3, after: chain });
    await project.must("state", "start-task", "T001");
    const back = project.save();
    const found = new Set<number>();
    for (let nth = 1; ; nth += stride) {
      back();
      const ran = await killedAt(project, ["state", "complete-task", "T001"], nth);
      const { tasks, ready } = await expectNext(project);
      if (ran.code === 0) expect(tasks.complete, `write ${nth}`).toBe(1);
      expect(ready, `write ${nth}`).toEqual(tasks.complete === 1 ? ["T002"] : []);
      found.add(tasks.complete);
      if (ran.code === 0) break;
    }
    expect([...found].sort()).toEqual([0, 1]);
  });

  it("D1 of init: init again works, or says that the first one had done it", {
    timeout: 300_000,
  }, async () => {
    for (let nth = 1; ; nth += 2 * stride) {
      const project = new Project();
      const ran = await killedAt(project, ["init", "app"], nth);
      await expectBegun(project, ran.code === 0, `write ${nth}`);
      if (ran.code === 0) break;
    }
  });
});

/** The next command works, the journal verifies, and the view is current afterwards. */
async function expectNext(project: Project) {
  const next = await project.heddle("status", "--json");
  expect(next, next.err).toMatchObject({ code: 0, err: "" });
  return expectWhole(project);
}

async function expectBegun(project: Project, done: boolean, context: string): Promise<void> {
  const again = await project.heddle("init", "app");
  expect([0, 1], `${context}: ${again.err}`).toContain(again.code);
  expectNoTrace(again);
  if (done) expect(again.code, context).toBe(1);
  if (again.code === 1) expect(again.err, context).toContain("is active already");
  // Killed between the journal and its first view, that view is written now, and a sentence says so.
  const first = await project.heddle("status", "--json");
  expect(first.code, context).toBe(0);
  expect(first.err, context).toMatch(
    /^(?:warning: state\.json was gone: it was written again .*\n.*\n.*\n)?$/,
  );
  await expectNext(project);
  const folders = readdirSync(join(project.root, "project-planning"));
  expect(folders, context).toEqual(
    expect.arrayContaining(["artifacts", "bundles", "inputs", "reports", "tasks"]),
  );
}
