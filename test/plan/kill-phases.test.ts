// kill -9 in every phase: in the agent, after its output, in the validator, between the file and the journal. The next
// `heddle plan` goes on to `ready`, and no call that had a valid result is paid for twice: calls are counted (C1, D17).
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cli, ended, start, until } from "../e2e/rig.ts";
import { expectWhole } from "../e2e/whole.ts";
import { hasStrace } from "../needs.ts";
import { sample, thorough } from "../thorough.ts";
import { confined, living, Planning, roles } from "./rig.ts";

const words = ["plan", "spec.md", "--target", "app", "--new", ...confined(false)];

type Role = (typeof roles)[number];

/** Where each role's output lies in its outbox. */
const made: Readonly<Record<Role, string>> = {
  "logic-architect": "capability-map.json",
  "physical-architect": "physical-map.json",
  "task-author": "tasks",
  "task-plan-verifier": "task-validation.json",
  "plan-auditor": "tasks",
};

/** Every role writes down that it was called; `turn` is what the role does that the test is about. */
function counted(role?: Role, turn = "good()"): Planning {
  const project = new Planning();
  const log = JSON.stringify(project.path("calls.log"));
  const call = `fs.appendFileSync(${log}, role + "\\n")`;
  const all = Object.fromEntries(
    roles.map((each) => [each, [`${call}; ${each === role ? turn : "good()"}`]]),
  );
  project.write("calls.log", "");
  project.agent(all);
  return project;
}

const callsOf = (project: Planning, role: string) =>
  readFileSync(project.path("calls.log"), "utf8")
    .split("\n")
    .filter((each) => each === role).length;

const onceEach = Object.fromEntries(roles.map((role) => [role, 1]));
const calls = (project: Planning) => Object.fromEntries(roles.map((role) => [role, callsOf(project, role)]));

/** As a person would: the same words again. */
async function expectReady(project: Planning): Promise<void> {
  const next = await project.heddle(...words);
  expect(next.code, next.out + next.err).toBe(0);
  expect((await expectWhole(project)).phase).toBe("ready");
}

/** Until `moment` holds, then heddle is killed, and what it started with it. One that is through before the kill has ended well. */
async function killedAt(project: Planning, moment: () => boolean): Promise<void> {
  const child = start(words, { cwd: project.root });
  const over = ended(child);
  await until("the moment of the kill", moment);
  child.kill("SIGKILL");
  const { code, signal, err } = await over;
  expect(signal ?? code, err).toBe(signal === null ? 0 : "SIGKILL");
  await until("the agent's end", () => living(project.path("agent.cjs")).length === 0, 30_000);
}

