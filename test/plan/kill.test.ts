// kill -9 at any moment of a planning run: the next `heddle plan` goes on, and nothing that was right is paid for twice.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Chance } from "../e2e/random.ts";
import { cli, ended, start, until } from "../e2e/rig.ts";
import { expectWhole } from "../e2e/whole.ts";
import { hasStrace } from "../needs.ts";
import { thorough } from "../thorough.ts";
import { confined, living, Planning, readyPlan, roles } from "./rig.ts";

const campaign = Number(process.env.HEDDLE_KILLS ?? (thorough ? 10 : 3));
const first = ["plan", "spec.md", "--target", "app", "--new", ...confined(false)];

/** An agent that writes down each of its starts, and takes a moment before its work is done. */
function counted(pauseMs = 40): Planning {
  const project = new Planning();
  const log = JSON.stringify(project.path("starts.log"));
  const turn = `fs.appendFileSync(${log}, role + "-" + attempt + "\\n"); setTimeout(good, ${pauseMs})`;
  project.agent(Object.fromEntries(roles.map((role) => [role, [turn]])));
  appendFileSync(project.path("starts.log"), "");
  return project;
}

const starts = (project: Planning) =>
  readFileSync(project.path("starts.log"), "utf8").split("\n").filter(Boolean);
const startsOf = (project: Planning, name: string) => starts(project).filter((each) => each === name).length;

/** Attempts whose agent had come to its end, as heddle wrote down. */
const overIn = (project: Planning) =>
  project.attempts().filter((name) => existsSync(project.attempt(name, "ended.json")));

/** Runs `plan` and kills it after so many milliseconds. True when it was faster. */
async function planKilled(project: Planning, afterMs: number): Promise<boolean> {
  const child = start(first, { cwd: project.root });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const { signal } = await ended(child);
  clearTimeout(timer);
  return signal === null;
}

it("C1 at random moments: each time the next plan goes on, up to `ready`", {
  timeout: 120_000,
}, async () => {
  const chance = new Chance();
  let kills = 0;
  while (kills < campaign) {
    const project = counted();
    const paid = new Map<string, number>();
    for (let done = false; !done && kills < campaign; ) {
      done = await planKilled(project, 150 + chance.next() * 900);
      if (!done) kills++;
      for (const [name, count] of paid)
        expect(startsOf(project, name), `seed ${chance.seed}: ${name} was paid for again`).toBe(count);
      for (const name of overIn(project)) paid.set(name, startsOf(project, name));
    }
    const last = await project.heddle(
      ...(project.has(".heddle/heddle.db") ? ["plan", ...confined(false)] : first),
    );
    const next = last.code === 64 ? await project.heddle(...first) : last;
    expect(next.code, `seed ${chance.seed}: ${next.out}${next.err}`).toBe(0);
    expect((await expectWhole(project)).phase).toBe("ready");
    await until("the end of every agent", () => living(project.path("agent.cjs")).length === 0, 30_000);
  }
});

describe.concurrent("C1 at a chosen moment", () => {
  /** Kills heddle as soon as `what` lies in the attempt. */
  async function killedOnce(project: Planning, what: string): Promise<void> {
    const child = start(first, { cwd: project.root });
    const over = ended(child);
    await until(what, () => existsSync(what));
    child.kill("SIGKILL");
    await over;
  }

  it("in the agent, before its output: the agent ends too, and the attempt is lost, which costs no try", async () => {
    const project = counted(60_000);
    const child = start(first, { cwd: project.root });
    const over = ended(child);
    await until("the agent's start", () => starts(project).length === 1);
    child.kill("SIGKILL");
    await over;
    await until("the agent's end", () => living(project.path("agent.cjs")).length === 0, 30_000);
    project.agent({});
    expect((await project.again()).code).toBe(0);
    expect(project.attempts("logic-architect").sort()).toEqual(["logic-architect-1", "logic-architect-2"]);
    const parked = (await project.history()).find(({ fact }) => fact.kind === "job-parked");
    expect(parked?.fact).toMatchObject({ role: "logic-architect", attempt: 1, lost: true });
  });

  it("in the agent, after its output was right: the agent is not started again", async () => {
    const project = counted();
    const done = project.path("done");
    const stay = `fs.writeFileSync('${done}', ''); setTimeout(() => {}, 60_000)`;
    project.program(project.text("agent.cjs").replace("setTimeout(good, 40)", `good(); ${stay}`));
    await killedOnce(project, done);
    project.program(project.text("agent.cjs").replace(stay, ""));
    const { code, out } = await project.again();
    expect(code, out).toBe(0);
    expect(startsOf(project, "logic-architect-1")).toBe(1);
    expect(project.attempts("logic-architect")).toHaveLength(1);
  });

  it("between the agent's end and the check: what it did is taken over", async () => {
    const project = counted();
    await killedOnce(project, project.attempt("logic-architect-1", "ended.json"));
    expect((await project.again()).code).toBe(0);
    expect(startsOf(project, "logic-architect-1")).toBe(1);
  });

  it("after an attempt that failed: its failure counts, and it is not started again under the same number", async () => {
    const project = counted();
    project.program(
      project.text("agent.cjs").replace("setTimeout(good, 40)", "if (attempt === 1) process.exit(9); good()"),
    );
    await killedOnce(project, project.attempt("logic-architect-1", "ended.json"));
    expect((await project.again()).code).toBe(0);
    expect(startsOf(project, "logic-architect-1")).toBe(1);
    expect(startsOf(project, "logic-architect-2")).toBe(1);
  });

  it("while a question is open: it is still open", async () => {
    const project = new Planning({
      "logic-architect": ["say({ type: 'question', id: 'q', text: 'Why?' })", "good()"],
    });
    await killedOnce(project, project.attempt("logic-architect-1", "ended.json"));
    const { out } = await project.again();
    const id = /heddle answer (\S+)/.exec(out)?.[1] ?? "";
    await project.must("answer", id, "because");
    expect((await project.again()).code).toBe(0);
  });
});

describe.skipIf(!hasStrace)(
  "C1 at a chosen write, between file and journal (left out without strace)",
  () => {
    it("goes on to `ready`, whichever file was the last", { timeout: 120_000 }, async () => {
      const made = await readyPlan();
      const script = made.path("script.json");
      const points = [3, 9, 16, 24, 33, 45];
      for (const nth of points) {
        const project = new Planning();
        const words = [cli, "plan", "spec.md", "--target", "app", "--new", "--agent", `scripted:${script}`];
        const inject = ["-e", "trace=rename", "-e", `inject=rename:signal=KILL:when=${nth}`];
        const killed = await ended(
          spawn("strace", ["-qq", "-o", "/dev/null", ...inject, process.execPath, ...words], {
            cwd: project.root,
          }),
        );
        expect(killed.signal, `there is no rename ${nth}`).toBe("SIGKILL");
        const next = await project.heddle(...words.slice(1));
        expect(next.code, `rename ${nth}: ${next.out}${next.err}`).toBe(0);
        expect((await expectWhole(project)).phase).toBe("ready");
      }
    });
  },
);
