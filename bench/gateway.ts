// What the gateway to models adds to a request: time to the first byte, CPU, memory beside open streams, and what is left
// after very many requests. The vendor and those who ask are processes of their own.
import { type ChildProcess, fork } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPass, type Pass } from "../src/gateway/gateway.ts";
import { type Bench, exactly, type Figure } from "./figure.ts";
import { estimate, median } from "./statistics.ts";

const children = new Set<ChildProcess>();

function started(...words: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, "gateway-load.ts"), [...words]);
  children.add(child);
  return child;
}

const told = <T>(child: ChildProcess): Promise<T> =>
  new Promise((settle) => child.once("message", (said) => settle(said as T)));

interface Way {
  readonly port: number;
  readonly path: string;
  readonly token: string;
}

async function ask(way: Way, count: number, atOnce = 1): Promise<number> {
  const child = started("client", String(way.port), way.path, way.token, String(count), String(atOnce));
  const { medianMs } = await told<{ medianMs: number }>(child);
  child.kill();
  children.delete(child);
  return medianMs;
}

async function gatewayTo(vendorPort: number): Promise<Way & { readonly pass: Pass }> {
  const budget = { whose: "the run", key: "bench", limitUsd: 1e9, spentUsd: 0 };
  const pass = openPass(
    {
      routes: [{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }],
      budgets: [budget],
      costOf: () => 0.001,
      counted: () => {},
    },
    { ANTHROPIC_API_KEY: "sk-bench", ANTHROPIC_BASE_URL: `http://127.0.0.1:${vendorPort}` },
  );
  const listening = createServer();
  await new Promise<void>((settle) => listening.listen(0, "127.0.0.1", settle));
  pass.serve(listening);
  const { port } = listening.address() as AddressInfo;
  return { pass, port, path: "/anthropic/v1/messages", token: pass.variables.ANTHROPIC_API_KEY ?? "" };
}

const heapMb = () => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 1e6;
};

async function firstByte(direct: Way, behind: Way, rounds: number): Promise<Figure> {
  const added: number[] = [];
  for (let n = 0; n < rounds; n++) added.push((await ask(behind, 200)) - (await ask(direct, 200)));
  return {
    name: "added to the first byte",
    unit: "ms",
    measured: estimate(added, median),
    goal: { most: 2 },
  };
}

async function processorTime(behind: Way, rounds: number): Promise<Figure[]> {
  const spent: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const before = process.cpuUsage();
    await ask(behind, 2000, 16);
    const { user, system } = process.cpuUsage(before);
    spent.push((user + system) / 1000 / 2000);
  }
  return [
    { name: "CPU per request", unit: "ms", measured: estimate(spent, median), goal: { most: 0.5 } },
    {
      name: "requests per second of one core",
      unit: "",
      measured: estimate(
        spent.map((ms) => 1000 / ms),
        median,
      ),
      goal: { least: 1000 },
    },
  ];
}

/** Sixteen agents, each with four streams that are open. */
async function memory(vendorPort: number): Promise<Figure> {
  const before = process.memoryUsage().rss;
  const ways = await Promise.all(Array.from({ length: 16 }, () => gatewayTo(vendorPort)));
  const holders = ways.map(({ port, path, token }) => started("hold", String(port), path, token, "4", "4"));
  await Promise.all(holders.map((each) => told(each)));
  const grown = (process.memoryUsage().rss - before) / 1e6;
  for (const each of holders) each.kill();
  await Promise.all(ways.map(({ pass }) => pass.close()));
  return {
    name: "memory at 16 agents with 64 open streams",
    unit: "MB",
    measured: exactly(Math.max(0, grown)),
    goal: { most: 20 },
  };
}

async function growth(behind: Way, requests: number): Promise<Figure> {
  await ask(behind, 2000, 16);
  const before = heapMb();
  await ask(behind, requests, 32);
  await sleep(200);
  return {
    name: `heap grown after ${requests.toLocaleString("en-US")} requests`,
    unit: "MB",
    measured: exactly(Math.max(0, heapMb() - before)),
    goal: { most: 2 },
  };
}

export const gateway: Bench = {
  name: "gateway",
  run: async ({ quick }) => {
    const vendor = started("vendor");
    try {
      const { port } = await told<{ port: number }>(vendor);
      const behind = await gatewayTo(port);
      const direct: Way = { port, path: "/v1/messages", token: "sk-bench" };
      const rounds = quick ? 3 : 7;
      const first = await firstByte(direct, behind, rounds);
      const figures = [
        first,
        ...(await processorTime(behind, rounds)),
        await memory(port),
        await growth(behind, quick ? 10_000 : 100_000),
      ];
      await behind.pass.close();
      return figures;
    } finally {
      for (const child of children) child.kill();
    }
  },
};
