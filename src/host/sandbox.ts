// The box in which programs run that are not ours: bubblewrap with namespaces of its own, no capabilities, a read-only
// system, and of the host's files only what was named. Here it is found, tried and put into words; `run.ts` runs
// things in it. A box is as strong as the person who runs heddle is weak: as root it keeps files apart just as well,
// but a bug in the kernel costs more.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import type { Environment } from "./environment.ts";
import { isWithin, planMounts, sealedMounts, systemMounts, type Visible } from "./mounts.ts";

export interface Sandbox {
  readonly path: string;
  readonly version: string;
  /** Whether programs can be kept from making user namespaces of their own (0.8.0, and not in every container). */
  readonly nesting: "refused" | "possible";
}

export type FoundSandbox =
  | ({ readonly ok: true } & Sandbox)
  | { readonly ok: false; readonly problem: Problem };

export interface Box extends Visible {
  readonly sandbox: Sandbox;
  /** With it a program reaches everything the host reaches, its loopback and abstract sockets included. */
  readonly network: boolean;
}

export interface Boxed {
  readonly path: string;
  /** For `--args`, not for a command line: they hold the environment, and everybody on the machine can read those. */
  readonly options: readonly string[];
  /** To be removed when the box is gone. */
  readonly phantoms: readonly string[];
}

/** The way into the box for a program that starts in `cwd` with exactly `environment`. Nothing is started here. */
export function boxed(
  { cwd, environment }: { readonly cwd: string; readonly environment: Environment },
  box: Box,
): Boxed | { readonly problem: Problem } {
  const mounts = planMounts(box);
  if ("problem" in mounts) return mounts;
  const variables = Object.entries({ ...environment, HOME: box.home });
  if (
    variables.some(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0")) ||
    cwd.includes("\0")
  )
    return { problem: problem("bad-environment", "a NUL byte, or a variable without a proper name") };
  return {
    path: box.sandbox.path,
    options: [
      ...isolation(box.sandbox, box.network),
      ...systemMounts(box.tmpBytes),
      ...mounts.options,
      ...sealedMounts,
      ...["--clearenv", ...variables.flatMap(([name, value]) => ["--setenv", name, value])],
      ...["--chdir", cwd],
    ],
    phantoms: mounts.phantoms,
  };
}

function isolation(sandbox: Sandbox, network: boolean): string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(sandbox.nesting === "refused" ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "box"],
  ];
}

/** What a box needs to have `node` in it: where the Node that runs heddle lies, if that is not in /usr. */
export function ownRuntime(): string[] {
  const folder = dirname(realpathSync(process.execPath));
  if (isWithin("/usr", folder)) return [];
  const installation = dirname(folder);
  return [existsSync(join(installation, "lib", "node_modules")) ? installation : folder];
}

let found: Promise<FoundSandbox> | undefined;

/** Looks once per process, by starting a box and a program in it. Never throws. */
export function findSandbox(): Promise<FoundSandbox> {
  found ??= trySandbox(process.env.PATH ?? "");
  return found;
}

/** As `findSandbox`, along another PATH and without memory. */
export async function trySandbox(searchPath: string): Promise<FoundSandbox> {
  const path = locate("bwrap", searchPath);
  if (process.platform !== "linux" || path === undefined) return { ok: false, problem: missing() };
  const version = (await answerOf(path, ["--version"])).said.replace(/^bubblewrap\s+/, "");
  let said = "";
  for (const nesting of ["refused", "possible"] as const) {
    const sandbox: Sandbox = { path, version, nesting };
    const options = [...isolation(sandbox, false), ...systemMounts(), ...sealedMounts, "--clearenv"];
    const answer = await answerOf(path, [...options, "--", "/bin/sh", "-c", "exit 42"]);
    if (answer.code === 42) return { ok: true, ...sandbox };
    said = answer.said;
  }
  return { ok: false, problem: unusable(path, said) };
}

export function locate(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
      killSignal: "SIGKILL",
    });
    const hear = (chunk: Buffer) => {
      if (said.length < 1000) said += chunk.toString("utf8");
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", (error) => settle({ code: null, said: error.message }));
    child.on("close", (code) => settle({ code, said: said.trim() }));
  });
}
