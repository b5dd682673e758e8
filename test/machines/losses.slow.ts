// What goes wrong between machines, over a real ssh: a machine that is lost or cut off in the middle, stopped and woken up, of
// another version, without what it needs, and an orchestrator that is killed. `npm run machines`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution, type Turns } from "../execute/rig.ts";
import { hasSshd, Machines } from "./sshd.ts";

let machines: Machines | undefined;
afterEach(() => machines?.stop());

const slow = test.skipIf(!hasSshd);

/** An agent that says that it began, and waits: once for each file that is missing there. */
const waitsFor = (file: string): Turns => ({
  "*": [
    `put(${JSON.stringify(file)} + ".began-" + process.pid, ""); while (!fs.existsSync(${JSON.stringify(file)})) sleep(50); good();`,
    "good()",
  ],
});

interface Stage {
  readonly project: Execution;
  readonly run: ReturnType<typeof ended>;
  readonly stop: () => void;
}

async function begin(config: object, turns: Turns): Promise<Stage> {
  const project = await Execution.ready({ tasks: 1 }, turns);
  project.config({ unconfined: true, ...config });
  const words = ["execute", "--agent", "command:./agent.cjs", "--unconfined", "--batch"];
  const child = start(words, { cwd: project.root, env: { PATH: machines?.path ?? "" } });
  return { project, run: ended(child), stop: () => child.kill("SIGKILL") };
}

const hasBegun = (folder: string) => readdirSync(folder).some((name) => name.startsWith("go.began-"));
/** Where the attempt is: on the machine that answered first. */
async function placeOf(project: Execution): Promise<{ readonly on: string; readonly other: string }> {
  const [begun] = await project.facts("task-started");
  const on = String(begun?.machine ?? "here");
  return { on, other: on === "a" ? "b" : "a" };
}

const here0 = { here: true, slots: 0 };

slow("U5 a machine that is lost in the middle loses the attempt, not a try; another takes it", async () => {
  machines = new Machines();
  const both = { a: await machines.start("a"), b: await machines.start("b") };
  const go = join(machines.folder, "go");
  const hosts = [here0, { ssh: "a", slots: 2 }, { ssh: "b", slots: 1 }];
  const { project, run } = await begin({ hosts }, waitsFor(go));
  await until("the agent has begun", () => hasBegun(machines?.folder ?? ""), 60_000);
  const { on, other } = await placeOf(project);
  await both[on as "a" | "b"].lose();
  const ran = await run;
  expect(ran.out).toContain(`T001 begins on ${on}`);
  expect(ran.out).toContain(`T001 begins attempt 2 on ${other}`);
  expect(ran.code).toBe(0);
  expect(project.merged()).toEqual(["T001"]);
  expect(await project.facts("attempt-lost")).toHaveLength(1);
  expect(await project.facts("attempt-failed")).toEqual([]);
});

slow(
  "U5 a machine that is stopped is given up, and what it says when it wakes up changes nothing",
  async () => {
    machines = new Machines();
    const both = { a: await machines.start("a"), b: await machines.start("b") };
    const go = join(machines.folder, "go");
    const hosts = [here0, { ssh: "a", slots: 2 }, { ssh: "b", slots: 1 }];
    const { project, run } = await begin({ hosts }, waitsFor(go));
    await until("the agent has begun", () => hasBegun(machines?.folder ?? ""), 60_000);
    const { on } = await placeOf(project);
    const first = both[on as "a" | "b"];
    first.signal("SIGSTOP");
    const ran = await run;
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
    first.signal("SIGCONT");
    // It finds that nobody listens, and ends what it had started.
    await until("nothing runs there", () => first.processes().length === 0, 90_000);
    expect(project.merged()).toEqual(["T001"]);
    expect((await project.heddle("verify")).code).toBe(0);
  },
);