/** Killed by strace as soon as heddle itself makes this call on this path. */
async function killedOn(project: Planning, call: string, path: string): Promise<void> {
  const real = path.replace(project.root, realpathSync(project.root));
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=1`, "-P", real, "-P", path];
  const strace = ["-qq", "-o", "/dev/null", ...inject, process.execPath, cli, ...words];
  const killed = await ended(spawn("strace", strace, { cwd: project.root }));
  expect(killed.signal, `nothing did ${call} on ${real}: ${killed.err}`).toBe("SIGKILL");
}

/** Of four moments in five phases, two of each moment, and one or two of each phase; all twenty when thorough. */
const isStruck = (role: Role, moment: number) =>
  thorough || (roles.indexOf(role) + moment) % roles.length < 2;

describe.concurrent.each(roles)("C1 in the phase of %s", (role) => {
  it.runIf(isStruck(role, 0))(
    "in the agent, before its output: it is called again, and nobody else is",
    async () => {
      const project = counted(role, "hang()");
      await killedAt(project, () => callsOf(project, role) === 1);
      project.program(project.text("agent.cjs").replace("; hang()", "; good()"));
      await expectReady(project);
      expect(calls(project)).toEqual({ ...onceEach, [role]: 2 });
    },
  );

  it.runIf(isStruck(role, 1))("in the agent, when its output is right: nobody is called again", async () => {
    const whole = "good(); fs.writeFileSync(path.join(bundle.planning_dir, 'written'), ''); hang()";
    const project = counted(role, whole);
    await killedAt(project, () => project.has("project-planning/written"));
    project.program(project.text("agent.cjs").replace("; hang()", ""));
    await expectReady(project);
    expect(calls(project)).toEqual(onceEach);
  });

  it.runIf(isStruck(role, 2))("between the agent's end and the check: nobody is called again", async () => {
    const project = counted();
    await killedAt(project, () => existsSync(project.attempt(`${role}-1`, "ended.json")));
    await expectReady(project);
    expect(calls(project)).toEqual(onceEach);
  });

  it.runIf(hasStrace && isStruck(role, 3))(
    "in the validator, as it opens the output: nobody is called again (left out without strace)",
    async () => {
      const project = counted();
      await killedOn(project, "openat", project.attempt(`${role}-1`, `out/${made[role]}`));
      expect(callsOf(project, role)).toBe(1);
      await expectReady(project);
      expect(calls(project)).toEqual(onceEach);
    },
  );
});

/** Runs `plan` under strace: what it did is in the log, unless it was killed at the nth call of one kind. */
async function traced(project: Planning, call: string, nth?: number): Promise<NodeJS.Signals | null> {
  const inject = nth === undefined ? [] : ["-e", `inject=${call}:signal=KILL:when=${nth}`];
  const strace = ["-qq", "-o", project.path("trace.log"), "-e", `trace=${call}`, ...inject];
  const { signal } = await ended(
    spawn("strace", [...strace, process.execPath, cli, ...words], { cwd: project.root }),
  );
  return signal;
}

describe.skipIf(!hasStrace).concurrent("C1 between file and journal (left out without strace)", () => {
  /** The calls that a whole run makes. */
  const whole = async (call: string) => {
    const project = counted();
    expect(await traced(project, call)).toBe(null);
    return project
      .text("trace.log")
      .split("\n")
      .filter((line) => line.startsWith(`${call}(`));
  };

  /** Called, and its end was not yet written down: if it was at work, it is right to call it again. */
  const underWay = (project: Planning) =>
    roles.find(
      (role) => callsOf(project, role) === 1 && !existsSync(project.attempt(`${role}-1`, "ended.json")),
    );

  /**
   * How often views are written depends on the pace: the nth call of this run may be another one than in the whole run,
   * while an agent works even, and a late moment may not come. Of all, most must; of a sample, one.
   */
  async function expectKilledAt(call: string, moments: readonly number[]): Promise<void> {
    let killed = 0;
    for (const nth of moments) {
      const project = counted();
      if ((await traced(project, call, nth)) === "SIGKILL") killed++;
      const role = underWay(project);
      await expectReady(project);
      const again = role !== undefined && callsOf(project, role) === 2 ? { [role]: 2 } : {};
      expect(calls(project), `killed at ${call} ${nth}`).toEqual({ ...onceEach, ...again });
    }
    expect(killed).toBeGreaterThan(thorough ? moments.length / 2 : 0);
  }

  it("as artifacts are put in their places: nobody is called again", async () => {
    const renames = await whole("rename");
    const places = renames.flatMap((line, index) =>
      /project-planning\/(artifacts\/[a-z-]+|tasks\/T001|tasks\/T010)\.json"\)/.test(line) ? [index + 1] : [],
    );
    expect(places).toHaveLength(7);
    await expectKilledAt("rename", sample(places, 3));
  }, 120_000);

  it("as the journal is synced, in all phases: nobody is called again", async () => {
    const { length } = await whole("fsync");
    expect(length).toBeGreaterThan(20);
    const moments = Array.from({ length: 8 }, (_, index) => 1 + Math.floor((index * (length - 5)) / 7));
    await expectKilledAt("fsync", sample(moments, 3));
  }, 120_000);
});
