// A container as a box: podman or docker, rootless where they can be. The program runs below a shell of heddle's
// (`container-inside.ts`) that tells over a pipe that it is up and how it ended. Its processes carry heddle's marks like all
// others, so they are found and ended like all others; the engine is asked only to clear away what it keeps of a container.
import { type ChildProcess, execFile } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Problem, problem } from "../../core/problem.ts";
import type { Environment } from "../program/environment.ts";
import { forgetBox, watchBox } from "../program/keeper.ts";
import { markName } from "../program/marks.ts";
import { type Mount, planMounts } from "../program/mounts.ts";
import { madeFifos, passingFolders } from "../program/pipes.ts";
import {
  commandLines,
  family,
  findMarked,
  isRunning,
  type ProcessId,
  processId,
  signal,
} from "../program/processes.ts";
import { trustedPath } from "../program/programs.ts";
import type {
  Box,
  BoxStatus,
  Container,
  Entered,
  Entering,
  Inhabitant,
  Refusal,
  Way,
} from "../program/sandbox.ts";
import { tmpBytesFor } from "./bubblewrap-options.ts";
import { environmentScript, forwarder, isSettable } from "./container-inside.ts";
import { newName } from "./container-names.ts";
import {
  containerOptions,
  emptyFile,
  emptyFolder,
  linkFolder,
  linkFolders,
  sysFolder,
  unmountable,
} from "./container-options.ts";
import { callProfile } from "./seccomp-profile.ts";

/** What an engine itself needs of the person's environment; nothing of it is in the box. */
export function engineEnvironment(): Environment {
  const names = [
    ...["HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"],
    ...[
      "DBUS_SESSION_BUS_ADDRESS",
      "DOCKER_HOST",
      "DOCKER_CONTEXT",
      "DOCKER_CONFIG",
      "CONTAINERS_STORAGE_CONF",
    ],
  ];
  const own = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(own), PATH: trustedPath() };
}

/** What engines and shells set themselves. */
const setByEngines = ["HOME", "HOSTNAME", "TERM", "container", "PATH", "SHLVL", "OLDPWD", "_"];

type ContainerBox = Box & { readonly sandbox: Container };

export function wayIntoContainer(
  inhabitant: Inhabitant,
  box: ContainerBox,
): Way | { readonly problem: Problem } {
  // heddle's own commands in the box, and its way to the gateway, are Node's.
  const node = box.sandbox.lacksNode ? [realpathSync(process.execPath)] : [];
  const mounts = planMounts({ ...box, readOnly: [...box.readOnly, ...node] });
  if ("problem" in mounts) return mounts;
  const wrong = unmountable(mounts.plan) ?? unsettable(inhabitant.environment);
  if (wrong) return { problem: wrong };
  return {
    enter: (entering) => enter({ inhabitant, box, plan: mounts.plan }, entering),
    phantoms: mounts.phantoms,
    refusal: (said) => refusal(box.sandbox, said),
  };
}

function unsettable(environment: Environment): Problem | undefined {
  const name = Object.keys(environment).find((each) => !isSettable(each));
  return name === undefined
    ? undefined
    : problem(
        "bad-environment",
        `the variable \`${name}\` has a name that no shell can set, so no container gets it`,
      );
}

interface Wish {
  readonly inhabitant: Inhabitant;
  readonly box: ContainerBox;
  readonly plan: readonly Mount[];
}

async function enter(wish: Wish, entering: Entering): Promise<Entered> {
  const { inhabitant, box, plan } = wish;
  const { sandbox } = box;
  const { argv, gate, hasInput, marks, spawn } = entering;
  const name = newName();
  const control = await makeControl(wish);
  const server = gate && (await listenAt(join(control.folder, "gate")));
  if (gate && server) gate.serve(server);
  const options = containerOptions({
    ...{ container: sandbox, name, network: box.network, control: control.folder, plan, hasInput, marks },
    tmpBytes: tmpBytesFor(box, inhabitant.limits?.memoryBytes),
    limits: inhabitant.limits,
  });
  const way = [inhabitant.cwd, gate ? String(gate.port) : "", process.execPath, forwarder];
  const env = { ...engineEnvironment(), [markName]: marks };
  watchBox(sandbox.path, name);
  const child = spawn(sandbox.path, [...options, ...way, ...argv], { env, streams: [] });
  const status: BoxStatus = { first: undefined, exitCode: undefined };
  const heard = hear(control, status, marks.split(":").at(-1) ?? "");
  const told = gone(child).then(async (code) => {
    if (status.exitCode === undefined) await clearAway(sandbox, name, status.first);
    await heard.stop();
    // Process 1 was ended, and could not tell; the engine saw it.
    if (heard.isUp() && code !== null) status.exitCode ??= code;
    server?.close();
    discard(control.folder);
    forgetBox(name);
  });
  return { child, status, told };
}

const gone = (child: ChildProcess) =>
  new Promise<number | null>((settle) => {
    child.once("exit", settle);
    // One that was never started exits never.
    child.once("error", () => settle(null));
  });

interface Control {
  readonly folder: string;
  /** Heddle's ends: of what the box tells, and of what tells the box that heddle is there. */
  readonly status: { readonly reading: number; readonly writing: number };
  readonly life: number;
}

