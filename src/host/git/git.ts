// git, as heddle calls it: no hooks, no monitors, no filters, no helpers of the repository's choosing, no network, and
// durable. Every call names its git directory, work tree and index, so that nothing an agent left in a folder decides
// which repository is opened; only `find-repository.ts` asks git about a folder, and about that one alone.
import { spawn, spawnSync } from "node:child_process";
import { type Problem, problem } from "../../core/problem.ts";
import { ownProgram, trustedPath } from "../program/programs.ts";
import { leaveMark } from "../underway.ts";

const hardened = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.fsync=all",
  "core.fsyncMethod=fsync",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.attributesFile=/dev/null",
  "commit.gpgsign=false",
  "log.showSignature=false",
  "gpg.program=false",
  "core.pager=cat",
  "core.editor=false",
  "core.askPass=false",
  "core.sshCommand=false",
  "credential.helper=",
].flatMap((setting) => ["-c", setting]);

/** What a target's configuration may not decide while agents' files are read, written or merged. */
const settled = [
  "protocol.allow=never",
  "core.excludesFile=/dev/null",
  "core.sparseCheckout=false",
  "core.sparseCheckoutCone=false",
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.filesRefLockTimeout=1000",
  "core.packedRefsTimeout=2000",
  "index.version=2",
  "index.sparse=false",
  "submodule.recurse=false",
  "diff.renames=false",
  "diff.ignoreSubmodules=all",
  "merge.renames=true",
  "merge.renormalize=false",
  "merge.conflictStyle=merge",
  "safe.bareRepository=explicit",
].flatMap((setting) => ["-c", setting]);

/** What holds for every git that heddle starts, before its verb. */
export const settings: readonly string[] = [...hardened, ...settled];

/** A git directory, and the `-c` options that switch off what its configuration defines. */
export interface GitDirectory {
  readonly gitDir: string;
  readonly flags: readonly string[];
}

export interface GitCall {
  readonly args: readonly string[];
  /** Without one the git directory itself stands in, where there are no attributes and no files. */
  readonly workTree?: string;
  readonly index?: string;
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  /** More output than this is cut off, and the call has failed. */
  readonly maxBytes?: number;
}

export interface GitResult {
  readonly code: number;
  readonly out: Buffer;
  readonly error: string;
  readonly cut: boolean;
}

/** The world's failure in a git call that should have worked: a full disk, a damaged repository, a lock. */
export class GitFailed extends Error {
  readonly problem: Problem;
  constructor(found: Problem) {
    super(found.message);
    this.problem = found;
  }
}

const timeoutMs = 10 * 60_000;

export function gitArguments(at: GitDirectory, { args, workTree }: GitCall): string[] {
  const where = [`--git-dir=${at.gitDir}`, `--work-tree=${workTree ?? at.gitDir}`];
  // A path is that path and no pattern. Only `check-ignore` does not know the option; it gets paths that begin with `./`.
  const literal = args[0] === "check-ignore" ? [] : ["--literal-pathspecs"];
  return [...where, ...literal, "--no-replace-objects", ...settings, ...at.flags, ...args];
}

/** As `runGit`, without a moment in between: for the one call that must not be overtaken. */
export function runGitNow(at: GitDirectory, call: GitCall): GitResult {
  const answer = spawnSync(ownProgram("git"), gitArguments(at, call), {
    cwd: call.workTree ?? at.gitDir,
    env: gitEnvironment(call),
    ...(call.input === undefined ? {} : { input: call.input }),
    timeout: 20_000,
    maxBuffer: 1024 * 1024,
  });
  if (answer.signal !== null) leaveMark();
  const error = answer.error?.message ?? answer.stderr.toString("utf8");
  return { code: answer.status ?? -1, out: answer.stdout ?? Buffer.alloc(0), error, cut: false };
}

/** From scratch: neither `GIT_*` of the person's shell nor their own configuration reaches it. */
export function gitEnvironment(call: GitCall): Record<string, string> {
  return {
    PATH: trustedPath(),
    HOME: "/",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_CEILING_DIRECTORIES: "/",
    ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
    ...call.environment,
  };
}

/**
 * For the few questions about what a person set for themselves: their name, their line ends, whose repositories they
 * trust. Never for a call that reads or writes files.
 */
export function personsEnvironment(call: GitCall): Record<string, string> {
  const { GIT_CONFIG_GLOBAL: _, GIT_CONFIG_NOSYSTEM: __, ...env } = gitEnvironment(call);
  const { HOME = "/", XDG_CONFIG_HOME } = process.env;
  return { ...env, HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }) };
}

/** Any exit code is an answer. Detached, so that a terminal's Ctrl-C does not end it halfway. */
export function runGit(at: GitDirectory, call: GitCall): Promise<GitResult> {
  return runProcess(gitArguments(at, call), {
    ...call,
    cwd: call.workTree ?? at.gitDir,
    env: gitEnvironment(call),
  });
}

