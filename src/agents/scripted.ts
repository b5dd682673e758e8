// A scripted agent: does what a file tells it, role by role and attempt by attempt. For examples and tests: it can be
// good, wrong, slow, silent, lying, crashing, or far too talkative, and always in the same way.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readJson, recordIn } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Agent, AgentEvent, Order, Stopped } from "./agent.ts";

export interface Turn {
  /** A file or folder to copy to the output, relative to the script; `@TARGET@` and `@PLANNING@` are filled in. */
  readonly from?: string;
  readonly text?: string;
  /** Writes this many bytes of nothing. */
  readonly bytes?: number;
  /** Writes somewhere else than it was told. */
  readonly to?: string;
  /** For a task: a file that says, by task, which files it writes; `final` stands for the file beside it. */
  readonly steps?: string;
  /** Further files of the workspace, or null for one to delete; and files of the steps that are left out. */
  readonly files?: Readonly<Record<string, string | null>>;
  readonly without?: readonly string[];
  /** What a task's executor proposes; `success` where it wrote files. */
  readonly proposes?: "success" | "failed" | "nothing";
  /** What a coder hands in beside its files, in place of a proposal. */
  readonly result?: unknown;
  readonly afterMs?: number;
  readonly says?: readonly string[];
  readonly asks?: { readonly id: string; readonly text: string; readonly options?: readonly string[] };
  readonly spends?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
  readonly ends?: "finished" | "crashed" | "hanging" | "chattering";
}

/** By task or role; the last turn is repeated. */
export type Script = Readonly<Record<string, readonly Turn[]>>;

function isScript(value: unknown): value is Script {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const isTurn = (turn: unknown) => typeof turn === "object" && turn !== null;
  return Object.values(value).every((turns) => Array.isArray(turns) && turns.every(isTurn));
}

export function readScript(path: string): Script | Problem {
  const wrong = (why: string) =>
    problem("bad-script", `the script \`${path}\` cannot be read: ${why}`, { place: { file: path } });
  try {
    const read = readJson(readFileSync(path, "utf8"));
    if ("fault" in read) return wrong(read.fault.message);
    return isScript(read.value) ? read.value : wrong("it has a list of turns by task or role");
  } catch (error) {
    return wrong((error as Error).message);
  }
}

export function scripted(script: Script, folder: string): Agent {
  return { name: "scripted", work: (order, signal) => act(script, { folder, order, signal }) };
}

interface Scene {
  readonly folder: string;
  readonly order: Order;
  readonly signal: AbortSignal;
}

async function* act(script: Script, scene: Scene): AsyncIterable<AgentEvent> {
  const { order, signal } = scene;
  const turns = script[order.task] ?? script[order.role] ?? script["*"] ?? [];
  const turn = turns[Math.min(order.attempt, turns.length) - 1];
  if (!turn) {
    yield stopped({
      kind: "failed",
      category: "environment",
      message: `the script has no turn for ${order.role}`,
      retryable: false,
    });
    return;
  }
  for (const text of turn.says ?? []) yield { kind: "said", text };
  if (turn.spends) yield { kind: "spent", ...turn.spends };
  if (turn.ends === "chattering")
    yield { kind: "said", text: "x".repeat(Math.min(order.limits.outputBytes + 1, 1_000_000)) };
  const end = await waited(turn, order, signal);
  if (end) {
    yield stopped(end);
    return;
  }
  if (turn.asks)
    yield { kind: "asked", id: turn.asks.id, text: turn.asks.text, options: turn.asks.options ?? [] };
  else {
    const wrong = tryWriting(turn, scene);
    if (wrong !== undefined) {
      yield stopped({ kind: "failed", category: "environment", message: wrong, retryable: false });
      return;
    }
  }
  yield stopped(
    turn.ends === "crashed"
      ? { kind: "failed", category: "runtime", message: "the scripted agent crashed", retryable: true }
      : { kind: "finished" },
  );
}

const stopped = (how: Stopped): AgentEvent => ({ kind: "stopped", how });

