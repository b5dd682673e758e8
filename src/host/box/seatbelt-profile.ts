// The profile of macOS's sandbox for one box: everything is denied but what is said here; later rules go before earlier ones.
// Paths are parameters of the profile (`sandbox-exec -D`), never part of its text, so no name can say anything in it. Pure:
// it is the same on every machine and compared on every machine; it has not been tried on a Mac.
import type { Mount } from "../program/mounts.ts";

export interface Seat {
  readonly plan: readonly Mount[];
  /** A folder for temporary files of the program's own, which macOS's own calls need as well. */
  readonly tmp: string;
  readonly network: boolean;
  /** The port of the host's loopback where heddle serves this box alone. */
  readonly gatePort: number | undefined;
}

/** The system: what every program on macOS reads. Nothing of a person's. */
const system = [
  ...["/System", "/usr", "/bin", "/sbin", "/Library/Apple", "/Library/Developer", "/Library/Frameworks"],
  ...["/Applications/Xcode.app", "/opt/homebrew", "/private/etc/ssl", "/private/var/db/timezone"],
  ...["/private/var/db/dyld", "/private/var/select"],
];
const systemFiles = [
  ...["/", "/private", "/private/var", "/private/etc", "/etc", "/var", "/tmp", "/dev", "/opt", "/Library"],
  ...["/private/etc/hosts", "/private/etc/passwd", "/private/etc/group", "/private/etc/protocols"],
  ...["/private/etc/services", "/private/etc/localtime", "/private/etc/resolv.conf"],
  ...["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper", "/dev/autofs_nowait"],
];
/** Homes and projects lie in some of these; what a box is to show of them comes after. */
const peoples = ["/usr/local/src", "/usr/local/home", "/usr/src", "/usr/home"];
const services = [
  ...["com.apple.system.logger", "com.apple.system.notification_center", "com.apple.trustd.agent"],
  ...["com.apple.system.opendirectoryd.libinfo", "com.apple.SystemConfiguration.configd"],
];

export interface Profile {
  readonly text: string;
  /** For `-D`, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

export function seatbeltProfile({ plan, tmp, network, gatePort }: Seat): Profile {
  const parameters: Record<string, string> = {};
  const given = (path: string) => {
    const known = Object.entries(parameters).find(([, value]) => value === path)?.[0];
    const name = known ?? `PATH_${Object.keys(parameters).length}`;
    parameters[name] = path;
    return `(param "${name}")`;
  };
  const text = [
    "(version 1)",
    "(deny default)",
    "(allow process-exec*)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    `(allow mach-lookup ${services.map((name) => `(global-name "${name}")`).join(" ")})`,
    rule("allow file-read*", [...system.map((path) => below(`"${path}"`)), ...systemFiles.map(ownFile)]),
    rule("allow file-write-data", ["/dev/null", "/dev/zero", "/dev/dtracehelper"].map(ownFile)),
    rule("allow file-ioctl", ["/dev/dtracehelper"].map(ownFile)),
    '(allow file-read* file-write* (regex #"^/dev/(ptmx|fd/[0-9]+)$"))',
    // Terminals that it made itself, never the person's.
    '(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
    rule(
      "deny file-read* file-write*",
      peoples.map((path) => below(`"${path}"`)),
    ),
    rule("allow file-read* file-write*", [below(given(tmp))]),
    ...plan.flatMap((mount) => mountRules(mount, given)),
    ...networkRules(network, gatePort),
    "",
  ].join("\n");
  return { text, parameters };
}

/** Folders on the way to what is shown can be looked up, not listed: programs ask for the real path of what they open. */
function mountRules({ path, kind, real, isFolder }: Mount, given: (path: string) => string): string[] {
  const all = [...new Set([path, real])];
  const places = all.map((each) => (isFolder ? below : exactly)(given(each)));
  const way = () => {
    const above = [...new Set(all.flatMap(foldersAbove))];
    return rule(
      "allow file-read-metadata",
      above.map((each) => exactly(given(each))),
    );
  };
  switch (kind) {
    case "writable":
      return [way(), rule("allow file-read* file-write*", places), rule("deny file-write-setugid", places)];
    case "link":
    case "read-only":
      return [way(), rule("allow file-read*", places), rule("deny file-write*", places)];
    case "hidden":
    case "masked":
      return [
        rule(
          "deny file-read* file-write*",
          all.map((each) => below(given(each))),
        ),
      ];
  }
}

function networkRules(network: boolean, gatePort: number | undefined): string[] {
  if (network) return ["(allow network*)", "(allow system-socket)"];
  if (gatePort === undefined) return ["(deny network*)"];
  return ["(deny network*)", `(allow network-outbound (remote ip "localhost:${Math.trunc(gatePort)}"))`];
}

const rule = (what: string, places: readonly string[]) => `(${what} ${places.join(" ")})`;
const below = (text: string) => `(subpath ${text})`;
const exactly = (text: string) => `(literal ${text})`;
const ownFile = (path: string) => exactly(`"${path}"`);

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return ["/", ...parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`)];
}
