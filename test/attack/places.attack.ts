// Places that a run lives in, moved away and back, removed, replaced or locked while agents work: the run halts with one
// sentence, no try is spent, no agent is paid twice, and it goes on when the place is back.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, type Options, type Ran, start, until } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";
import { code, Lifecycle } from "../lifecycle/rig.ts";
import { Mission } from "../mission/rig.ts";
import { confined, Planning } from "../plan/rig.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Agents that work for a while, so that there is time to take something away from under them. */
const slowly = { "*": ["sleep(1200); good()"] };

/** Nothing was spent on it: every task took its one attempt, and nothing failed or was lost. */
async function expectUnhurt(project: Execution, tasks: number): Promise<void> {
  const facts = (await project.history()).map(({ fact }) => fact);
  const kinds = facts.map(({ kind }) => kind);
  const hurt = ["attempt-failed", "task-failed", "attempt-lost", "branch-moved"];
  expect(facts.filter(({ kind }) => hurt.includes(kind))).toEqual([]);
  expect(kinds.filter((kind) => kind === "task-started")).toHaveLength(tasks);
  expect(await project.status()).toMatchObject({ phase: "complete", tasks: { complete: tasks } });
  expect(project.merged().sort()).toEqual(["T001", "T002", "T003"].slice(0, tasks));
  expect((await project.heddle("verify")).code).toBe(0);
}

function begin(project: Execution): Promise<Ran> {
  return ended(start([...project.words, "--parallel", "2"], { cwd: project.root }));
}

const working = (project: Execution) =>
  until("an agent works", () => existsSync(project.attempt("T001-1", "started.json")), 60_000);

const movable = ["project-planning", "app", "app/.git", ".heddle/attempts", ".heddle", ".heddle/heddle.db"];

