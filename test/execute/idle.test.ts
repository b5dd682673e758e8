// Nothing lies when nobody works (X26), and the same command goes on (X27): after a kill -9, a Ctrl-C twice, and on a Node
// that only starts another.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cli, ended, start, until } from "../e2e/rig.ts";
import { Execution } from "./rig.ts";

async function atWork(turns: Readonly<Record<string, readonly string[]>>): Promise<Execution> {
  return Execution.ready({ tasks: 1 }, turns);
}

async function working(project: Execution): Promise<void> {
  while (!existsSync(project.attempt("T001-1", "started.json"))) await sleep(20);
}

describe("nobody works", () => {
  it("X26 X27 after a kill -9 every view says so, since when, and what to type, and that works", async () => {
    const project = await atWork({ T001: ["hang()", "good()"] });
    const first = start([...project.words, "--batch"], { cwd: project.root });
    const gone = ended(first);
    await working(project);
    const during = JSON.parse((await project.must("status", "--json")).out);
    expect(during).toMatchObject({ idle: null, orchestrator: { pid: first.pid } });
    first.kill("SIGKILL");
    await gone;
    const { idle, orchestrator } = JSON.parse((await project.must("status", "--json")).out);
    expect(orchestrator).toBeNull();
    expect(idle).toMatchObject({ killed: true, go_on: expect.stringMatching(/^heddle execute/) });
    expect(Math.abs(Date.parse(idle.since) - Date.now())).toBeLessThan(60_000);
    expect((await project.must("status")).out).toContain("no orchestrator has been running since");
    const why = (await project.must("why", "T001")).out;
    expect(why).toContain("nobody is working on it");
    expect(why).toContain(`hint: ${idle.go_on}`);
    // As it is typed: the agent that was named is remembered.
    const ran = await project.heddle(...idle.go_on.split(" ").slice(1));
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(JSON.parse((await project.must("status", "--json")).out).idle).toBeNull();
  });

  it("X26 X27 Ctrl-C twice asks for no resume, and says what to type", async () => {
    const project = await atWork({ T001: ["hang()", "good()"] });
    const first = start([...project.words, "--batch"], { cwd: project.root });
    const done = ended(first);
    await working(project);
    first.kill("SIGINT");
    await until("the run halts", async () => (await project.facts("halt-requested")).length > 0);
    first.kill("SIGINT");
    const ran = await done;
    expect(ran.code).toBe(130);
    expect(ran.out).not.toContain("heddle resume");
    const { idle } = JSON.parse((await project.must("status", "--json")).out);
    expect(idle).toMatchObject({ killed: false, go_on: expect.stringMatching(/^heddle execute/) });
    project.agent({ T001: ["good()"] });
    expect((await project.heddle(...idle.go_on.split(" ").slice(1))).code).toBe(0);
  });

  it("X27 resume says what continues and how", async () => {
    const project = await atWork({});
    await project.must("halt", "lunch");
    expect((await project.must("resume")).out).toMatch(
      /Execution resumed\nNothing runs yet\. .*: heddle execute/,
    );
  });

  it("X26 whoever is started by an older Node ends with it", async () => {
    const project = await atWork({});
    const child = spawn(process.execPath, [cli, "history", "--follow"], {
      cwd: project.root,
      env: { ...process.env, HEDDLE_TETHER: "3" },
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    const over = once(child, "exit");
    await sleep(300);
    child.stdio[3]?.destroy();
    expect(await over).toEqual([null, "SIGKILL"]);
  });
});
