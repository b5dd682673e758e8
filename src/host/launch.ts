// One spawn: the program with its streams, its mark and no other descriptor of heddle's, bare or in a box. What it
// then does, and when it must end, is `run.ts`'s affair.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Environment } from "./environment.ts";
import { watchGroup } from "./keeper.ts";
import { closePipes, makePipes, openInput, type Pipes } from "./pipes.ts";
import { markName, type ProcessId, processId } from "./processes.ts";
import type { ProgramSpec, StartFailure } from "./program.ts";
import type { Boxed } from "./sandbox.ts";
import { Talk } from "./talk.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What bubblewrap tells about its box while it runs; what the program inside says does not come this way. */
export interface BoxStatus {
  /** The first process of the box, as the host counts: when it is gone, all of them are. */
  first: ProcessId | undefined;
  /** Only when the program was really started. */
  exitCode: number | undefined;
}

export interface Launched extends ProcessId {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly status: BoxStatus | undefined;
  readonly exit: Promise<Exit>;
}

export interface NotLaunched {
  readonly reason: StartFailure;
  readonly message: string;
}

/**
 * Never throws. `marks` goes into the environment of everything that is started. The keeper watches the group of
 * what was launched; the caller tells it when that is over.
 */
export async function launch(
  spec: ProgramSpec,
  way: Boxed | "unconfined",
  marks: string,
): Promise<Launched | NotLaunched> {
  let stdin: number | undefined;
  let pipes: Pipes | undefined;
  let child: ChildProcess | undefined;
  try {
    if (spec.stdin && !(spec.stdin instanceof Talk)) stdin = await openInput(spec.stdin);
    pipes = await makePipes();
    child = start(spec, way, { marks, stdin, pipes });
    if (child.pid !== undefined) watchGroup(child.pid);
    await spawned(child);
    if (spec.stdin instanceof Talk && child.stdin) spec.stdin.attach(child.stdin);
    return live(child, pipes);
  } catch (error) {
    if (pipes && child?.pid === undefined) closePipes(pipes);
    return notLaunched(spec, way, { error: error as NodeJS.ErrnoException, inputGiven: stdin !== undefined });
  } finally {
    if (stdin !== undefined) closeSync(stdin);
    if (pipes && child?.pid !== undefined) for (const { theirs } of Object.values(pipes)) closeSync(theirs);
  }
}

type Stream = "pipe" | "ignore" | number;

interface Streams {
  readonly marks: string;
  readonly stdin: number | undefined;
  readonly pipes: Pipes | undefined;
}

const argsFd = 3;
const statusFd = 4;

/** Detached, so that a terminal's Ctrl-C reaches heddle alone, and so that there is a group to end. */
function start(spec: ProgramSpec, way: Boxed | "unconfined", { marks, stdin, pipes }: Streams): ChildProcess {
  const streams: Stream[] = [
    stdin ?? (spec.stdin instanceof Talk ? "pipe" : "ignore"),
    pipes?.stdout.theirs ?? "pipe",
    pipes?.stderr.theirs ?? "pipe",
  ];
  const mark = { [markName]: marks };
  if (way === "unconfined") {
    const [file, ...args] = spec.argv;
    const env = { ...spec.environment, ...mark };
    return withoutInherited(streams, (stdio) =>
      spawn(file, args, { cwd: spec.cwd, env, stdio, detached: true }),
    );
  }
  const args = ["--args", `${argsFd}`, "--json-status-fd", `${statusFd}`, "--", ...spec.argv];
  const child = withoutInherited([...streams, "pipe", "pipe"], (stdio) =>
    spawn(way.path, args, { cwd: "/", env: mark, stdio, detached: true }),
  );
  const options = child.stdio[argsFd] as Writable | null | undefined;
  options?.on("error", () => {});
  options?.end([...way.options, "--setenv", markName, marks].map((option) => `${option}\0`).join(""));
  return child;
}

/**
 * Node closes its own descriptors in a child, but not those that heddle inherited from whoever started it: a folder
 * among them would be a hole in the box. /dev/null takes their place.
 */