describe.runIf(hasBox)("a place that is moved away while agents work", () => {
  it.each(movable)("G7 goes on by itself when %s is back, and spends no try", async (place) => {
    const project = await Execution.ready({ tasks: 3 }, slowly);
    const running = begin(project);
    await working(project);
    renameSync(project.path(place), project.path("elsewhere"));
    await pause(3500);
    renameSync(project.path("elsewhere"), project.path(place));
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(0);
    await expectUnhurt(project, 3);
  });

  it.each(["project-planning", "app", "app/.git", "project-planning/tasks"])(
    "G7 ends with one sentence while %s is missing, and the same command goes on",
    async (place) => {
      const project = await Execution.ready({ tasks: 3 }, slowly);
      const running = begin(project);
      await working(project);
      renameSync(project.path(place), project.path("elsewhere"));
      const ran = await running;
      expect(ran.code, ran.out + ran.err).toBe(1);
      expect(ran.out + ran.err).toContain(place);
      expect(existsSync(project.path(place)), "nothing is made in its place").toBe(false);
      const again = await project.execute();
      expect(again.code).toBe(1);
      expect(again.err).toContain("missing");
      expect(existsSync(project.path(place)), "nothing is made in its place").toBe(false);
      renameSync(project.path("elsewhere"), project.path(place));
      const last = await project.execute();
      expect(last.code, last.out + last.err).toBe(0);
      await expectUnhurt(project, 3);
    },
  );

  it("G7 says in one sentence that the journal is missing, and goes on when it is back", async () => {
    const project = await Execution.ready({ tasks: 2 }, slowly);
    const running = begin(project);
    await working(project);
    renameSync(project.path(".heddle"), project.path("elsewhere"));
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(1);
    expect(ran.err).toContain(".heddle");
    const made = existsSync(project.path(".heddle")) ? readdirSync(project.path(".heddle")) : [];
    expect(made, "nothing is made in its place").toEqual([]);
    renameSync(project.path("elsewhere"), project.path(".heddle"));
    const last = await project.execute();
    expect(last.code, last.out + last.err).toBe(0);
    expect(await project.facts("attempt-failed")).toEqual([]);
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("G3 makes the branch again where it was, when somebody deletes it and its start", async () => {
    const project = await Execution.ready({ tasks: 3 }, slowly);
    const running = begin(project);
    await until("a task is merged", async () => (await merges(project)) > 0, 60_000);
    project.git("update-ref", "-d", "refs/heads/heddle/plan-1");
    project.git("update-ref", "-d", "refs/heddle/plan-1/start");
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(0);
    await expectUnhurt(project, 3);
  });

  it("G3 never works in another repository that stands in the target's place", async () => {
    const project = await Execution.ready({ tasks: 3 }, slowly);
    const running = begin(project);
    await working(project);
    renameSync(project.path("app"), project.path("elsewhere"));
    project.makeTarget();
    project.git(
      "-c",
      "user.name=Eve",
      "-c",
      "user.email=e@x",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "Other",
    );
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(1);
    const again = await project.execute();
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/does not have [0-9a-f]{12}, the last commit of this run/);
    expect(project.git("branch", "--list", "heddle/*")).toBe("");
    rmSync(project.path("app"), { recursive: true });
    renameSync(project.path("elsewhere"), project.path("app"));
    const last = await project.execute();
    expect(last.code, last.out + last.err).toBe(0);
    await expectUnhurt(project, 3);
  });

  it("G3 never begins in another repository that was put there between two runs", async () => {
    const project = await Execution.ready({ tasks: 2 });
    await project.must(...project.words, "T001", "--batch");
    renameSync(project.path("app"), project.path("elsewhere"));
    project.makeTarget();
    const ran = await project.execute();
    expect(ran.code, ran.out + ran.err).toBe(1);
    expect(ran.err).toMatch(/does not have [0-9a-f]{12}, the last commit of this run/);
    expect(project.git("branch", "--list", "heddle/*")).toBe("");
    rmSync(project.path("app"), { recursive: true });
    renameSync(project.path("elsewhere"), project.path("app"));
    const last = await project.execute();
    expect(last.code, last.out + last.err).toBe(0);
    await expectUnhurt(project, 2);
  });

  it("G7 makes no planning folder in the place of one that is away when it makes its logs again", async () => {
    const project = await Execution.ready({ tasks: 2 }, slowly);
    const running = begin(project);
    await working(project);
    renameSync(project.path("project-planning"), project.path("elsewhere"));
    rmSync(project.path(".heddle/logs"), { recursive: true });
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(1);
    expect(existsSync(project.path("project-planning")), "nothing is made in its place").toBe(false);
    renameSync(project.path("elsewhere"), project.path("project-planning"));
    const last = await project.execute();
    expect(last.code, last.out + last.err).toBe(0);
    await expectUnhurt(project, 2);
  });

  it("G7 goes on without workspaces that were removed for good, once a person says so", async () => {
    const project = await Execution.ready({ tasks: 2 }, slowly);
    const running = begin(project);
    await working(project);
    rmSync(project.path(".heddle/attempts"), { recursive: true });
    const ran = await running;
    expect(ran.code, ran.out + ran.err).toBe(1);
    expect(ran.out + ran.err).toContain("attempts");
    await project.must("resume");
    const last = await project.execute();
    expect(last.code, last.out + last.err).toBe(0);
    expect(await project.facts("attempt-failed")).toEqual([]);
    expect(await project.facts("task-failed")).toEqual([]);
  });
});

async function merges(project: Execution): Promise<number> {
  return existsSync(project.path("app/.git/refs/heads/heddle/plan-1")) ? project.merged().length : 0;
}

const nobody: Options = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

describe("a place that may not be used any more", () => {
  it.each(["project-planning", "app", "app/.git/objects", ".heddle/attempts/plan-1"])(
    "G7 goes on by itself when %s is unlocked, and spends no try",
    async (place) => {
      const project = await Execution.ready({ tasks: 2 });
      const files = (n: number) => ({ files: { [`src/T00${n}.txt`]: `T00${n}\n` }, afterMs: 1500 });
      project.write("script.json", JSON.stringify({ T001: [files(1)], T002: [files(2)] }));
      if (nobody.uid) execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, project.root]);
      const words = ["execute", "--batch", "--agent", "scripted:script.json"];
      const running = ended(start(words, { cwd: project.root, env: { HOME: project.root }, ...nobody }));
      await working(project);
      chmodSync(project.path(place), 0);
      await pause(3500);
      chmodSync(project.path(place), 0o755);
      const ran = await running;
      expect(ran.code, ran.out + ran.err).toBe(0);
      if (nobody.uid) execFileSync("chown", ["-R", "0:0", project.root]);
      await expectUnhurt(project, 2);
    },
  );
});