slow("U5 a machine that is cut off ends its agent by itself, and works again when it is back", async () => {
  machines = new Machines();
  const only = await machines.start("a");
  const go = join(machines.folder, "go");
  const { project, run } = await begin({ hosts: [here0, { ssh: "a", slots: 1 }] }, waitsFor(go));
  await until("the agent has begun", () => hasBegun(machines?.folder ?? ""), 60_000);
  only.cutOff();
  await until("its agent was ended there", () => only.agents().length === 0, 90_000);
  await until("the attempt was lost", async () => (await project.facts("attempt-lost")).length === 1, 60_000);
  const why = await project.heddle("why", "T001");
  expect(why.out).toContain("it waits for a machine");
  only.mendWire();
  const ran = await run;
  expect(ran.code).toBe(0);
  expect(project.merged()).toEqual(["T001"]);
});

slow("U5 when the orchestrator is killed, its machine ends the agent; the next one continues", async () => {
  machines = new Machines();
  const only = await machines.start("a");
  const go = join(machines.folder, "go");
  const config = { hosts: [here0, { ssh: "a", slots: 1 }] };
  const { project, run, stop } = await begin(config, waitsFor(go));
  await until("the agent has begun", () => hasBegun(machines?.folder ?? ""), 60_000);
  stop();
  await run;
  await until("its agent was ended there", () => only.processes().length === 0, 60_000);
  project.agent({});
  const words = ["execute", "--agent", "command:./agent.cjs", "--unconfined", "--batch"];
  const again = await ended(start(words, { cwd: project.root, env: { PATH: machines.path } }));
  expect(again.out + again.err).toContain("T001 done");
  expect(project.merged()).toEqual(["T001"]);
});

slow(
  "U5 refuses another version, a missing heddle and a machine that is not there, each with a sentence",
  async () => {
    machines = new Machines();
    const [old, bare] = [await machines.start("old"), await machines.start("bare")];
    old.program(
      "heddle",
      `echo 'hello from .bashrc'; echo '{"kind":"hello","version":"0.1.2","wire":1}'; cat > /dev/null`,
    );
    bare.remove("heddle");
    const project = await Execution.ready({ tasks: 1 }, {});
    project.config({ hosts: [{ ssh: "old" }, { ssh: "bare" }, { ssh: "nowhere.invalid" }] });
    const said = async (name: string) =>
      (
        await ended(
          start(["doctor", "--host", name], { cwd: project.root, env: { PATH: machines?.path ?? "" } }),
        )
      ).out;
    expect(await said("old")).toMatch(
      /old has heddle 0\.1\.2, and this is .*: install the same version there/,
    );
    expect(await said("bare")).toContain("`heddle` is not on the PATH of a plain ssh command there");
    expect(await said("nowhere.invalid")).toContain("ssh could not reach it");
    const unknown = await project.heddle("doctor", "--host", "elsewhere");
    expect(unknown.err).toContain("`elsewhere` is not among the hosts");
  },
);

slow("U5 says what a machine has, and writes no secret there", async () => {
  machines = new Machines();
  const there = await machines.start("a");
  const project = await Execution.ready(
    { tasks: 1 },
    { "*": ["put('seen.txt', process.env.MY_TOKEN ?? 'none'); good()"] },
  );
  const agents = { mine: { command: ["./agent.cjs"], env: ["MY_TOKEN"] } };
  project.config({
    unconfined: true,
    agent: "mine",
    agents,
    scope: "any",
    hosts: [here0, { ssh: "a", slots: 1 }],
  });
  const env = { PATH: machines.path, MY_TOKEN: "secret-of-home" };
  const doctor = await ended(start(["doctor", "--host", "a"], { cwd: project.root, env }));
  for (const word of ["ssh", "heddle", "node", "git", "disk", "clock"]) expect(doctor.out).toContain(word);
  const ran = await ended(start(["execute", "--unconfined", "--batch"], { cwd: project.root, env }));
  expect(ran.out + ran.err).toContain("T001 done");
  expect(project.show("seen.txt")).toBe("none");
  const files = readdirSync(there.home, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const holding = files.filter((each) =>
    readFileSync(join(each.parentPath, each.name), "latin1").includes("secret-of-home"),
  );
  expect(holding.map(({ name }) => name)).toEqual([]);
  expect(existsSync(there.carried)).toBe(true);
});
