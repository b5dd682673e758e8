// What bubblewrap is told for one box: its namespaces, the system, the mounts, the environment.
import { totalmem } from "node:os";
import type { Problem } from "../../core/problem.ts";
import { planMounts } from "../program/mounts.ts";
import type { Box, Bubblewrap, Inhabitant } from "../program/sandbox.ts";
import { callFilter } from "../program/seccomp.ts";
import { mountOptions, sealedMounts, systemMounts } from "./bubblewrap-mounts.ts";

export interface Boxed {
  readonly path: string;
  /** For `--args`, not for a command line: they hold the environment, and everybody on the machine can read those. */
  readonly options: readonly string[];
  readonly phantoms: readonly string[];
  /** The system calls that are denied, for `--seccomp`; nothing on a processor whose calls are not known. */
  readonly filter: Buffer | undefined;
}

export function boxed(
  { cwd, environment, limits }: Inhabitant,
  box: Box & { readonly sandbox: Bubblewrap },
): Boxed | { readonly problem: Problem } {
  const mounts = planMounts(box);
  if ("problem" in mounts) return mounts;
  const variables = Object.entries({ ...environment, HOME: box.home });
  return {
    path: box.sandbox.path,
    options: [
      ...isolation(box.sandbox, box.network),
      ...systemMounts({ ...box, tmpBytes: tmpBytesFor(box, limits?.memoryBytes) }),
      ...mountOptions(mounts.plan),
      ...sealedMounts(box),
      ...["--clearenv", ...variables.flatMap(([name, value]) => ["--setenv", name, value])],
      ...["--chdir", cwd],
    ],
    phantoms: mounts.phantoms,
    filter: callFilter(),
  };
}

/** What lies there is memory: no more of it than the program may have, and never all that the machine has. */
export function tmpBytesFor({ tmpBytes }: Box, memoryBytes = Infinity): number {
  const whole = 1024 * 1024;
  const most = Math.min(2048 * whole, totalmem() / 4, memoryBytes);
  return tmpBytes ?? Math.max(whole, Math.floor(most / whole) * whole);
}

export function isolation(sandbox: Bubblewrap, network: boolean): string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(sandbox.nesting === "refused" ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "box"],
  ];
}
