// M5 C8: the three kinds of checkpoint, with options, answered from the command line, the REPL and MCP; each answer is in the
// executor's next bundle.
import { describe, expect, it } from "vitest";
import { Client } from "../mcp/rig.ts";
import { hasScript, keys, Terminal } from "../plan/terminal.ts";
import { hasBox, Mission } from "./rig.ts";

const goal = "write the files";
const stops = (reason: string) => ({
  "01-01": [
    `sum("checkpoint", { checkpoint: { reason: "${reason}", message: "Red or blue?", options: ["red", "blue"] } })`,
    "good()",
  ],
});

async function waiting(reason: string): Promise<Mission> {
  const project = new Mission(stops(reason));
  const ran = await project.mission(goal);
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("checkpoint_required: Red or blue?");
  return project;
}

/** What the executor was given when it went on. */
async function wentOnWith(project: Mission, id: string, answer: string): Promise<void> {
  expect(project.bundle("01-01-2").answers).toEqual([{ id, question: "Red or blue?", answer }]);
  expect(project.bundle("01-01-2").previous_attempt).toBeNull();
  expect(project.stateJson()).toMatchObject({ status: "complete", retry_count: 0 });
}

describe("a checkpoint", () => {
  it.each(["decision_required", "human_action", "human_verify"])(
    "M5 C8 %s shows its options, and the answer reaches the executor",
    async (reason) => {
      const project = await waiting(reason);
      const id = `01-01-1-${reason}`;
      const { questions, standing } = await project.status();
      expect(questions).toEqual([{ id, text: "Red or blue?", options: ["red", "blue"], asked_by: "01-01" }]);
      expect(standing.code).toBe("checkpoint_required");
      await project.must("answer", id, "blue");
      expect((await project.mission()).code).toBe(0);
      await wentOnWith(project, id, "blue");
    },
  );

  it("C8 U2 is answered over MCP, twice without harm, and the mission goes on", async () => {
    const project = await waiting("human_verify");
    const id = "01-01-1-human_verify";
    const client = Client.in(project);
    await client.begin();
    const seen = await client.call("status", {});
    expect(JSON.stringify(seen.document)).toContain("Red or blue?");
    for (const _ of [1, 2]) {
      const told = await client.call("answer", { question: id, text: "red" });
      expect(told.isError, told.texts.join()).toBe(false);
    }
    expect(await project.facts("question-answered")).toHaveLength(1);
    expect((await project.mission()).code).toBe(0);
    // It has been used: it can no longer be corrected.
    expect((await client.call("answer", { question: id, text: "blue" })).isError).toBe(true);
    await wentOnWith(project, id, "red");
  });

  it.skipIf(!hasScript)(
    "C8 L13 is answered in the REPL, in place, and the mission goes on there (left out without `script`)",
    async () => {
      const project = new Mission(stops("decision_required"));
      project.write(
        ".heddle/config.json",
        JSON.stringify({ agent: "command:./.heddle/agent.cjs", unconfined: !hasBox }),
      );
      const terminal = new Terminal(project.root, ["--plain"]);
      await terminal.answer(/heddle> /, `/mission "${goal}"`, keys.enter);
      await terminal.answer(/\? 01-01 asks: Red or blue\?[^?]*or type your own answer/, "2", keys.enter);
      await terminal.answer(/phase_complete: Phase Complete/, "/quit", keys.enter);
      expect(await terminal.over(), terminal.text).toBe(0);
      await wentOnWith(project, "01-01-1-decision_required", "blue");
    },
  );

  it.skipIf(!hasScript).each([
    ["a command's prompt", ["mission", goal], /a number, or your own answer/],
    ["a command's prompt in plain lines", ["--plain", "mission", goal], /or type your own answer/],
    ["the REPL's prompt", ["--plain"], /or type your own answer/],
  ] as const)(
    "C8 is answered elsewhere while %s waits for it, and the mission goes on there (left out without `script`)",
    async (_, args, asked) => {
      const project = new Mission(stops("decision_required"));
      project.write(
        ".heddle/config.json",
        JSON.stringify({ agent: "command:./.heddle/agent.cjs", unconfined: !hasBox }),
      );
      const terminal = new Terminal(project.root, args);
      const isRepl = args.length === 1;
      if (isRepl) await terminal.answer(/heddle> /, `/mission "${goal}"`, keys.enter);
      await terminal.answer(asked);
      await project.must("answer", "01-01-1-decision_required", "blue");
      await terminal.answer(/answered elsewhere: blue/);
      await terminal.answer(/Phase Complete/, ...(isRepl ? ["/quit", keys.enter] : []));
      expect(await terminal.over(), terminal.text).toBe(0);
      await wentOnWith(project, "01-01-1-decision_required", "blue");
    },
  );

  it.skipIf(!hasScript)(
    "C8 L13 that waits since an earlier run is answered by /answer and gone on with (left out without `script`)",
    async () => {
      const project = await waiting("human_action");
      project.write(
        ".heddle/config.json",
        JSON.stringify({ agent: "command:./.heddle/agent.cjs", unconfined: !hasBox }),
      );
      const terminal = new Terminal(project.root, ["--plain"]);
      await terminal.answer(/heddle> /, "/answer 01-01-1-human_action red", keys.enter);
      await terminal.answer(/heddle> /, "/mission", keys.enter);
      await terminal.answer(/phase_complete: Phase Complete/, "/quit", keys.enter);
      expect(await terminal.over(), terminal.text).toBe(0);
      await wentOnWith(project, "01-01-1-human_action", "red");
    },
  );
});
