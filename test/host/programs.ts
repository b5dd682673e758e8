// What the tests of the runner share: a scratch folder, a spec with roomy limits, and the two ways to run a program.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { findSandbox } from "../../src/host/box/box.ts";
import type { Limits } from "../../src/host/program/limits.ts";
import { findMarked } from "../../src/host/program/processes.ts";
import type { Ended, ProgramEvent, ProgramLine, ProgramSpec } from "../../src/host/program/program.ts";
import { runProgram } from "../../src/host/program/run.ts";
import { ownRuntime } from "../../src/host/program/runtime.ts";
import type { Box } from "../../src/host/program/sandbox.ts";

export const sandbox = await findSandbox();
if (!sandbox.ok) console.log(`left out, all tests of the box: ${sandbox.problem.message}`);

/** For `describe.skipIf`, and in the name of what is left out. */
export const noBox = !sandbox.ok;

export const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-host-")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folders = 0;
export function folder(name: string): string {
  const path = join(scratch, `${name}-${++folders}`);
  mkdirSync(path);
  return path;
}

export const workspace = folder("workspace");
const home = folder("home");

export const roomy: Limits = {
  wallMs: 20_000,
  silenceMs: 20_000,
  outputBytes: 16 * 1024 * 1024,
  lineBytes: 64 * 1024,
};

export function box(more: Partial<Box> = {}): Box {
  if (!sandbox.ok) throw new Error(sandbox.problem.message);
  return { sandbox, home, writable: [workspace], readOnly: ownRuntime(), network: false, ...more };
}

export const path = [dirname(process.execPath), "/usr/bin", "/bin"];

export type Confinement = "boxed" | "unconfined";

/** `describe.for(ways)`: each behaviour holds in both, and where there is no box the boxed half is left out. */
export const ways: Confinement[] = noBox ? ["unconfined"] : ["boxed", "unconfined"];

export function spec(
  argv: readonly [string, ...string[]],
  way: Confinement,
  more: Partial<ProgramSpec> = {},
): ProgramSpec {
  return {
    argv,
    cwd: workspace,
    environment: { PATH: path.join(":") },
    limits: roomy,
    box: way === "boxed" ? box() : "unconfined",
    ...more,
  };
}

export const sh = (script: string): readonly [string, ...string[]] => ["/bin/sh", "-c", script];
export const node = (script: string): readonly [string, ...string[]] => ["node", "-e", script];

export interface Story {
  readonly events: readonly ProgramEvent[];
  readonly ended: Ended;
  readonly out: string;
  readonly err: string;
}

/** Runs it to its end; checks what every run promises: one `ended`, the last, and nobody left. */
export async function run(program: ProgramSpec, signal = new AbortController().signal): Promise<Story> {
  const mark = program.mark ?? crypto.randomUUID();
  const events: ProgramEvent[] = [];
  for await (const event of runProgram({ ...program, mark }, signal)) events.push(event);
  const ended = events.at(-1);
  if (ended?.kind !== "ended") throw new Error("`ended` is not the last event");
  if (events.filter(({ kind }) => kind === "ended").length > 1) throw new Error("`ended` came twice");
  const left = findMarked(mark);
  if (left.length > 0 || ended.survivors.length > 0)
    throw new Error(`left over: ${[...left, ...ended.survivors]}`);
  const text = (from: ProgramLine["from"]) =>
    events.flatMap((event) => (event.kind === "line" && event.from === from ? [event.text] : [])).join("\n");
  return { events, ended, out: text("stdout"), err: text("stderr") };
}

export async function eventually(what: () => boolean, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!what() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  return what();
}

/** Processes that have `word` among their arguments, whatever their environment says. */
export function livingWith(word: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
      } catch {
        return false;
      }
    });
}
