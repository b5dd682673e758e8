// A container for the tests, made of this machine's own programs, because no registry can be asked: an image in a store of
// its own, which is gone afterwards. Where podman is missing, or makes no box here, there is none.
import { execFileSync, spawnSync } from "node:child_process";
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

export interface Stand {
  readonly container: Container;
  /** A PATH on which the tests' own engine is found first. */
  readonly path: string;
  readonly image: string;
  readonly podman: (...args: readonly string[]) => string;
  readonly close: () => void;
}

/** Why there is none, in a word for the title of what is left out. */
export async function makeStand(): Promise<Stand | string> {
  const podman = whereIs("podman");
  if (podman === "" || process.getuid?.() !== 0 || process.platform !== "linux") return "podman as root";
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-image-")));
  const close = () => {
    spawnSync(join(folder, "podman"), ["rm", "--force", "--all"], { stdio: "ignore" });
    spawnSync(join(folder, "podman"), ["rmi", "--force", "--all"], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "podman"), engine(podman, folder), { mode: 0o755 });
  makeRoot(join(folder, "root"));
  const own = (...args: readonly string[]) =>
    execFileSync(join(folder, "podman"), args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const image = "localhost/heddle-test:1";
  try {
    execFileSync("tar", ["-C", join(folder, "root"), "-cf", join(folder, "root.tar"), "."]);
    own("import", "--change", "ENV FROM_THE_IMAGE=yes", join(folder, "root.tar"), image);
  } catch (error) {
    close();
    return `podman that imports an image (${(error as Error).message.split("\n").at(-2) ?? ""})`;
  }
  const path = `${folder}:${process.env.PATH ?? ""}`;
  const found = await tryContainer({ image, engine: "podman" }, path);
  if (found.ok && found.kind === "container") return { container: found, path, image, podman: own, close };
  close();
  return `podman that runs here (${found.ok ? "" : found.problem.message})`;
}

/**
 * With a store of its own; and where the machine mixes two kinds of control groups, which crun refuses, in a mount namespace
 * that shows the newer kind alone.
 */
function engine(podman: string, folder: string): string {
  const call = `exec ${podman} --root ${folder}/store --runroot ${folder}/run "$@"`;
  const isMixed = existsSync("/sys/fs/cgroup/unified");
  if (!isMixed) return `#!/bin/sh\n${call}\n`;
  const alone = "umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup";
  return `#!/bin/sh\nexec unshare -m sh -c '${alone}; ${call}' podman "$@"\n`;
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
