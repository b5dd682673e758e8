// What a box can see: which of the host's paths are in it, and which of them can be written. The result is a list of
// bubblewrap's mount options, outer paths before inner ones, so that the more precise wish wins. Nothing is in the
// box that is not named here or in `box.readOnly`, `box.writable` and `box.home`.
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Problem, problem } from "../core/problem.ts";

export interface Visible {
  /** A folder of the program's own, writable, kept. */
  readonly home: string;
  /** Must exist. */
  readonly writable: readonly string[];
  /** Must exist. */
  readonly readOnly: readonly string[];
  /** Empty inside, whatever they hold outside. */
  readonly hidden?: readonly string[];
  /**
   * Paths inside writable ones that must stay as they are, the missing ones included: a missing one is held by an
   * empty file, which `phantoms` names and the runner removes afterwards. So no two boxes at once may protect the
   * same missing path.
   */
  readonly protect?: readonly string[];
  /** How much /tmp, /var/tmp and /dev/shm may hold, each; it is memory. Two GiB when left out. */
  readonly tmpBytes?: number;
}

export interface Mounts {
  readonly options: readonly string[];
  /** Files that exist on the host only because of the box. */
  readonly phantoms: readonly string[];
}

/** Where two wishes name the same path, the later of these wins. */
const kinds = ["writable", "read-only", "masked", "hidden"] as const;
type Kind = (typeof kinds)[number];

const defaultTmpBytes = 2 * 1024 * 1024 * 1024;

/** As root, bubblewrap alone leaves /proc/sys writable: `kernel.core_pattern` is then a way out. So /proc is sealed. */
export function systemMounts(tmpBytes = defaultTmpBytes): string[] {
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(systemFolder),
    ...settings().flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["/dev/shm", "/tmp", "/var/tmp"].flatMap((path) => [
      ...["--perms", "1777", "--size", `${tmpBytes}`, "--tmpfs", path],
    ]),
  ];
}

export const sealedMounts = ["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path]);

/** Most systems have links to /usr here; a link is made again, a folder is shown. */
function systemFolder(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
  return stat?.isDirectory() ? ["--ro-bind", path, path] : [];
}

/** Of /etc only what programs need to find names, certificates, libraries and the time; no keys, no accounts' secrets. */
function settings(): string[] {
  const names = [
    ...["resolv.conf", "hosts", "nsswitch.conf", "protocols", "services", "passwd", "group"],
    ...["localtime", "timezone", "os-release", "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"],
    ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/ca-trust", "pki/tls/certs", "crypto-policies"],
  ];
  const java = list("/etc").filter((name) => /^(java|jvm)-?/.test(name));
  return [...names, ...java].map((name) => join("/etc", name));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The mounts for what `visible` wishes, or the first wish that cannot be granted safely. */
export function planMounts(visible: Visible): Mounts | { readonly problem: Problem } {
  const { home, writable, readOnly, hidden = [], protect = [] } = visible;
  const roots = [home, ...writable].map((path) => resolve(path));
  const plan = new Map<string, Kind>();
  const wish = (path: string, kind: Kind) => {
    const before = plan.get(path);
    if (!before || kinds.indexOf(kind) > kinds.indexOf(before)) plan.set(path, kind);
  };
  for (const path of [home, ...writable, ...readOnly, ...hidden, ...protect]) {
    const wrong = refusal(path, roots);
    if (wrong) return { problem: wrong };
  }
  for (const path of roots) wish(path, "writable");
  for (const path of readOnly) wish(resolve(path), "read-only");
  for (const path of hidden) if (isThere(path)) wish(resolve(path), "hidden");
  for (const path of protect) for (const [held, kind] of protection(resolve(path), roots)) wish(held, kind);
  const missing = [...plan].find(([path, kind]) => kind !== "masked" && !isThere(path));
  if (missing)
    return { problem: problem("no-file", `\`${missing[0]}\` does not exist, so no box can show it`) };
  // A folder's path is shorter than the paths inside it.
  const ordered = [...plan].sort(([a], [b]) => a.length - b.length);
  return {
    options: [
      ...ordered.flatMap(([path, kind]) => mountOptions(path, kind)),
      ...ordered.flatMap(([path, kind]) =>
        kind === "hidden" && isFolder(path) ? ["--remount-ro", path] : [],
      ),
    ],
    phantoms: ordered.filter(([, kind]) => kind === "masked").map(([path]) => path),
  };
}

function mountOptions(path: string, kind: Kind): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", realpathSync(path), path];
    case "read-only":
      return ["--ro-bind", realpathSync(path), path];
    case "hidden":
      return isFolder(path) ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
    case "masked":
      return ["--ro-bind", "/dev/null", path];
  }
}

/**
 * A protected path cannot be changed, because it is mounted read-only, nor moved out of the way, because each folder
 * above it is a mount as well, and a mount cannot be renamed. Of a missing path the first missing part is held.
 */
function protection(path: string, roots: readonly string[]): [string, Kind][] {
  const root = innermost(path, roots);
  if (root === undefined) return [];
  const held: [string, Kind][] = [];
  for (const part of between(root, path)) {
    if (!isThere(part)) return [...held, [part, "masked"]];
    held.push([part, part === path ? "read-only" : "writable"]);
  }
  return path === root ? [[path, "read-only"]] : held;
}

/** Why `path` cannot be in a box at all. An agent may have planted a link below a folder that it can write. */
function refusal(path: string, roots: readonly string[]): Problem | undefined {
  const no = (why: string) => problem("unsafe-path", `\`${path}\` ${why}`);
  if (!isAbsolute(path) || path.includes("\0")) return no("is not an absolute path");
  const whole = resolve(path);
  if (["/", "/proc", "/dev", "/sys"].some((own) => whole === own || (own !== "/" && isWithin(own, whole))))
    return no("belongs to the system and cannot be put into a box");
  const root = innermost(dirname(whole), roots);
  const link = root === undefined ? undefined : between(root, whole).find(isLink);
  return link === undefined
    ? undefined
    : no(`leads through the link \`${link}\`, which may have been planted`);
}

/** The paths from below `root` down to `path`, which lies inside it. */
function between(root: string, path: string): string[] {
  const parts = relative(root, path)
    .split(sep)
    .filter((part) => part !== "");
  return parts.map((_, at) => join(root, ...parts.slice(0, at + 1)));
}

function innermost(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isWithin(root, path)).sort((a, b) => b.length - a.length)[0];
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

const isThere = (path: string) => statOf(path) !== undefined;
const isLink = (path: string) => statOf(path)?.isSymbolicLink() === true;
const isFolder = (path: string) => statOf(path)?.isDirectory() === true;