/** Time passes until the turn is over, a limit is crossed, or somebody ends it. */
async function waited(turn: Turn, { limits }: Order, signal: AbortSignal): Promise<Stopped | undefined> {
  const limit = (name: string): Stopped => ({
    kind: "failed",
    category: "timeout",
    message: `its limit was crossed: ${name}`,
    retryable: true,
  });
  if (turn.ends === "chattering") return limit("output");
  const ms = turn.ends === "hanging" ? Number.POSITIVE_INFINITY : (turn.afterMs ?? 0);
  const bound = Math.min(limits.wallMs, limits.silenceMs);
  if (ms > 0) await sleep(Math.min(ms, bound, 2 ** 31 - 1), undefined, { signal }).catch(() => {});
  if (signal.aborted)
    return { kind: "failed", category: "runtime", message: "it was ended", retryable: true };
  if (ms <= bound) return undefined;
  return limit(limits.wallMs <= limits.silenceMs ? "wall" : "silence");
}

function tryWriting(turn: Turn, scene: Scene): string | undefined {
  try {
    write(turn, scene);
    return undefined;
  } catch (error) {
    return `the script cannot be followed: ${(error as Error).message}`;
  }
}

function write(turn: Turn, { folder, order }: Scene): void {
  const { from, text, bytes, to, steps, files, proposes } = turn;
  if (steps !== undefined || files !== undefined || proposes !== undefined) {
    carryOutTask(turn, { folder, order });
    return;
  }
  const path = to === undefined ? order.output : join(order.workspace.cwd, to);
  if (bytes !== undefined) writeFileSync(path, "x".repeat(bytes));
  else if (text !== undefined) writeFileSync(path, filled(text, order));
  else if (from !== undefined) copy(inFolder(folder, from), path, order);
}

/** The files of a task, and a proposal that names them. */
function carryOutTask(
  { steps, files = {}, without = [], proposes = "success", result: own }: Turn,
  scene: Pick<Scene, "folder" | "order">,
) {
  const { order, folder } = scene;
  const { cwd } = order.workspace;
  const wanted = { ...(steps === undefined ? {} : stepsOf(inFolder(folder, steps), order.task)), ...files };
  const written: string[] = [];
  for (const [path, text] of Object.entries(wanted)) {
    if (without.includes(path)) continue;
    const place = join(cwd, path);
    written.push(path);
    if (text === null) rmSync(place, { force: true });
    else {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
  }
  if (proposes === "nothing") return;
  if (own !== undefined) {
    writeFileSync(order.output, JSON.stringify(own));
    return;
  }
  const failure = {
    category: "dependency",
    message: "the script says that it cannot be done",
    retryable: true,
  };
  const result = {
    version: "1.0",
    task_id: order.task,
    status: proposes,
    files: { created: written, modified: [] },
  };
  writeFileSync(order.output, JSON.stringify(proposes === "failed" ? { ...result, error: failure } : result));
}

const inFolder = (folder: string, path: string) => (isAbsolute(path) ? path : join(folder, path));

function stepsOf(file: string, task: string): Record<string, string> {
  const steps = recordIn<Record<string, Record<string, string>>>(readFileSync(file, "utf8")) ?? {};
  const final = (path: string) => readFileSync(join(dirname(file), path), "utf8");
  return Object.fromEntries(
    Object.entries(steps[task] ?? {}).map(([path, text]) => [path, text === "final" ? final(path) : text]),
  );
}

function copy(from: string, to: string, order: Order): void {
  if (statSync(from).isDirectory()) {
    cpSync(from, to, { recursive: true });
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, filled(readFileSync(from, "utf8"), order));
}

function filled(text: string, { bundle }: Order): string {
  if (!text.includes("@TARGET@") && !text.includes("@PLANNING@")) return text;
  const { target_dir: target, planning_dir: planning } =
    recordIn<Record<string, string>>(readFileSync(bundle, "utf8")) ?? {};
  return text.replaceAll("@TARGET@", target ?? "").replaceAll("@PLANNING@", planning ?? "");
}