function withoutInherited<T>(stdio: readonly Stream[], work: (stdio: Stream[]) => T): T {
  const inherited = inheritedDescriptors().filter((fd) => fd >= stdio.length);
  if (inherited.length === 0) return work([...stdio]);
  const nothing = openSync("/dev/null", "r+");
  try {
    const all = [...stdio];
    const last = Math.max(...inherited);
    for (let fd = stdio.length; fd <= last; fd++) all.push(inherited.includes(fd) ? nothing : "ignore");
    return work(all);
  } finally {
    closeSync(nothing);
  }
}

function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd > 2 && !closesOnExec(fd));
  } catch {
    return [];
  }
}

const closeOnExecFlag = 0o2000000;

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExecFlag) !== 0;
  } catch {
    // The descriptor with which /proc was read.
    return true;
  }
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((settle, fail) => {
    child.once("spawn", settle);
    child.once("error", fail);
  });
}

function live(child: ChildProcess, pipes: Pipes | undefined): Launched {
  const pid = child.pid ?? 0;
  const { stdout, stderr } = child;
  const out = pipes?.stdout.ours ?? stdout;
  const err = pipes?.stderr.ours ?? stderr;
  if (!out || !err) throw new Error("bug: a program was started without its streams");
  child.on("error", () => {});
  const exit = new Promise<Exit>((settle) => child.once("exit", (code, signal) => settle({ code, signal })));
  const { startTime } = processId(pid) ?? { startTime: "" };
  const statusStream = child.stdio[statusFd] as Readable | null | undefined;
  if (!statusStream) return { pid, startTime, stdout: out, stderr: err, status: undefined, exit };
  const status: BoxStatus = { first: undefined, exitCode: undefined };
  const told = readStatus(statusStream, status);
  return { pid, startTime, stdout: out, stderr: err, status, exit: exit.then((how) => told.then(() => how)) };
}

/** Resolves when bubblewrap has said all it will say. */
function readStatus(stream: Readable, status: BoxStatus): Promise<void> {
  let text = "";
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    if (text.length < 4096) text += chunk.toString("latin1");
    const first = /"child-pid":\s*(\d+)/.exec(text)?.[1];
    const code = /"exit-code":\s*(\d+)/.exec(text)?.[1];
    if (first !== undefined) status.first ??= processId(Number(first));
    if (code !== undefined) status.exitCode = Number(code);
  });
  return new Promise((settle) => stream.once("close", settle));
}

/** Why a spawn failed: the kernel says ENOENT for a missing program, folder and interpreter alike. */
function notLaunched(
  spec: ProgramSpec,
  way: Boxed | "unconfined",
  { error, inputGiven }: { readonly error: NodeJS.ErrnoException; readonly inputGiven: boolean },
): NotLaunched {
  const message = error.message;
  if (spec.stdin && !(spec.stdin instanceof Talk) && !inputGiven) return { reason: "no-input", message };
  if (error.code !== "ENOENT" && error.code !== "EACCES" && error.code !== "ENOEXEC")
    return { reason: "refused", message };
  if (way !== "unconfined") return { reason: "no-box", message };
  if (!isFolder(spec.cwd)) return { reason: "no-folder", message: `\`${spec.cwd}\` is not a folder` };
  const [name] = spec.argv;
  if (error.code === "ENOENT" && !isThere(name, spec))
    return { reason: "not-found", message: `\`${name}\` is not there` };
  if (error.code === "ENOENT")
    return { reason: "not-found", message: `the interpreter that \`${name}\` names is not there` };
  return { reason: "not-executable", message: `\`${name}\` cannot be executed` };
}

function isThere(
  name: string,
  { cwd, environment }: { readonly cwd: string; readonly environment: Environment },
): boolean {
  const places = name.includes("/")
    ? [resolve(cwd, name)]
    : (environment.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, folder, name));
  return places.some((path) => {
    try {
      accessSync(path, constants.F_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