describe("the same for what is no execution of a plan", () => {
  it.each(["project-planning", "app", ".heddle/attempts"])(
    "G7 a role at work on a plan goes on when %s is back, and spends no try",
    async (place) => {
      const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);";
      const project = new Planning({ "physical-architect": [`${wait} good()`] });
      const words = ["plan", "spec.md", "--target", "app", "--new", ...confined(hasBox)];
      const running = ended(start(words, { cwd: project.root }));
      const at = project.path(".heddle/attempts/plan-1/physical-architect-1/bundle.json");
      await until("a role works", () => existsSync(at), 60_000);
      renameSync(project.path(place), project.path("elsewhere"));
      await pause(3500);
      renameSync(project.path("elsewhere"), project.path(place));
      const ran = await running;
      expect(ran.code, ran.out + ran.err).toBe(0);
      expect((await project.history()).map(({ fact }) => fact.kind)).not.toContain("job-failed");
      // An agent whose place is gone is lost, which costs no try.
      const [first, ...lost] = project.attempts("physical-architect").sort();
      expect(first).toBe("physical-architect-1");
      const parked = (await project.history()).filter(({ fact }) => fact.kind === "job-parked");
      expect(parked).toMatchObject(lost.map(() => ({ fact: { role: "physical-architect", lost: true } })));
    },
  );

  it.each(["app", "app/.git", ".heddle/tasks"])(
    "G7 the coder of a task goes on when %s is back, and spends no try",
    async (place) => {
      const coder = { ...code({ "greet.txt": "Hello, Ada!\n" }), afterMs: 1500 };
      const project = await Lifecycle.begun({ coder: [coder] });
      const words = ["next", "--agent", "scripted:script.json", "--all"];
      const running = ended(start(words, { cwd: project.root }));
      const at = project.path(".heddle/attempts/task-1/coder-1/bundle.json");
      await until("the coder works", () => existsSync(at), 60_000);
      renameSync(project.path(place), project.path("elsewhere"));
      await pause(3500);
      renameSync(project.path("elsewhere"), project.path(place));
      const ran = await running;
      expect(ran.code, ran.out + ran.err).toBe(0);
      expect((await project.history()).map(({ fact }) => fact.kind)).not.toContain("job-failed");
    },
  );

  it.runIf(hasBox).each([".git", ".meta"])(
    "G7 a mission goes on when %s is back, and spends no try",
    async (place) => {
      const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);";
      const project = new Mission({ executor: [`${wait} parts.executor()`] });
      const { ran: running } = project.started("write files");
      const at = () => project.attempts().includes("01-01-1");
      await until("a step is worked on", at, 60_000);
      await pause(500);
      renameSync(project.path(place), project.path(".heddle/elsewhere"));
      await pause(3500);
      renameSync(project.path(".heddle/elsewhere"), project.path(place));
      const ran = await running;
      const kinds = (await project.history()).map(({ fact }) => fact.kind);
      expect(kinds, ran.out + ran.err).not.toContain("attempt-failed");
      expect(kinds).not.toContain("task-failed");
      expect(project.merged()).toEqual(["01-01", "01-02"]);
    },
  );
});