interface Process extends Pick<GitCall, "input" | "maxBytes"> {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

const interrupted = "git was ended by SIGINT";

/**
 * Each git has a session of its own, so that Ctrl-C is heddle's alone to hear. One that is born at that very moment is
 * still in heddle's, and dies of it before it has begun: it is started again.
 */
export async function runProcess(argv: readonly string[], call: Process): Promise<GitResult> {
  const first = await runOnce(argv, call);
  return first.error === interrupted && first.out.length === 0 ? runOnce(argv, call) : first;
}

function runOnce(argv: readonly string[], call: Process): Promise<GitResult> {
  const { cwd, env, input, maxBytes = 512 * 1024 * 1024 } = call;
  return new Promise((resolve) => {
    const child = spawn(ownProgram("git"), argv, {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let cut = false;
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const end = (code: number, error: string) => {
      clearTimeout(timer);
      resolve({ code, out: Buffer.concat(out), error, cut });
    };
    child.on("error", (error) => end(127, error.message));
    // With no descriptors left there are no streams, and the error above is all there is.
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) out.push(chunk);
      else if (!cut) {
        cut = true;
        out.push(chunk.subarray(0, maxBytes - (bytes - chunk.length)));
        child.kill("SIGKILL");
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (err.length < 64) err.push(chunk);
    });
    // A git that ends early closes its input; its exit code tells why.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
    child.on("close", (code, signal) => {
      if (signal !== null && !cut) leaveMark();
      end(code ?? 128, signal === null ? Buffer.concat(err).toString("utf8") : `git was ended by ${signal}`);
    });
  });
}

/** The output of a call that has to succeed. */
export async function demandGit(at: GitDirectory, call: GitCall): Promise<Buffer> {
  const result = await runGit(at, call);
  if (result.code === 0) return result.out;
  throw new GitFailed(gitProblem(call.args[0] ?? "", result, at.gitDir));
}

export async function demandLine(at: GitDirectory, call: GitCall): Promise<string> {
  return (await demandGit(at, call)).toString("utf8").trim();
}

export function gitProblem(verb: string, { error, code }: GitResult, gitDir: string): Problem {
  const lines = error.split("\n").filter((line) => line.trim() !== "");
  const said = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines[0] ?? `it ended with ${code}`;
  if (/No space left on device|Disk quota exceeded/.test(error)) return fullDisk(gitDir);
  return problem("git", `git ${verb} failed: ${said.replace(/^(fatal|error): /, "")}`, {
    hint: `git --git-dir=${gitDir} fsck --connectivity-only`,
    ...(lines.length > 1 ? { notes: lines.slice(0, 10) } : {}),
  });
}

export const fullDisk = (path: string) =>
  problem("full", `\`${path}\` lies on a full disk`, { hint: `df -h ${path}` });

/** Turns the world's failure into the value that the caller hands on; a bug of ours goes on as it is. */
export async function orProblem<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitFailed) return error.problem;
    const { code, path, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    if (code === "ENOSPC" || code === "EDQUOT") return fullDisk(path ?? ".");
    return problem("files", `\`${path ?? "a file"}\` cannot be used: ${syscall} says ${code}`);
  }
}

/** Author and committer alike, so that equal input gives an equal commit. */
export function identity(who: { name: string; email: string }, at: string): Record<string, string> {
  const date = `@${Math.floor(Date.parse(at) / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    GIT_COMMITTER_DATE: date,
  };
}

/** Fields of `-z` output, as text or, where bytes matter, as latin1. */
export function fields(out: Buffer, encoding: "utf8" | "latin1" = "utf8"): string[] {
  const all = out.toString(encoding).split("\0");
  if (all.at(-1) === "") all.pop();
  return all;
}

let version: readonly [number, number] | undefined;

/** git's version, or a Problem when it is missing or older than 2.38, where `merge-tree --write-tree` came. */
export async function gitVersion(): Promise<readonly [number, number] | Problem> {
  if (version) return version;
  const call = { args: ["version"] };
  const { code, out } = await runProcess(call.args, { cwd: "/", env: gitEnvironment(call) });
  const [, major, minor] = /(?<!\d)(\d{1,6})\.(\d{1,6})/.exec(out.toString()) ?? [];
  if (code !== 0 || major === undefined)
    return problem("no-git", "git is not installed, and heddle keeps the work of agents apart with it", {
      hint: "apt-get install git",
    });
  const found = [Number(major), Number(minor)] as const;
  if (found[0] < 2 || (found[0] === 2 && found[1] < 38))
    return problem("old-git", `git ${major}.${minor} is too old: heddle needs 2.38 or newer`, {
      hint: "apt-get install git",
    });
  version = found;
  return found;
}
