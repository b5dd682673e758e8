// Many seeds: one after the other in this process, or shared among several. Results are added up as plain data.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { simulate } from "./simulate.ts";

export interface Failed {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
  readonly last: readonly string[];
}

export interface Summary {
  seeds: number;
  steps: number;
  entries: number;
  crashes: number;
  virtualMs: number;
  sometimes: Record<string, number>;
  known: Record<string, number>;
  failures: Failed[];
}

export interface Seeds {
  readonly from: number;
  readonly count: number;
  /** Every how many seeds this process takes one. */
  readonly step: number;
  readonly known: ReadonlySet<string>;
  /** Over journals that do their worst. */
  readonly hostile?: boolean;
}

export const nothingYet = (): Summary => ({
  seeds: 0,
  steps: 0,
  entries: 0,
  crashes: 0,
  virtualMs: 0,
  sometimes: {},
  known: {},
  failures: [],
});

/** Stops at the first seed that fails. */
export async function runHere({ from, count, step, known, hostile = false }: Seeds): Promise<Summary> {
  const sum = nothingYet();
  let seed = from;
  // What is rejected and looked at by nobody belongs to the seed that runs.
  const stray = (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    sum.failures.push({ seed, invariant: "bug", message: `unhandled: ${message}`, last: [] });
  };
  process.on("unhandledRejection", stray);
  for (; seed < from + count && sum.failures.length === 0; seed += step) {
    const { violation, last, ...history } = await simulate({ seed, known, hostile });
    sum.seeds++;
    sum.steps += history.steps;
    sum.entries += history.entries;
    sum.crashes += history.crashes;
    sum.virtualMs += history.virtualMs;
    addTo(sum.sometimes, Object.fromEntries(history.sometimes));
    addTo(sum.known, Object.fromEntries(history.known));
    if (violation)
      sum.failures.push({ seed, invariant: violation.invariant, message: violation.message, last });
    // Rejections are told between two turns of the event loop, and a history takes none.
    await new Promise(setImmediate);
  }
  process.off("unhandledRejection", stray);
  return sum;
}

export async function runShared(seeds: Omit<Seeds, "step">, workers: number): Promise<Summary> {
  const parts = await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      runApart({ ...seeds, from: seeds.from + at, count: seeds.count - at, step: workers }),
    ),
  );
  const sum = parts.reduce(add, nothingYet());
  sum.failures.sort((a, b) => a.seed - b.seed);
  return sum;
}

function runApart({ from, count, step, known, hostile = false }: Seeds): Promise<Summary> {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const options = [
    "--from",
    from,
    "--seeds",
    count,
    "--step",
    step,
    "--json",
    ...(known.size > 0 ? [] : ["--strict"]),
    ...(hostile ? ["--hostile"] : []),
  ];
  const child = spawn(process.execPath, [main, ...options.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const line = text.trim().split("\n").at(-1) ?? "";
      if (line.startsWith("{")) resolve(JSON.parse(line) as Summary);
      else reject(new Error(`a worker of the simulation ended with ${code}: ${text.slice(-2000)}`));
    });
  });
}

function add(sum: Summary, part: Summary): Summary {
  sum.seeds += part.seeds;
  sum.steps += part.steps;
  sum.entries += part.entries;
  sum.crashes += part.crashes;
  sum.virtualMs += part.virtualMs;
  addTo(sum.sometimes, part.sometimes);
  addTo(sum.known, part.known);
  sum.failures.push(...part.failures);
  return sum;
}

function addTo(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, times] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + times;
}
