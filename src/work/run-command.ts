// One command of the project's own — set-up, acceptance — in a box of its own. What it runs is code that agents wrote,
// so it gets no credentials, and the network only where the policy says so.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { gatePort, openPass, type Pass } from "../gateway/gateway.ts";
import type { Reach } from "../gateway/reach.ts";
import { type LineFor, networkLine, type RefusedHost } from "../gateway/refused-hosts.ts";
import { append, makeFolder } from "../host/files.ts";
import { type Environment, environmentFor, secretValues } from "../host/program/environment.ts";
import type { Limits } from "../host/program/limits.ts";
import { isWithin } from "../host/program/mounts.ts";
import { networkSettings } from "../host/program/network-settings.ts";
import type { Ended, ProgramEvent, ProgramSpec } from "../host/program/program.ts";
import { redactor } from "../host/program/redact.ts";
import { runToEnd } from "../host/program/run.ts";
import { ownRuntime, toolchainsIn } from "../host/program/runtime.ts";
import type { Box, Sandbox } from "../host/program/sandbox.ts";

/** What all commands of a run have in common. Without a sandbox they run unconfined, because a person said so. */
export interface CommandSettings {
  readonly sandbox: Sandbox | null;
  readonly readable: readonly string[];
  /** Empty inside, although what is around them is readable. */
  readonly hidden?: readonly string[];
  /** Variables that they get from the person's environment. */
  readonly env: readonly string[];
  readonly limits: Limits;
}

export interface Command {
  /** For a shell: it is what the task or the configuration says. */
  readonly command: string;
  readonly cwd: string;
  /** Everything that it may write. */
  readonly writable: readonly string[];
  readonly home: string;
  readonly tmp: string;
  readonly network: Reach;
  /** What a person would write to open a host that it wanted; as for checks when left out. */
  readonly line?: LineFor;
  readonly set: Environment;
  readonly log: string;
  readonly mark: string;
  /** Whether what it writes is kept. */
  readonly keeps?: boolean;
}

export interface EndedCommand extends Ended {
  /** Hosts that it wanted and did not get; they are at the end of its log as well. */
  readonly closed: readonly RefusedHost[];
}

export async function runCommand(
  bench: CommandSettings,
  command: Command,
  { signal, hear }: { readonly signal: AbortSignal; readonly hear?: (event: ProgramEvent) => void },
): Promise<EndedCommand> {
  for (const each of [command.home, command.tmp]) makeFolder(each);
  const { cwd, home, log, mark } = command;
  const closed: RefusedHost[] = [];
  const pass = bench.sandbox && typeof command.network === "object" ? hostsOnly(command, closed) : undefined;
  const environment = environmentFor(process.env, {
    home,
    tmp: bench.sandbox ? "/tmp" : command.tmp,
    names: bench.env,
    set: {
      ...toolchainsIn(bench.sandbox?.kind).set,
      ...networkSettings(process.env, reached(command)).set,
      ...command.set,
      ...pass?.variables,
    },
  });
  const spec: ProgramSpec = {
    argv: ["/bin/sh", "-c", command.command],
    cwd,
    environment: { ...environment, PATH: outside(environment.PATH ?? "", [...command.writable, home]) },
    limits: bench.limits,
    box: bench.sandbox ? boxFor(bench, bench.sandbox, command) : "unconfined",
    keep: { stdout: `${log}.out`, stderr: `${log}.err` },
    redact: redactor(secretValues(process.env)),
    ...(command.keeps && { leaves: command.writable }),
    ...(pass && { gate: { port: gatePort, serve: pass.serve } }),
    mark,
  };
  try {
    return { ...(await runToEnd(spec, signal, hear)), closed };
  } finally {
    await pass?.close();
    // Beside what the command itself says about it, where people look.
    if (closed.length > 0) append(`${log}.err`, closed.map(({ sentence }) => `${sentence}\n`).join(""));
  }
}

/** A way to these hosts and to no model. */
function hostsOnly({ network, line }: Command, closed: RefusedHost[]): Pass {
  const hosts = typeof network === "object" ? network : [];
  const nothing = { routes: [], budgets: [], costOf: () => null, counted: () => {} };
  return openPass({
    ...{ ...nothing, hosts, line: line ?? networkLine("checks", hosts) },
    hostRefused: (each) => closed.push(each),
  });
}

/** Hosts of a list are reached by heddle's own proxy, with the certificates that the person's machine needs. */
const reached = ({ network }: Command) => (typeof network === "object" ? "by-gateway" : network);

/** Programs are not looked for in what agents wrote: a `node_modules/.bin` of the tree has shims for every one of them. */
function outside(path: string, folders: readonly string[]): string {
  const written = folders.map(realPath);
  return path
    .split(":")
    .filter((entry) => !written.some((folder) => isWithin(folder, realPath(entry))))
    .join(":");
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function boxFor({ readable, hidden = [] }: CommandSettings, sandbox: Sandbox, command: Command): Box {
  const { home, writable, network } = command;
  const certificates = networkSettings(process.env, reached(command)).readable;
  return {
    sandbox,
    network: network === true,
    home,
    writable,
    hidden,
    readOnly: [...readable, ...certificates, ...ownRuntime(), ...toolchainsIn(sandbox.kind).readable],
  };
}
