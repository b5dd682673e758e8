// A container for the tests, made of this machine's own programs, because no registry can be asked: an image in a store of
// its own, which is gone afterwards. Where podman is missing, or makes no box here, there is none.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { tryContainer } from "../../src/host/box/container-find.ts";
import type { Container } from "../../src/host/program/sandbox.ts";
import { until } from "../e2e/rig.ts";
import { whereIs } from "../needs.ts";

/** What the suite of hostile programs calls, and what work needs. */
const programs = [
  ...[
    "sh",
    "cat",
    "ls",
    "grep",
    "sed",
    "tr",
    "cut",
    "sort",
    "head",
    "wc",
    "dd",
    "ln",
    "mv",
    "rm",
    "mkdir",
    "touch",
  ],
  ...[
    "chmod",
    "basename",
    "id",
    "sleep",
    "setsid",
    "env",
    "kill",
    "date",
    "hostname",
    "renice",
    "ipcs",
    "timeout",
  ],
  ...[
    "mount",
    "umount",
    "unshare",
    "nsenter",
    "chroot",
    "pivot_root",
    "mknod",
    "su",
    "setpriv",
    "true",
    "seq",
    "git",
  ],
  ...["strace", "find", "stat"],
];

type Engine = Container["engine"];

export interface Stand {
  readonly container: Container;
  /** A PATH on which the tests' own engine is found first. */
  readonly path: string;
  readonly image: string;
  readonly engine: (...args: readonly string[]) => string;
  readonly close: () => void;
}

/** Why there is none, in a word for the title of what is left out. */
export async function makeStand(engine: Engine): Promise<Stand | string> {
  if (whereIs(engine) === "" || process.getuid?.() !== 0 || process.platform !== "linux")
    return `${engine} as root`;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-image-")));
  chmodSync(folder, 0o755);
  const end = engine === "podman" ? ownPodman(folder) : await ownDocker(folder);
  const close = () => {
    end?.();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!end) {
    close();
    return `a daemon of ${engine}`;
  }
  makeRoot(join(folder, "root"));
  const own = (...args: readonly string[]) =>
    execFileSync(join(folder, engine), args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const image = "localhost/heddle-test:1";
  try {
    execFileSync("tar", ["-C", join(folder, "root"), "-cf", join(folder, "root.tar"), "."]);
    own("import", "--change", "ENV FROM_THE_IMAGE=yes", join(folder, "root.tar"), image);
  } catch (error) {
    close();
    return `${engine} that imports an image (${(error as Error).message.split("\n").at(-2) ?? ""})`;
  }
  const path = `${folder}:${process.env.PATH ?? ""}`;
  const found = await tryContainer({ image, engine }, path);
  if (found.ok && found.kind === "container") return { container: found, path, image, engine: own, close };
  close();
  return `${engine} that runs here (${found.ok ? "" : found.problem.message})`;
}

const script = (folder: string, name: string, text: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });

/**
 * With a store of its own; and where the machine mixes two kinds of control groups, which crun refuses, in a mount namespace
 * that shows the newer kind alone.
 */
function ownPodman(folder: string): () => void {
  const call = `exec ${whereIs("podman")} --root ${folder}/store --runroot ${folder}/run "$@"`;
  const isMixed = existsSync("/sys/fs/cgroup/unified");
  const alone = "umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup";
  script(folder, "podman", isMixed ? `exec unshare -m sh -c '${alone}; ${call}' podman "$@"` : call);
  return () => {
    spawnSync(join(folder, "podman"), ["rm", "--force", "--all"], { stdio: "ignore" });
    spawnSync(join(folder, "podman"), ["rmi", "--force", "--all"], { stdio: "ignore" });
  };
}

/** With a daemon of its own, which touches neither the machine's network nor its store, and ends with the tests. */
async function ownDocker(folder: string): Promise<(() => void) | undefined> {
  const daemon = whereIs("dockerd");
  if (daemon === "") return undefined;
  const address = `unix://${folder}/docker.sock`;
  script(folder, "docker", `exec ${whereIs("docker")} --host ${address} "$@"`);
  const apart = ["--iptables=false", "--ip6tables=false", "--bridge=none", "--storage-driver=vfs"];
  const places = [
    "--data-root",
    `${folder}/store`,
    "--exec-root",
    `${folder}/run`,
    "--pidfile",
    `${folder}/pid`,
  ];
  const child = spawn(daemon, [...apart, ...places, "--host", address], { stdio: "ignore" });
  const gone = once(child, "exit").then(() => "gone" as const);
  const end = () => {
    child.kill();
    // It is asked to end its containers, and unmounts what it mounted.
    for (let waits = 0; waits < 300 && existsSync(`${folder}/pid`); waits++) spawnSync("sleep", ["0.1"]);
    child.kill("SIGKILL");
    // A namespace that containers with the host's network share stays mounted.
    spawnSync("umount", ["--lazy", `${folder}/run/netns/default`], { stdio: "ignore" });
  };
  const answers = until("the daemon answers", () => spawnSync(join(folder, "docker"), ["info"]).status === 0);
  const came = await Promise.race([
    answers.then(() => "there" as const).catch(() => "silent" as const),
    gone,
  ]);
  if (came === "there") return end;
  end();
  return undefined;
}

function makeRoot(root: string): void {
  const folders = ["bin", "etc", "proc", "dev", "sys", "tmp", "var/tmp", "run", "usr/bin", "usr/lib"];
  for (const name of folders) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  const found = programs.map(whereIs).filter((path) => path !== "");
  for (const path of found) copyFileSync(realpathSync(path), join(root, "bin", basename(path)));
  const said = spawnSync(
    "ldd",
    [...found.map((path) => realpathSync(path)), realpathSync(process.execPath)],
    {
      encoding: "utf8",
    },
  ).stdout;
  for (const library of new Set(said.match(/\/\S+\.so\S*/g) ?? [])) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    if (readFileSync(library).length > 0) copyFileSync(library, join(root, library));
  }
}
