// What every agent must do, whatever stands behind it (the contract of `src/agents/agent.ts`). An adapter passes it by
// saying how it is made to behave in each of these ways.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Agent, AgentEvent, Order, Stopped } from "../../src/agents/agent.ts";
import type { Limits } from "../../src/host/program/limits.ts";

export type Behaviour =
  | "writes"
  | "talks"
  | "crashes"
  | "hangs"
  | "chatters"
  | "asks"
  | "spends"
  | "spends-unknown"
  | "does-nothing"
  | "cannot-start";

export interface Maker {
  readonly name: string;
  /** An agent that behaves so; `folder` is empty and its own. */
  readonly make: (behaviour: Behaviour, folder: string) => Agent;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "heddle-agent-"));
  folders.push(path);
  return path;
}

const generous: Limits = { wallMs: 60_000, silenceMs: 60_000, outputBytes: 1e6, lineBytes: 1e5 };

export function orderIn(root: string, limits: Partial<Limits> = {}): Order {
  const at = (name: string) => join(root, name);
  for (const name of ["work", "home", "out", "records"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("bundle.json"), JSON.stringify({ target_dir: "/target", planning_dir: "/planning" }));
  writeFileSync(at("token"), "token");
  return {
    role: "logic-architect",
    task: "",
    attempt: 1,
    bundle: at("bundle.json"),
    token: at("token"),
    output: at("out/map.json"),
    workspace: {
      cwd: at("work"),
      home: at("home"),
      writable: [at("out")],
      readable: [],
      records: at("records"),
    },
    limits: { ...generous, ...limits },
  };
}

export async function heard(
  agent: Agent,
  order: Order,
  signal = new AbortController().signal,
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.work(order, signal)) events.push(event);
  return events;
}

export function endOf(events: readonly AgentEvent[]): Stopped {
  const last = events.at(-1);
  if (last?.kind !== "stopped") throw new Error(`the last event is \`${last?.kind}\``);
  return last.how;
}

export function agentSuite({ name, make }: Maker): void {
  const behaviours: readonly Behaviour[] = [
    "writes",
    "talks",
    "crashes",
    "asks",
    "spends",
    "does-nothing",
    "cannot-start",
    "chatters",
  ];
  const act = (behaviour: Behaviour, limits: Partial<Limits> = {}, signal?: AbortSignal) => {
    const root = folder();
    const order = orderIn(root, limits);
    return { order, events: heard(make(behaviour, root), order, signal) };
  };

  describe(`${name}, as an agent`, () => {
    it.each(behaviours)("has exactly one `stopped`, as its last event, when it %s", async (behaviour) => {
      const events = await act(behaviour, { outputBytes: 50_000 }).events;
      expect(events.filter(({ kind }) => kind === "stopped")).toHaveLength(1);
      expect(events.at(-1)?.kind).toBe("stopped");
    });

    it("leaves its output where the order says, and finishes", async () => {
      const { order, events } = act("writes");
      expect(endOf(await events)).toEqual({ kind: "finished" });
      expect(JSON.parse(readFileSync(order.output, "utf8"))).toEqual({ made: true });
    });

    it("finishes without an output as well: whether there is one is not its to say", async () => {
      const { order, events } = act("does-nothing");
      expect(endOf(await events)).toEqual({ kind: "finished" });
      expect(existsSync(order.output)).toBe(false);
    });

    it("passes on what it says, in order", async () => {
      const said = (await act("talks").events).flatMap((event) =>
        event.kind === "said" ? [event.text] : [],
      );
      expect(said).toEqual(["one", "two"]);
    });

    it("C7 stops as failed and retryable when it crashes", async () => {
      expect(endOf(await act("crashes").events)).toMatchObject({
        kind: "failed",
        category: "runtime",
        retryable: true,
      });
    });

    it("stops as failed, and not to be tried again, when it cannot start", async () => {
      expect(endOf(await act("cannot-start").events)).toMatchObject({
        kind: "failed",
        category: "environment",
        retryable: false,
      });
    });

    it("C7 stops at its time limit and says so", async () => {
      const end = endOf(await act("hangs", { wallMs: 300 }).events);
      expect(end).toMatchObject({ kind: "failed", category: "timeout", retryable: true });
      expect("message" in end && end.message).toMatch(/longer than 0\.3 s|wall/);
    });

    it("C7 stops at its silence limit and says so", async () => {
      const end = endOf(await act("hangs", { silenceMs: 300 }).events);
      expect("message" in end && end.message).toMatch(/silent|said nothing|silence/);
    });

    it("C7 stops at its output limit and says so", async () => {
      const end = endOf(await act("chatters", { outputBytes: 50_000 }).events);
      expect("message" in end && end.message).toMatch(/printed more|output/);
    });

    it("stops within ten seconds after an abort", async () => {
      const abort = new AbortController();
      const { events } = act("hangs", {}, abort.signal);
      setTimeout(() => abort.abort(), 150);
      const startedAt = performance.now();
      expect(endOf(await events).kind).toBe("failed");
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    });

    it("stops at once, and leaves nothing, when it was aborted before it began", async () => {
      const { order, events } = act("writes", {}, AbortSignal.abort());
      expect(endOf(await events).kind).toBe("failed");
      expect(existsSync(order.output)).toBe(false);
    });

    it("C8 asks with id, text and options, and finishes", async () => {
      const events = await act("asks").events;
      expect(events).toContainEqual({ kind: "asked", id: "q1", text: "Which?", options: ["a", "b"] });
      expect(endOf(events).kind).toBe("finished");
    });

    it("C12 says what it spent", async () => {
      expect(await act("spends").events).toContainEqual({
        kind: "spent",
        inputTokens: 10,
        outputTokens: 2,
        costUsd: 0.5,
      });
    });

    it("C12 says that it does not know what it cost", async () => {
      expect(await act("spends-unknown").events).toContainEqual({
        kind: "spent",
        inputTokens: 10,
        outputTokens: 2,
        costUsd: null,
      });
    });

    it("works for two orders at once without mixing them", async () => {
      const [first, second] = [act("writes"), act("talks")];
      const [wrote, talked] = await Promise.all([first.events, second.events]);
      expect(wrote.some((event) => event.kind === "said" && event.text === "one")).toBe(false);
      expect(existsSync(second.order.output)).toBe(false);
      expect(talked.filter(({ kind }) => kind === "stopped")).toHaveLength(1);
    });

    it("can be left in the middle: nothing of it goes on", async () => {
      const root = folder();
      const order = orderIn(root);
      for await (const event of make("talks", root).work(order, new AbortController().signal))
        if (event.kind === "said") break;
      expect(existsSync(order.output)).toBe(false);
    });
  });
}