/** The folder of one box, on the host: nobody but the person can enter it, and the keeper removes it after a kill. */
async function makeControl({ inhabitant, box, plan }: Wish): Promise<Control> {
  const folder = mkdtempSync(passingFolders());
  const at = (name: string) => join(folder, name);
  const environment = { ...inhabitant.environment, HOME: box.home };
  const before = [...box.sandbox.imageVariables, ...setByEngines];
  writeFileSync(at("environment"), environmentScript(environment, before), { mode: 0o600 });
  writeFileSync(at("seccomp.json"), callProfile(), { mode: 0o600 });
  // As with bubblewrap it cannot even be read.
  writeFileSync(at(emptyFile), "", { mode: 0o000 });
  mkdirSync(at(emptyFolder), { mode: 0o555 });
  mkdirSync(at(sysFolder), { recursive: true });
  for (const [number, place] of linkFolders(plan).entries()) makeLinks(at(linkFolder(number)), place, plan);
  if (!(await madeFifos([at("status"), at("life")]))) {
    discard(folder);
    throw new Error("a container needs `mkfifo`, which is not there");
  }
  const reading = openSync(at("status"), constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(at("status"), constants.O_WRONLY);
  return { folder, status: { reading, writing }, life: openSync(at("life"), constants.O_RDWR) };
}

/** An engine may have made something in it that is another user's: that stays until the machine clears its folder. */
export function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The program ran as it should.
  }
}

/** Also empty files where something else of that folder is mounted: the folder is read-only, and nobody could make them. */
function makeLinks(folder: string, place: string, plan: readonly Mount[]): void {
  mkdirSync(folder);
  for (const { path, kind, real, isFolder } of plan) {
    if (dirname(path) !== place) continue;
    const at = join(folder, basename(path));
    if (kind === "link") symlinkSync(real, at);
    else if (isFolder) mkdirSync(at);
    else writeFileSync(at, "");
  }
}

async function listenAt(path: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((settle, fail) => server.once("error", fail).listen(path, settle));
  return server;
}

/** What process 1 tells. Once it is up, nothing in the folder is needed again but the socket. */
function hear({ folder, status: ends, life }: Control, status: BoxStatus, mark: string) {
  let text = "";
  let isUp = false;
  const stream = new Socket({ fd: ends.reading, readable: true, writable: false });
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    if (text.length < 4096) text += chunk.toString("latin1");
    if (!isUp && text.startsWith("up\n")) {
      isUp = true;
      status.first = firstOf(mark);
      for (const name of ["environment", "status", "life"]) rmSync(join(folder, name), { force: true });
    }
    const code = /^exit (\d+)$/m.exec(text)?.[1];
    if (code !== undefined) status.exitCode ??= Number(code);
  });
  const closed = new Promise<void>((settle) => stream.once("close", () => settle()));
  return {
    isUp: () => isUp,
    stop: async () => {
      closeSync(life);
      closeSync(ends.writing);
      await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
      stream.destroy();
    },
  };
}

const drainMs = 1000;

/** Process 1 of the box, as the host counts; nothing where the engine has a machine of its own. */
function firstOf(mark: string): ProcessId | undefined {
  const pid = findMarked(mark).find((each) => {
    try {
      return /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${each}/status`, "latin1"));
    } catch {
      return false;
    }
  });
  return pid === undefined ? undefined : processId(pid);
}

/** The client is gone and did not see the end: whatever there is of the container is ended and forgotten. */
async function clearAway({ path }: Container, name: string, first: ProcessId | undefined): Promise<void> {
  if (first && isRunning(first)) signal(first.pid, "SIGKILL");
  await removeContainers(path, [name]);
}

/** Never throws; those that are not there are no failure. */
export function removeContainers(path: string, names: readonly string[]): Promise<void> {
  return new Promise((settle) => {
    const options = { env: engineEnvironment(), timeout: patienceMs, cwd: "/" };
    execFile(path, ["rm", "--force", ...names], options, () => {
      endMonitors(names);
      settle();
    });
  });
}

/** An engine that was ended while it started a container forgets the container, and its monitor waits for ever. */
function endMonitors(names: readonly string[]): void {
  for (const [pid, name] of monitored())
    if (names.includes(name)) for (const each of family(pid).reverse()) signal(each, "SIGKILL");
}

/** podman's monitors, each with the name of its container. */
export function monitored(): [number, string][] {
  return [...commandLines()].flatMap(([pid, [program = "", ...words]]): [number, string][] => {
    const name = basename(program) === "conmon" ? words[words.indexOf("-n") + 1] : undefined;
    return name?.startsWith("heddle-") ? [[pid, name]] : [];
  });
}

const patienceMs = 4000;

/** Nothing of the program ran: the last line is the shell's in the box, or the engine's. */
function refusal({ engine, image }: Container, said: string): Refusal {
  const [, kind, message = said] = /^heddle-box: ([a-z-]+): (.*)$/.exec(said) ?? [];
  if (kind === "not-found" || kind === "not-executable" || kind === "no-folder")
    return { reason: kind, message };
  return {
    reason: "no-box",
    message: `${engine} could not make a box of \`${image}\`: ${message || "it says nothing"}`,
  };
}
