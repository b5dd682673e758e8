// An orchestrator's turn: who is left of the one before, who was replaced while it stood still, who may not begin at all,
// and how often one that cannot work is asked.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, ended, folder, type Project, start, until } from "../e2e/rig.ts";
import { Execution, survivors } from "../execute/rig.ts";
import { Lifecycle } from "../lifecycle/rig.ts";
import { Planning } from "../plan/rig.ts";

const unconfined = ["execute", "--agent", "command:./agent.cjs", "--unconfined", "--batch"];

/** The keeper first, so that nobody but the next orchestrator is there to look after what it left. */
async function killWithKeeper(heddle: ChildProcess): Promise<void> {
  const keepers = readdirSync("/proc").filter(
    (pid) =>
      /^\d+$/.test(pid) && of(pid, "cmdline").includes("heddle-keeper") && parentOf(pid) === heddle.pid,
  );
  expect(keepers).toHaveLength(1);
  for (const pid of [...keepers.map(Number), heddle.pid ?? 0]) process.kill(pid, "SIGKILL");
  await ended(heddle);
}

function of(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

const parentOf = (pid: string) => Number(/^PPid:\s*(\d+)/m.exec(of(pid, "status"))?.[1]);

/** The first attempt leaves its pid and a child of another session; the second says which of them it still sees. */
const leaves = (file: string) =>
  `const child = spawn("setsid", ["sleep", "1000"], { stdio: "ignore" });
   fs.writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid); hang()`;
const sees = (file: string) =>
  `const alive = fs.readFileSync(${JSON.stringify(file)}, "utf8").split(" ").filter((pid) => { try { return !/^\\d+ \\([^)]*\\) Z/.test(fs.readFileSync("/proc/" + pid + "/stat", "latin1")); } catch { return false; } });
   fs.writeFileSync(${JSON.stringify(`${file}.seen`)}, alive.join(" ")); good()`;

describe("G5 what an orchestrator left alive, its keeper killed before it", () => {
  it.for(["plain", "with a space", "a:colon and ünïcode/(x)"])(
    "G5 ends a task's agent before the next orchestrator's turn, in a folder called %s",
    async (name) => {
      const root = join(folder(), name);
      mkdirSync(root, { recursive: true });
      const first = await Execution.ready({ tasks: 1 });
      const project = new Execution(root);
      spawnSync("cp", ["-a", `${first.root}/.`, root]);
      const left = project.path("left");
      project.agent({ T001: [leaves(left), sees(left)] });
      const child = start(unconfined, { cwd: root });
      await until("an agent", () => existsSync(left));
      await killWithKeeper(child);
      expect(survivors(project).length).toBeGreaterThanOrEqual(2);
      const again = await project.heddle(...unconfined, "--on-orphan", "retry");
      expect(readFileSync(`${left}.seen`, "utf8")).toBe("");
      expect(again.code, again.err).toBe(0);
      expect(survivors(project)).toEqual([]);
    },
  );

  it("G5 ends a planning role's agent as well, which has no task and no folder that outlives it", async () => {
    const project = new Planning();
    const left = project.path("left");
    project.agent({
      "logic-architect": [`if (fs.existsSync("${left}")) { ${sees(left)} } else { ${leaves(left)} }`],
    });
    const words = ["--agent", "command:./agent.cjs", "--unconfined"];
    const child = start(["plan", "spec.md", "--target", "app", "--new", ...words], { cwd: project.root });
    await until("an agent", () => existsSync(left));
    await killWithKeeper(child);
    expect(survivors(project).length).toBeGreaterThanOrEqual(2);
    await project.heddle("plan", ...words);
    expect(readFileSync(`${left}.seen`, "utf8")).toBe("");
    expect(survivors(project)).toEqual([]);
  });

  it("G5 leaves the agents of another project alone, also one whose folder is spelled alike", async () => {
    const base = folder();
    const made = await Execution.ready({ tasks: 1 });
    const [one, other] = ["a-b", "a b"].map((name) => {
      const root = join(base, name);
      spawnSync("cp", ["-a", made.root, root]);
      return new Execution(root);
    }) as [Execution, Execution];
    const left = one.path("left");
    one.agent({ T001: [`fs.writeFileSync(${JSON.stringify(left)}, ""); sleep(4000); good()`] });
    const child = start(unconfined, { cwd: one.root });
    const ran = ended(child);
    await until("an agent", () => existsSync(left));
    expect((await other.heddle(...unconfined)).code).toBe(0);
    const { code, err } = await ran;
    expect(code, err).toBe(0);
    expect(await one.facts("attempt-failed")).toEqual([]);
  });
});

/** Another machine's view of the processes: there the first orchestrator is not to be seen, so its run is free. */
const elsewhere = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync("unshare", [...elsewhere, "true"]).status === 0;

describe("X17 two orchestrators", () => {
  it.runIf(canUnshare)(
    "X17 one that was replaced while it was stopped ends with one sentence and exit 1",
    async () => {
      const project = await Execution.ready(
        { tasks: 2 },
        { "*": ["if (attempt === 1) sleep(1500); good()"] },
      );
      const first = start(unconfined, { cwd: project.root });
      const ran = ended(first);
      await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
      first.kill("SIGSTOP");
      const env = { PATH: process.env.PATH, HOME: process.env.HOME };
      const words = [...elsewhere, process.execPath, cli, ...unconfined];
      const second = await ended(spawn("unshare", words, { cwd: project.root, env }));
      first.kill("SIGCONT");
      const { code, err } = await ran;
      expect(second.code, second.err).toBe(0);
      expect(err).toMatch(/^error: run `plan-1` was taken over by .* while this one stood still/);
      expect(err).not.toMatch(/bug|\n {4}at /);
      expect(code).toBe(1);
      expect(project.merged().sort()).toEqual(["T001", "T002"]);
      expect((await project.must("verify")).code).toBe(0);
    },
  );

  it("X17 a second one is refused before it says or does anything else", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["sleep(2500); good()"] });
    project.write("app/README.md", "changed, and not committed\n");
    const first = start(unconfined, { cwd: project.root });
    const ran = ended(first);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    const before = (await project.history()).length;
    for (const more of [[], ["--on-orphan", "abort"], ["--verify"], ["--agent", "scripted:none.json"]]) {
      const { code, out, err } = await project.heddle(...unconfined, ...more);
      expect(code).toBe(1);
      expect(out).toBe("");
      expect(err).toMatch(/^error: run `plan-1` is orchestrated by process \d+/);
    }
    const facts = (await project.history()).slice(before);
    expect(facts.filter(({ by }) => by !== "orchestrator")).toEqual([]);
    expect((await ran).code).toBe(0);
  });

  it("X17 a second `heddle plan` or `heddle next` is refused first, too", async () => {
    const project = new Planning({ "logic-architect": ["hang()"] });
    const first = start(["plan", "spec.md", "--target", "app", "--new", ...unconfined.slice(1, 4)], {
      cwd: project.root,
    });
    const ran = ended(first);
    await until(
      "an agent",
      () => existsSync(project.attempt("logic-architect-1", "events.jsonl")) || project.attempts().length > 0,
    );
    const { code, out, err } = await project.heddle("plan", ...unconfined.slice(1, 4));
    first.kill("SIGKILL");
    await ran;
    expect(out).toBe("");
    expect(err).toMatch(/^error: run `plan-1` is orchestrated by process \d+/);
    expect(code).toBe(1);

    const task = await Lifecycle.begun({ planner: [{ ends: "hanging" }] });
    const holder = start(["next", "--agent", "scripted:script.json"], { cwd: task.root });
    const over = ended(holder);
    await until("a planner", async () =>
      (await task.history()).some(({ fact }) => fact.kind === "job-started"),
    );
    const second = await task.heddle("next", "--agent", "scripted:script.json");
    holder.kill("SIGKILL");
    await over;
    expect(second.out).toBe("");
    expect(second.err).toMatch(/^error: run `.*` is orchestrated by process \d+/);
    expect(second.code).toBe(1);
  });
});

