// Exact kills: every rename, unlink, link, sync and folder that a command and its gits make is counted in a clean run, and
// then the command dies at each of them in turn. heddle is traced without its children; a git goes through a wrapper that
// counts calls and has one of them traced.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, ended, type Ran } from "../e2e/rig.ts";

export const hasStrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

const calls = [
  ...["rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "link", "linkat", "symlink"],
  ...["symlinkat", "fsync", "fdatasync", "mkdir", "mkdirat", "ftruncate", "copy_file_range", "sendfile"],
];
const traced = `trace=${calls.map((each) => `?${each}`).join(",")}`;

/** Who dies: heddle alone, one of its gits alone, or that git and heddle with it. */
export type Victim = "heddle" | "git" | "both";

export interface KillPoint {
  readonly victim: Victim;
  /** Which git, by the order in which they were started; 0 for heddle itself. */
  readonly git: number;
  readonly call: string;
  readonly nth: number;
  /** Only calls about this path count: how many others come before it differs from run to run. */
  readonly path?: string;
}

export const named = ({ victim, git, call, nth }: KillPoint) =>
  `${victim} at ${call} ${nth}${git > 0 ? ` of git call ${git}` : ""}`;

export interface Order {
  readonly words: readonly string[];
  readonly cwd: string;
  /** TMPDIR, HOME and the wrapper of git are in here, outside the project. */
  readonly around: string;
}

/** The command as it is, with nothing traced. */
export function run({ words, cwd, around }: Order): Promise<Ran> {
  return ended(spawn(process.execPath, [cli, ...words], { cwd, env: environment(around, false) }));
}

export function environment(around: string, wrapped: boolean): Record<string, string> {
  for (const name of ["tmp", "home", "bin"]) mkdirSync(join(around, name), { recursive: true });
  const path = process.env.PATH ?? "";
  return {
    PATH: wrapped ? `${join(around, "bin")}:${path}` : path,
    HOME: join(around, "home"),
    XDG_CONFIG_HOME: join(around, "home/.config"),
    TMPDIR: join(around, "tmp"),
    LANG: "C.UTF-8",
    HEDDLE_LAND: "auto",
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** heddle gives git a clean environment, so everything that the wrapper needs stands in it. */
function writeWrapper(around: string, first: string): void {
  const calls = join(around, "calls");
  rmSync(calls, { recursive: true, force: true });
  mkdirSync(calls, { recursive: true });
  const text = `#!/bin/sh
PATH=${quoted(process.env.PATH ?? "")}
n=1
while ! mkdir ${quoted(calls)}/$n 2>/dev/null; do n=$((n + 1)); done
${first}
exec git "$@"
`;
  mkdirSync(join(around, "bin"), { recursive: true });
  writeFileSync(join(around, "bin/git"), text);
  chmodSync(join(around, "bin/git"), 0o755);
}

/** Every point of a command at which it can die, on a project that is used up by it. */
export async function pointsOf({ words, cwd, around }: Order): Promise<{ points: KillPoint[]; ran: Ran }> {
  const log = join(around, "heddle.log");
  const logs = join(around, "calls");
  writeWrapper(
    around,
    `exec strace -f -qq -e signal=none -o ${quoted(logs)}/$n/log -e ${quoted(traced)} git "$@"`,
  );
  const options = ["-f", "-b", "execve", "-qq", "-e", "signal=none", "-o", log, "-e", traced];
  const ran = await ended(
    spawn("strace", [...options, process.execPath, cli, ...words], { cwd, env: environment(around, true) }),
  );
  const own = countsIn(log).map((each) => ({ victim: "heddle" as const, git: 0, ...each }));
  const gits = (existsSync(logs) ? readdirSync(logs).map(Number) : [])
    .sort((a, b) => a - b)
    .flatMap((git) =>
      countsIn(join(logs, String(git), "log")).flatMap((each) =>
        (["git", "both"] as const).map((victim) => ({ victim, git, ...each })),
      ),
    );
  return { points: [...own, ...gits], ran };
}

/** strace counts per thread: the n-th call of one kind in the busiest thread. */
function countsIn(log: string): { call: string; nth: number }[] {
  const most = new Map<string, Map<string, number>>();
  for (const line of existsSync(log) ? readFileSync(log, "utf8").split("\n") : []) {
    const [, thread = "", call = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (call === "") continue;
    const by = most.get(call) ?? new Map<string, number>();
    most.set(call, by.set(thread, (by.get(thread) ?? 0) + 1));
  }
  return [...most].flatMap(([call, by]) =>
    Array.from({ length: Math.max(...by.values()) }, (_, at) => ({ call, nth: at + 1 })),
  );
}

/** Runs the command and lets it die there. It may get through, when another run makes fewer calls. */
export async function killedAt(
  { words, cwd, around }: Order,
  { victim, git, call, nth, path }: KillPoint,
): Promise<Ran> {
  const inject = `inject=${call}:signal=KILL:when=${nth}`;
  const env = environment(around, git > 0);
  if (git > 0) {
    const with_ = victim === "both" ? "kill -9 $PPID" : "kill -9 $$";
    writeWrapper(
      around,
      `if [ $n = ${git} ]; then
  strace -f -qq -o /dev/null -e trace=${call} -e ${quoted(inject)} git "$@"
  code=$?
  [ $code -lt 128 ] && exit $code
  ${with_}
  kill -9 $$
fi`,
    );
    return ended(spawn(process.execPath, [cli, ...words], { cwd, env }));
  }
  const options = ["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
  const about = path === undefined ? [] : ["-P", path];
  return ended(spawn("strace", [...options, ...about, process.execPath, cli, ...words], { cwd, env }));
}

/** The call fails instead, as on a full or broken disk. */
export async function failedAt(
  { words, cwd, around }: Order,
  { call, nth }: KillPoint,
  error: string,
): Promise<Ran> {
  const options = ["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", `trace=${call}`];
  const inject = ["-e", `inject=${call}:error=${error}:when=${nth}`];
  const env = environment(around, false);
  return ended(spawn("strace", [...options, ...inject, process.execPath, cli, ...words], { cwd, env }));
}

export interface NamedCall {
  readonly call: string;
  /** Occurs in the line that strace writes of it. */
  readonly names: RegExp;
  /** The first of these unless said. */
  readonly which?: number;
}

/** Which call about its path it is, in a run that gets through. */
export async function pointNamed(
  { words, cwd, around }: Order,
  { call, names, which = 1 }: NamedCall,
): Promise<KillPoint> {
  const log = join(around, "named.log");
  const env = environment(around, false);
  const options = ["-f", "-b", "execve", "-qq", "-y", "-s", "500", "-e", "signal=none", "-o", log];
  const traced = ["-e", `trace=${call}`, process.execPath, cli, ...words];
  await ended(spawn("strace", [...options, ...traced], { cwd, env }));
  const lines = readFileSync(log, "utf8").split("\n");
  const found = lines.filter((line) => names.test(line))[which - 1] ?? "";
  if (found === "") throw new Error(`no ${call} is about ${names}:\n${lines.join("\n")}`);
  const thread = found.split(" ")[0];
  const before = lines.slice(0, lines.indexOf(found) + 1).filter((line) => line.startsWith(`${thread} `));
  const point = { victim: "heddle", git: 0, call } as const;
  const path = pathAt(found, names);
  // strace looks at a rename's first path alone, which is a temporary one: these are counted among all renames.
  if (call === "rename" || path === undefined) return { ...point, nth: before.length };
  return { ...point, nth: before.filter((line) => line.includes(`"${path}"`)).length, path };
}

/** The path that the match ends with; a call about an open file has none. */
function pathAt(line: string, names: RegExp): string | undefined {
  const match = names.exec(line);
  return match ? /"([^"]*)"$/.exec(line.slice(0, match.index + match[0].length))?.[1] : undefined;
}
