// The box in which programs run that are not ours, as the rest of heddle knows it: found on this machine, named in orders
// (a `Sandbox` is plain JSON), and a way in for one program. What a box is made of is its maker's affair (`host/box`);
// `launch.ts` starts a program by its way, `run.ts` watches and ends it.
import type { ChildProcess } from "node:child_process";
import type { Problem } from "../../core/problem.ts";
import type { Environment } from "./environment.ts";
import type { Gate } from "./gate.ts";
import type { Visible } from "./mounts.ts";
import type { ProcessId } from "./processes.ts";

export interface Bubblewrap {
  readonly kind: "bubblewrap";
  readonly path: string;
  readonly version: string;
  /** Whether programs can be kept from making user namespaces of their own (0.8.0, and not in every container). */
  readonly nesting: "refused" | "possible";
}

/** podman or docker, with an image that is on this machine. */
export interface Container {
  readonly kind: "container";
  readonly engine: "podman" | "docker";
  readonly path: string;
  readonly version: string;
  /** As the person calls it. */
  readonly image: string;
  /** So that another image of that name, fetched meanwhile, changes nothing. */
  readonly imageId: string;
  /** What the image sets, which the program does not get. */
  readonly imageVariables: readonly string[];
  /** Whether the image has no Node where heddle's is, so that heddle's is shown. */
  readonly lacksNode: boolean;
  /** Who is in the box: the person, by a map of users; root, who is the person outside; or the same user as outside. */
  readonly user: "mapped" | "root-is-person" | "same";
  readonly ids: { readonly user: number; readonly group: number };
  /** Whether the kernel bounds memory and processes as well; heddle always looks at them. `none`: no control group at all. */
  readonly bounds: "kernel" | "watched" | "none";
  /** How the engine's program is told to mount a folder without what is mounted inside it. */
  readonly withoutInner: "bind-nonrecursive=true" | "bind-recursive=disabled";
  /** Soft and hard, as heddle has them. */
  readonly ulimits: { readonly files: string; readonly processes: string };
}

/** macOS's own. */
export interface Seatbelt {
  readonly kind: "seatbelt";
  readonly path: string;
  readonly version: string;
}

/** What makes boxes here. */
export type Sandbox = Bubblewrap | Container | Seatbelt;

/** The same, without what a maker needs to know: which kind of box. */
export type BoxKind = Sandbox["kind"];

export type FoundSandbox =
  | ({ readonly ok: true } & Sandbox)
  | { readonly ok: false; readonly problem: Problem };

export interface Box extends Visible {
  readonly sandbox: Sandbox;
  /** With it a program reaches everything the host reaches, its loopback and abstract sockets included. */
  readonly network: boolean;
}

/** The program for which a way is made: it starts in `cwd` with exactly `environment`. */
export interface Inhabitant {
  readonly cwd: string;
  readonly environment: Environment;
  readonly limits?: { readonly memoryBytes?: number; readonly processes?: number };
}

/** What the maker tells about a box while it runs; what the program inside says does not come this way. */
export interface BoxStatus {
  /** The first process of the box, as the host counts: when it is gone, all of them are. */
  first: ProcessId | undefined;
  /** Only when the program was really started. */
  exitCode: number | undefined;
}

export type Stream = "pipe" | "ignore" | "ipc" | number;

/** One entry. Descriptors from 3 on are the maker's. */
export interface Entering {
  readonly argv: readonly [string, ...string[]];
  readonly gate: Gate | undefined;
  readonly hasInput: boolean;
  /** Goes into the environment of everything that is started. */
  readonly marks: string;
  /** Spawns what leads into the box: detached, in /, with the program's streams and none of heddle's descriptors. */
  readonly spawn: (
    file: string,
    args: readonly string[],
    more: { readonly env: Environment; readonly streams: readonly Stream[] },
  ) => ChildProcess;
}

export interface Entered {
  readonly child: ChildProcess;
  /** Nothing for a box that tells nothing: its processes are found by their group and marks, as those without a box. */
  readonly status: BoxStatus | undefined;
  /** When all is told that will be, after the child's exit; nothing is left in the box by then, nor of it. */
  readonly told: Promise<void>;
}

/** The way into a box for one program. Nothing is started by making it. */
export interface Way {
  /** Throws what spawning throws. */
  readonly enter: (entering: Entering) => Entered | Promise<Entered>;
  /** Files that exist on the host only because of the box, to be removed when it is gone. */
  readonly phantoms: readonly string[];
  /** Why nothing ran, from the last line on the stderr of what leads into the box. */
  readonly refusal: (said: string) => Refusal;
}

export interface Refusal {
  readonly reason: "not-found" | "not-executable" | "no-folder" | "no-box";
  readonly message: string;
}
