// The scripted agent: the shared suite, and its own ways of being wrong.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readScript, type Script, scripted, type Turn } from "../../src/agents/scripted.ts";
import { agentSuite, type Behaviour, endOf, folder, heard, orderIn } from "./suite.ts";

const turns: Readonly<Record<Exclude<Behaviour, "cannot-start">, Turn>> = {
  writes: { text: '{"made":true}' },
  talks: { says: ["one", "two"] },
  crashes: { ends: "crashed" },
  hangs: { ends: "hanging" },
  chatters: { ends: "chattering" },
  asks: { asks: { id: "q1", text: "Which?", options: ["a", "b"] } },
  spends: { spends: { inputTokens: 10, outputTokens: 2, costUsd: 0.5 } },
  "spends-unknown": { spends: { inputTokens: 10, outputTokens: 2, costUsd: null } },
  "does-nothing": {},
};

agentSuite({
  name: "scripted",
  make: (behaviour, root) =>
    scripted(behaviour === "cannot-start" ? {} : { "logic-architect": [turns[behaviour]] }, root),
});

describe("a script", () => {
  it("has a turn per attempt, and repeats the last", async () => {
    const script: Script = { "logic-architect": [{ text: "1" }, { text: "2" }] };
    const root = folder();
    for (const [attempt, text] of [
      [1, "1"],
      [2, "2"],
      [5, "2"],
    ] as const) {
      const order = { ...orderIn(root), attempt };
      await heard(scripted(script, root), order);
      expect(readFileSync(order.output, "utf8")).toBe(text);
    }
  });

  it("has turns for everybody under `*`", async () => {
    const root = folder();
    expect(endOf(await heard(scripted({ "*": [{ text: "x" }] }, root), orderIn(root))).kind).toBe("finished");
  });

  it("fills in the target and the planning folder", async () => {
    const root = folder();
    const order = orderIn(root);
    await heard(scripted({ "*": [{ text: "@TARGET@ @PLANNING@" }] }, root), order);
    expect(readFileSync(order.output, "utf8")).toBe("/target /planning");
  });

  it("copies a folder", async () => {
    const root = folder();
    mkdirSync(join(root, "tasks"));
    writeFileSync(join(root, "tasks/T001.json"), "{}");
    const order = orderIn(root);
    await heard(scripted({ "*": [{ from: "tasks" }] }, root), order);
    expect(readdirSync(order.output)).toEqual(["T001.json"]);
  });

  it("can write elsewhere than it was told, and far too much", async () => {
    const root = folder();
    const order = orderIn(root);
    await heard(scripted({ "*": [{ to: "wrong.json", bytes: 1000 }] }, root), order);
    expect(readFileSync(join(order.workspace.cwd, "wrong.json"), "utf8")).toHaveLength(1000);
  });

  it("never throws: a file that is not there stops it as failed", async () => {
    const root = folder();
    const events = await heard(scripted({ "*": [{ from: "nothing.json" }] }, root), orderIn(root));
    expect(endOf(events).kind).toBe("failed");
  });

  it("never throws: a turn without the shape of one stops it as failed", async () => {
    const root = folder();
    const events = await heard(scripted({ "*": 7 } as unknown as Script, root), orderIn(root));
    expect(endOf(events).kind).toBe("failed");
  });

  it("that cannot be read is a problem with its file", () => {
    const root = folder();
    writeFileSync(join(root, "script.json"), "{");
    expect(readScript(join(root, "script.json"))).toMatchObject({
      code: "bad-script",
      place: { file: join(root, "script.json") },
    });
    expect(readScript(join(root, "nothing.json"))).toMatchObject({ code: "bad-script" });
  });
});
