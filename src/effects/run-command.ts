// One command of the project's own — set-up, acceptance — in a box of its own. What it runs is code that agents wrote,
// so it gets no credentials, and the network only where the policy says so.
import { type Environment, environmentFor, secretValues } from "../host/environment.ts";
import { makeFolder } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import type { Ended, ProgramEvent, ProgramSpec } from "../host/program.ts";
import { redactor } from "../host/redact.ts";
import { runToEnd } from "../host/run.ts";
import { type Box, ownRuntime, type Sandbox } from "../host/sandbox.ts";

/** What all commands of a run have in common. Without a sandbox they run unconfined, because a person said so. */
export interface Bench {
  readonly sandbox: Sandbox | null;
  readonly readable: readonly string[];
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
  readonly network: boolean;
  readonly set: Environment;
  readonly log: string;
  readonly mark: string;
}

export async function runCommand(
  bench: Bench,
  command: Command,
  { signal, hear }: { readonly signal: AbortSignal; readonly hear?: (event: ProgramEvent) => void },
): Promise<Ended> {
  for (const each of [command.home, command.tmp]) makeFolder(each);
  const { cwd, home, log, mark } = command;
  const spec: ProgramSpec = {
    argv: ["/bin/sh", "-c", command.command],
    cwd,
    environment: environmentFor(process.env, {
      home,
      tmp: bench.sandbox ? "/tmp" : command.tmp,
      names: bench.env,
      set: command.set,
    }),
    limits: bench.limits,
    box: bench.sandbox ? boxFor(bench, bench.sandbox, command) : "unconfined",
    keep: { stdout: `${log}.out`, stderr: `${log}.err` },
    redact: redactor(secretValues(process.env)),
    mark,
  };
  return runToEnd(spec, signal, hear);
}

function boxFor({ readable }: Bench, sandbox: Sandbox, { home, writable, network }: Command): Box {
  return { sandbox, network, home, writable, readOnly: [...readable, ...ownRuntime()] };
}
