// bubblewrap: namespaces of its own, no capabilities, a read-only system, and of the host's files only what was named. A box
// is as strong as the person who runs heddle is weak: as root it keeps files apart just as well, but a bug in the kernel
// costs more.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Problem, problem } from "../../core/problem.ts";
import { openGate, throughGate } from "../program/gate.ts";
import { markName } from "../program/marks.ts";
import { processId } from "../program/processes.ts";
import { locate } from "../program/programs.ts";
import type {
  Box,
  BoxStatus,
  Bubblewrap,
  Entered,
  Entering,
  FoundSandbox,
  Inhabitant,
  Refusal,
  Stream,
  Way,
} from "../program/sandbox.ts";
import { callFilter } from "../program/seccomp.ts";
import { sealedMounts, systemMounts } from "./bubblewrap-mounts.ts";
import { type Boxed, boxed, isolation } from "./bubblewrap-options.ts";

export function wayIntoBubblewrap(
  inhabitant: Inhabitant,
  box: Box & { readonly sandbox: Bubblewrap },
): Way | { readonly problem: Problem } {
  const way = boxed(inhabitant, box);
  if ("problem" in way) return way;
  return { enter: (entering) => enter(way, entering), phantoms: way.phantoms, refusal };
}

const argsFd = 3;
const statusFd = 4;
const filterFd = 5;

function enter({ path, options, filter }: Boxed, { argv, gate, marks, spawn }: Entering): Entered {
  const channel = filter ? filterFd + 1 : filterFd;
  const inside = gate ? throughGate(argv, gate, channel) : argv;
  const args = ["--args", `${argsFd}`, "--json-status-fd", `${statusFd}`, "--", ...inside];
  const streams: Stream[] = [
    "pipe",
    "pipe",
    ...(filter ? ["pipe" as const] : []),
    ...(gate ? ["ipc" as const] : []),
  ];
  const child = spawn(path, args, { env: { [markName]: marks }, streams });
  if (gate) openGate(child, gate);
  const filtered = filter ? ["--seccomp", `${filterFd}`] : [];
  const all = [...options, ...filtered, "--setenv", markName, marks];
  hand(child, argsFd, all.map((option) => `${option}\0`).join(""));
  if (filter) hand(child, filterFd, filter);
  const status: BoxStatus = { first: undefined, exitCode: undefined };
  return { child, status, told: readStatus(child, status) };
}

function hand(child: ChildProcess, fd: number, what: string | Buffer): void {
  const stream = child.stdio?.[fd] as Writable | null | undefined;
  stream?.on("error", () => {});
  stream?.end(what);
}

/** Resolves when bubblewrap has said all it will say. */
function readStatus(child: ChildProcess, status: BoxStatus): Promise<void> {
  const stream = child.stdio?.[statusFd] as Readable | null | undefined;
  if (!stream) return Promise.resolve();
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

/** The program never ran, so the last line on its stderr is bubblewrap's. */
function refusal(said: string): Refusal {
  const message = said.replace(/^bwrap: /, "");
  if (/^execvp .*: No such file/.test(message)) return { reason: "not-found", message };
  if (/^execvp /.test(message)) return { reason: "not-executable", message };
  return { reason: /chdir/.test(message) ? "no-folder" : "no-box", message };
}

/** Along that PATH, by starting a box and a program in it. Never throws. */
export async function tryBubblewrap(searchPath: string): Promise<FoundSandbox> {
  const path = locate("bwrap", searchPath);
  if (process.platform !== "linux" || path === undefined) return { ok: false, problem: missing() };
  const version = (await answerOf(path, ["--version"])).said.replace(/^bubblewrap\s+/, "");
  let said = "";
  for (const nesting of ["refused", "possible"] as const) {
    const sandbox: Bubblewrap = { kind: "bubblewrap", path, version, nesting };
    const options = [...isolation(sandbox, false), ...systemMounts(), ...sealedMounts(), "--clearenv"];
    const filtered = callFilter() ? ["--seccomp", "3"] : [];
    const answer = await answerOf(path, [...options, ...filtered, "--", "/bin/sh", "-c", "exit 42"]);
    if (answer.code === 42) return { ok: true, ...sandbox };
    said = answer.said;
  }
  return { ok: false, problem: unusable(path, said) };
}

function missing(): Problem {
  if (process.platform !== "linux")
    return problem("no-sandbox", `there is no sandbox for ${process.platform} yet`, {
      hint: "say `unconfined` in .heddle/config.json if programs may see and change everything you can",
    });
  return problem("no-sandbox", "bubblewrap (`bwrap`) is not installed, so programs cannot be confined", {
    hint: "apt-get install bubblewrap (or dnf, pacman, apk add bubblewrap)",
  });
}

function unusable(path: string, said: string): Problem {
  const restricted = existsSync("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  return problem(
    "no-sandbox",
    `\`${path}\` is installed but cannot make a box here: ${said || "it says nothing"}`,
    {
      hint: restricted
        ? "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        : "in a container, allow user namespaces: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
    },
  );
}

const patienceMs = 10_000;

function answerOf(path: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((settle) => {
    let said = "";
    const child = spawn(path, args, {
      env: {},
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      timeout: patienceMs,
      killSignal: "SIGKILL",
    });
    const hear = (chunk: Buffer) => {
      if (said.length < 1000) said += chunk.toString("utf8");
    };
    const filter = child.stdio?.[3] as Writable | null | undefined;
    filter?.on("error", () => {});
    filter?.end(callFilter() ?? "");
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("error", (error) => settle({ code: null, said: error.message }));
    child.on("close", (code) => settle({ code, said: said.trim() }));
  });
}
