// The ssh program: what it is started with, and what its end means. Both are pure, so that what reaches another machine's shell
// can be read in one place.

/** How a machine is reached. */
export interface Reached {
  /** Its name in the configuration. */
  readonly name: string;
  /** What ssh is given: a host, `user@host`, or a name of the person's own ssh configuration. */
  readonly ssh: string;
  /** heddle there, where it is not on the PATH of a plain ssh command. */
  readonly heddle: string;
  readonly version: string;
}

const connectSeconds = 10;

/**
 * What ssh is started with. The command is fixed and the host is behind `--`: nothing of the configuration is read by a
 * shell there or taken for an option here. No password is asked for, nothing is forwarded, and no shared connection is used,
 * because its end would not be ours to notice.
 */
export function sshArguments({ ssh, heddle }: Pick<Reached, "ssh" | "heddle">): string[] {
  const options = [
    "BatchMode=yes",
    `ConnectTimeout=${connectSeconds}`,
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "ControlPath=none",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "LogLevel=ERROR",
  ];
  return ["-T", ...options.flatMap((each) => ["-o", each]), "--", ssh, `${heddle} carry --machine`];
}

/** What ssh, or the shell behind it, said of its end. */
export function whyEnded(code: number | null, errors: string, { heddle }: Pick<Reached, "heddle">): string {
  const lines = errors.split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "" && !/^Warning:/.test(line));
  // A shell's own code for a program that is not there.
  if (code === 127 && errors !== "")
    return `\`${heddle}\` is not on the PATH of a plain ssh command there; install heddle there, or set "heddle" of the host`;
  if (code === 127 && errors === "") return "ssh cannot be started here";
  const said = last === undefined ? "" : `: ${last.slice(0, 300)}`;
  if (code === 255) return last === undefined ? "the connection was lost" : `ssh could not reach it${said}`;
  return code === null ? `the connection was ended${said}` : `heddle there ended with ${code}${said}`;
}
