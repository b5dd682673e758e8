// The system as bubblewrap shows it, and a plan of mounts in its words. /usr and what belongs to it, read-only; of /etc what
// programs need; a /proc and /dev of the box's own, sealed; folders for temporary files that are memory.
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { isFolder, isThere, isWithin, type Mount, type Visible } from "../program/mounts.ts";

const defaultTmpBytes = 2 * 1024 * 1024 * 1024;

/** As root, bubblewrap alone leaves /proc/sys writable: `kernel.core_pattern` is then a way out. So /proc is sealed. */
export function systemMounts({ tmpBytes = defaultTmpBytes, home }: Partial<Visible> = {}): string[] {
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...peoplesFolders(home).flatMap((path) => ["--tmpfs", path]),
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(systemFolder),
    ...settings().flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["keys", "key-users", "kcore", "kmsg", "timer_list", "sched_debug", "sysrq-trigger"]
      .map((name) => `/proc/${name}`)
      .filter(isThere)
      .flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["/dev/shm", "/tmp", "/var/tmp"].flatMap((path) => [
      ...["--perms", "1777", "--size", `${tmpBytes}`, "--tmpfs", path],
    ]),
  ];
}

/** After everything else is in place. */
export function sealedMounts({ home }: Partial<Visible> = {}): string[] {
  return ["/proc", "/dev", ...peoplesFolders(home), "/"].flatMap((path) => ["--remount-ro", path]);
}

/**
 * In containers projects lie in /usr/src, and some systems have homes in /usr/home: they are no part of the system. What a
 * box is to show of them is mounted above it again.
 */
function peoplesFolders(home = ""): string[] {
  const known = ["/usr/src", "/usr/home", "/usr/local/src", "/usr/local/home"].filter(isFolder);
  const own = [home, homedir()].filter((path) => isWithin("/usr", path)).map(folderOfItsOwn);
  const all = [...new Set([...known, ...own.filter((path) => path !== undefined)])];
  return all.filter((path) => !all.some((other) => other !== path && isWithin(other, path)));
}

/** The first folder on the way that is not the system's: the third in /usr/local, the second elsewhere in /usr. */
function folderOfItsOwn(path: string): string | undefined {
  const parts = path.split(sep);
  const depth = parts[2] === "local" ? 5 : 4;
  return parts.length < depth ? undefined : parts.slice(0, depth).join(sep);
}

/** Most systems have links to /usr here; a link is made again, a folder is shown. */
function systemFolder(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
  return stat?.isDirectory() ? ["--ro-bind", path, path] : [];
}

/**
 * Of /etc only what programs need to find names, certificates, libraries and the time, and what toolchains of a distribution
 * do not start without; no keys, no accounts' secrets. Maven's settings may name passwords, so they stay outside.
 */
function settings(): string[] {
  const names = [
    ...["resolv.conf", "hosts", "nsswitch.conf", "protocols", "services", "passwd", "group"],
    ...["localtime", "timezone", "os-release", "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"],
    ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/ca-trust", "pki/tls/certs", "crypto-policies"],
  ];
  const toolchains = list("/etc").filter((name) => toolchain.test(name));
  return [...names, ...toolchains, "maven/m2.conf", "maven/logging"].map((name) => join("/etc", name));
}

const toolchain =
  /^(?:java|jvm)-?|^(?:R|ant|dotnet|fonts|ghc|mime\.types|mono|php|php\d[\d.]*|xml|sgml)$|^python3(?:\.\d+)?$/;

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function mountOptions(plan: readonly Mount[]): string[] {
  const sealed = plan.filter(({ kind, isFolder }) => kind === "hidden" && isFolder);
  return [...plan.flatMap(optionsOf), ...sealed.flatMap(({ path }) => ["--remount-ro", path])];
}

function optionsOf({ path, kind, real, isFolder }: Mount): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", real, path];
    case "link":
      return ["--symlink", real, path];
    case "read-only":
      return ["--ro-bind", real, path];
    case "hidden":
      return isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
    case "masked":
      return ["--ro-bind", "/dev/null", path];
  }
}
