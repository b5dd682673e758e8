// One spawn: the program with its streams, its mark and no other descriptor of heddle's, bare or in a box. What it
// then does, and when it must end, is `run.ts`'s affair.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { Readable } from "node:stream";
import { inheritedDescriptors } from "./descriptors.ts";
import type { Environment } from "./environment.ts";
import { watchGroup } from "./keeper.ts";
import { markName } from "./marks.ts";
import { closePipes, makePipes, openInput, type Pipes } from "./pipes.ts";
import { type ProcessId, processId } from "./processes.ts";
import type { ProgramSpec, StartFailure } from "./program.ts";
import type { BoxStatus, Entered, Stream, Way } from "./sandbox.ts";
import { Talk } from "./talk.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
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
  way: Way | "unconfined",
  marks: string,
): Promise<Launched | NotLaunched> {
  let stdin: number | undefined;
  let pipes: Pipes | undefined;
  let entered: Entered | undefined;
  try {
    if (spec.stdin && !(spec.stdin instanceof Talk)) stdin = await openInput(spec.stdin);
    pipes = await makePipes();
    entered = await start(spec, way, { marks, stdin, pipes });
    const { child } = entered;
    if (child.pid !== undefined) watchGroup(child.pid);
    await spawned(child);
    if (spec.stdin instanceof Talk && child.stdin) spec.stdin.attach(child.stdin);
    return live(entered, pipes);
  } catch (error) {
    if (pipes && entered?.child.pid === undefined) closePipes(pipes);
    return notLaunched(spec, way, { error: error as NodeJS.ErrnoException, inputGiven: stdin !== undefined });
  } finally {
    if (stdin !== undefined) closeSync(stdin);
    if (pipes && entered?.child.pid !== undefined)
      for (const { theirs } of Object.values(pipes)) closeSync(theirs);
  }
}

interface Streams {
  readonly marks: string;
  readonly stdin: number | undefined;
  readonly pipes: Pipes | undefined;
}

/** Detached, so that a terminal's Ctrl-C reaches heddle alone, and so that there is a group to end. */
function start(
  spec: ProgramSpec,
  way: Way | "unconfined",
  { marks, stdin, pipes }: Streams,
): Entered | Promise<Entered> {
  const own: Stream[] = [
    stdin ?? (spec.stdin instanceof Talk ? "pipe" : "ignore"),
    pipes?.stdout.theirs ?? "pipe",
    pipes?.stderr.theirs ?? "pipe",
  ];
  const begin = (file: string, args: readonly string[], { cwd, env, streams }: Beginning) =>
    withoutInherited([...own, ...streams], (stdio) =>
      heard(spawn(file, args, { cwd, env, stdio, detached: true })),
    );
  if (way !== "unconfined") {
    const { argv, gate } = spec;
    const hasInput = spec.stdin !== undefined;
    return way.enter({
      ...{ argv, gate, hasInput, marks },
      spawn: (file, args, more) => begin(file, args, { ...more, cwd: "/" }),
    });
  }
  const [file, ...args] = spec.argv;
  const env = { ...spec.environment, [markName]: marks };
  const child = begin(file, args, { cwd: spec.cwd, env, streams: [] });
  return { child, status: undefined, told: Promise.resolve() };
}

interface Beginning {
  readonly cwd: string;
  readonly env: Environment;
  readonly streams: readonly Stream[];
}

/** An error that nobody hears would end heddle: with no descriptors left, it comes before anybody could listen. */
function heard(child: ChildProcess): ChildProcess {
  return child.on("error", () => {});
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

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((settle, fail) => {
    child.once("spawn", settle);
    child.once("error", fail);
  });
}

function live({ child, status, told }: Entered, pipes: Pipes | undefined): Launched {
  const pid = child.pid ?? 0;
  const { stdout, stderr } = child;
  const out = pipes?.stdout.ours ?? stdout;
  const err = pipes?.stderr.ours ?? stderr;
  if (!out || !err) throw new Error("bug: a program was started without its streams");
  child.on("error", () => {});
  const exit = new Promise<Exit>((settle) => child.once("exit", (code, signal) => settle({ code, signal })));
  const { startTime } = processId(pid) ?? { startTime: "" };
  return { pid, startTime, stdout: out, stderr: err, status, exit: exit.then((how) => told.then(() => how)) };
}

/** Why a spawn failed: the kernel says ENOENT for a missing program, folder and interpreter alike. */
function notLaunched(
  spec: ProgramSpec,
  way: Way | "unconfined",
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