describe("C7 one that cannot work is asked a bounded number of times", () => {
  const script = (project: Project, turns: object) => project.write("script.json", JSON.stringify(turns));
  const limited = { attempts: 1 };

  it("C7 a scripted agent without a turn for a task, for the reviewer, or for a planning role", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.config({ ...limited });
    script(project, {});
    const ran = await project.heddle("execute", "--agent", "scripted:script.json", "--batch");
    expect(ran.code).toBe(1);
    expect((await project.facts("task-started")).length).toBeLessThanOrEqual(2);

    const reviewed = await Execution.ready({ tasks: 1 });
    const roles = { "task-verifier": { agent: "scripted:script.json" } };
    reviewed.config({ ...limited, agent: "command:./agent.cjs", review: true, roles });
    script(reviewed, {});
    expect((await reviewed.heddle("execute", "--unconfined", "--batch")).code).toBe(1);
    expect((await reviewed.facts("task-started")).length).toBeLessThanOrEqual(2);

    const planning = new Planning();
    planning.config({ ...limited });
    script(planning, {});
    const words = ["plan", "spec.md", "--target", "app", "--new", "--agent", "scripted:script.json"];
    expect((await planning.heddle(...words)).code).toBe(1);
    expect(planning.attempts().length).toBeLessThanOrEqual(2);
  });

  it("C7 a lifecycle's planner without a turn", async () => {
    const project = await Lifecycle.begun();
    script(project, {});
    project.write(".heddle/config.json", JSON.stringify(limited));
    const ran = await project.heddle("next", "--all", "--agent", "scripted:script.json");
    expect(ran.code).toBe(1);
    const started = (await project.history()).filter(({ fact }) => fact.kind === "job-started");
    expect(started.length).toBeLessThanOrEqual(2);
  });

  it("C7 two that fail, one in the place of the other", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.config({ ...limited, fallback: ["scripted:b.json", "command:./gone"] });
    project.write("a.json", "{}");
    project.write("b.json", "{}");
    const child = start(["execute", "--agent", "scripted:a.json", "--batch", "--unconfined"], {
      cwd: project.root,
    });
    const over = ended(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await over;
    clearTimeout(timer);
    expect((await project.facts("task-started")).length).toBeLessThanOrEqual(8);
  });

  it.for(["process.exit(1)", "process.exit(0)", "process.kill(process.pid, 9)"])(
    "C7 a program that does nothing but `%s`, as planner, at a task and as fixer",
    async (turn) => {
      const project = await Execution.ready({ tasks: 1 }, { T001: [turn] });
      project.config(limited);
      expect((await project.heddle(...unconfined)).code).toBe(1);
      expect(await project.facts("task-started")).toHaveLength(1);

      const broken = await Execution.ready(
        { tasks: 1 },
        { T001: [`put(out, "no json at all {{{ ]]")`], fixer: [turn] },
      );
      broken.config(limited);
      expect((await broken.heddle(...unconfined)).code).toBe(1);
      expect(await broken.facts("task-started")).toHaveLength(1);

      const planning = new Planning({ "logic-architect": [turn] });
      planning.config(limited);
      expect((await planning.plan()).code).toBe(1);
      expect(planning.attempts()).toHaveLength(1);
    },
  );
});
