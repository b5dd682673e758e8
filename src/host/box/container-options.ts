// What podman or docker is told for one box. Pure: the list is compared in tests, and the same on every machine.
import { dirname, join } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { mostProcesses } from "../program/limits.ts";
import { markName } from "../program/marks.ts";
import { isWithin, type Mount } from "../program/mounts.ts";
import type { Container, Inhabitant } from "../program/sandbox.ts";
import { controlPlace, inside } from "./container-inside.ts";

export interface Boxing {
  readonly container: Container;
  readonly name: string;
  readonly network: boolean;
  /** Behind heddle's pipes for the box, also what has no other place: an empty file and folder, links. */
  readonly control: string;
  readonly plan: readonly Mount[];
  readonly tmpBytes: number;
  readonly limits: Inhabitant["limits"];
  readonly hasInput: boolean;
  readonly marks: string;
}

/** Files of the control folder that stand for what is not shown. */
export const emptyFile = "nothing";
export const emptyFolder = "empty";
/** In the place of /sys, with what engines mount there: a place that they made themselves would be another user's. */
export const sysFolder = "sys/fs/cgroup";
/** Named by number: folders of links, in the order of `linkFolders`. */
export const linkFolder = (at: number) => `links-${at}`;

/** What is masked of /proc beside what the engines mask; docker has no option for it. */
const maskedOfProc = ["keys", "key-users", "kcore", "kmsg", "timer_list", "sched_debug", "sysrq-trigger"];

export function containerOptions(boxing: Boxing): string[] {
  const { container, name, network, control, plan, tmpBytes, hasInput, marks } = boxing;
  const isPodman = container.engine === "podman";
  return [
    ...["run", "--rm", "--pull=never", "--name", name, "--label", "heddle.box", "--log-driver", "none"],
    ...(hasInput ? ["--interactive"] : []),
    ...["--network", network ? "host" : "none", "--hostname", "box", "--ipc", "private"],
    ...["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--security-opt", "label=disable", "--security-opt", `seccomp=${join(control, "seccomp.json")}`],
    ...(isPodman
      ? [
          ...["--read-only-tmpfs=false", "--image-volume=ignore", "--http-proxy=false"],
          ...["--security-opt", `mask=${maskedOfProc.map((each) => `/proc/${each}`).join(":")}`],
        ]
      : []),
    "--no-healthcheck",
    ...userOptions(container),
    ...limitOptions(boxing),
    ...["/tmp", "/var/tmp"].flatMap((path) => [
      ...["--tmpfs", `${path}:rw,exec,nosuid,nodev,size=${tmpBytes},mode=1777`],
    ]),
    ...["--shm-size", `${tmpBytes}b`],
    ...[
      bind(join(control, "sys"), "/sys", "read-only"),
      bind(control, controlPlace, "read-only"),
      ...plannedBinds(plan, control),
    ].flatMap((each) => ["--mount", bindOption(each, container)]),
    ...["--env", `${markName}=${marks}`, "--workdir", "/", "--entrypoint", "/bin/sh"],
    ...[container.imageId, "-c", inside, "heddle-box"],
  ];
}

/** Files that are written belong to the person: whoever is in the box is the person outside. */
function userOptions({ user, ids }: Container): string[] {
  const own = `${ids.user}:${ids.group}`;
  switch (user) {
    case "mapped":
      return ["--userns=keep-id", "--user", own];
    case "root-is-person":
      return ["--user", "0:0"];
    case "same":
      return ["--user", own];
  }
}

/** heddle looks at what a box uses, as with bubblewrap; where the kernel can hold it to a bound, that is a little above. */
function limitOptions({ container, limits }: Boxing): string[] {
  const { files, processes: own } = container.ulimits;
  const always = ["--ulimit", `nofile=${files}`, "--ulimit", `nproc=${own}`, "--ulimit", "core=0:0"];
  if (container.bounds === "none") return [...always, "--cgroups=disabled"];
  if (container.bounds === "watched") return always;
  const { memoryBytes, processes = mostProcesses } = limits ?? {};
  const memory = memoryBytes === undefined ? [] : [`${Math.ceil(memoryBytes * 1.25)}b`];
  return [
    ...always,
    ...["--pids-limit", `${processes * threadsEach}`],
    ...memory.flatMap((most) => ["--memory", most, "--memory-swap", most]),
  ];
}

/** The kernel counts threads as well. */
const threadsEach = 8;

interface Bind {
  readonly from: string;
  readonly to: string;
  readonly how: "writable" | "read-only";
}

const bind = (from: string, to: string, how: Bind["how"]): Bind => ({ from, to, how });

/** Nothing is mounted with what is mounted inside it, but for what the program may write: read-only would not hold for it. */
function bindOption({ from, to, how }: Bind, { withoutInner }: Container): string {
  return `type=bind,src=${from},dst=${to}${how === "writable" ? "" : `,readonly,${withoutInner}`}`;
}

/**
 * A container has no links but the image's. Those of one folder are made in a folder of heddle's, which is mounted in its
 * place; in a folder of the system, which the image has itself, what a link leads to is shown instead.
 */
export function linkFolders(plan: readonly Mount[]): string[] {
  const folders = plan.filter(({ kind }) => kind === "link").map(({ path }) => dirname(path));
  const system = ["/usr", "/bin", "/sbin", "/lib", "/etc", "/opt/bin"];
  return [...new Set(folders)].filter(
    (folder) => folder !== "/" && !system.some((each) => isWithin(each, folder)),
  );
}

function plannedBinds(plan: readonly Mount[], control: string): Bind[] {
  const folders = linkFolders(plan);
  const links = folders.map((folder, at) => bind(join(control, linkFolder(at)), folder, "read-only"));
  return [...links, ...plan.flatMap((mount) => bindFor(mount, folders, control))];
}

function bindFor(
  { path, kind, real, isFolder }: Mount,
  links: readonly string[],
  control: string,
): Bind | readonly Bind[] {
  switch (kind) {
    case "writable":
      return bind(real, path, "writable");
    case "link":
      return links.includes(dirname(path)) ? [] : bind(real, path, "read-only");
    case "read-only":
      return bind(real, path, "read-only");
    case "hidden":
      return bind(join(control, isFolder ? emptyFolder : emptyFile), path, "read-only");
    case "masked":
      return bind(join(control, emptyFile), path, "read-only");
  }
}

/** The engines read mounts as lists with commas. */
export function unmountable(plan: readonly Mount[]): Problem | undefined {
  const wrong = plan.flatMap(({ path, real }) => [path, real]).find((path) => /[,"\n\r]/.test(path));
  return wrong === undefined
    ? undefined
    : problem(
        "unsafe-path",
        `\`${wrong}\` has a comma, a quote or a line break, which no container engine can mount`,
      );
}
