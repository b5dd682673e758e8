// Working through MCP: a host that executes, cancels and goes away, and a question that survives kill -9.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution, survivors } from "../execute/rig.ts";
import { hasBox } from "../needs.ts";
import { Client } from "./rig.ts";

const allowing = (project: Execution) =>
  project.config({
    agent: "command:./agent.cjs",
    mcp: { allow: ["status", "execute", "halt", "resume"] },
    ...(!hasBox && { unconfined: true }),
  });

describe("a host that may execute", () => {
  it("U2 has tasks done, is told what happens meanwhile, and can look on", async () => {
    const project = await Execution.ready({ tasks: 2 }, { "*": ["say('noise'); sleep(300); good()"] });
    allowing(project);
    const client = Client.in(project);
    await client.begin();
    const done = client.request("tools/call", {
      name: "execute",
      arguments: { parallel: 2 },
      _meta: { progressToken: 7 },
    });
    await until("the first is told", () => client.messages.some(({ method }) => method));
    expect((await client.call("status")).document.phase).toBe("executing");
    const { result } = await done;
    expect(result.isError).toBe(false);
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
    const told = client.messages.filter(({ method }) => method === "notifications/progress");
    expect(told.map(({ params }) => params.progress)).toEqual(told.map((_, at) => at + 1));
    expect(told.map(({ params }) => params.message).join("\n")).toContain("T001 done: verified and merged");
    expect(await client.close()).toBe(0);
  });

  it("U2 halts the run when it cancels, and what runs may finish", async () => {
    const project = await Execution.ready({ tasks: 3 }, { T001: ["gate(); good()"] });
    allowing(project);
    const client = Client.in(project);
    await client.begin();
    void client.request("tools/call", { name: "execute", arguments: { parallel: "1" } }, "x");
    await until("an agent works", () => existsSync(project.attempt("T001-1", "started.json")));
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } });
    await until("the halt", async () => (await client.call("status")).document.halt !== null);
    project.release("T001-1");
    await until("it has stopped", async () => (await client.call("status")).document.orchestrator === null);
    expect(project.merged()).toEqual(["T001"]);
    expect((await client.call("status")).document.halt).not.toBeNull();
    expect(client.messages.some(({ id }) => id === "x")).toBe(false);
    expect(await client.close()).toBe(0);
  });

  it("U2 leaves nothing running when it goes away; the next one goes on", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["hang()", "good()"] });
    allowing(project);
    const client = Client.in(project);
    await client.begin();
    void client.request("tools/call", { name: "execute", arguments: { batch: true } });
    await until("an agent works", () => existsSync(project.attempt("T001-1", "started.json")));
    expect(await client.close()).toBe(0);
    expect(survivors(project)).toEqual([]);
    const { halt } = await project.status();
    if (halt) await project.must("resume");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
  });
});

describe("a question that was acknowledged", () => {
  it("C8 X13 is there after kill -9, and the agent is not paid for twice", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `spawnSync("heddle", ["attempt", "ask", "Which port?", "--option", "80", "8080"]); hang()`,
          'if (bundle.answers[0]?.answer !== "80") throw 1; good()',
        ],
      },
    );
    const child = start([...project.words, "--batch"], { cwd: project.root });
    await until("it is written down", () => existsSync(project.attempt("T001-1", "asked.json")));
    child.kill("SIGKILL");
    await ended(child);
    expect((await project.execute()).code).toBe(1);
    expect(await project.facts("question-asked")).toMatchObject([{ text: "Which port?", about: "T001" }]);
    expect((await project.facts("task-started")).length).toBe(1);
    expect(survivors(project)).toEqual([]);
    await project.must("answer", "T001-1-q1", "80");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
  });
});
