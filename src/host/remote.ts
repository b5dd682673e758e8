// A git remote that two machines reach, as the way for commits between them: one puts a commit there under a ref, the other takes it
// from there. The only calls of git over a network. No hook, no helper and no configuration of a repository decides anything;
// keys are the person's own (ssh, ~/.netrc), and no password is asked for.

import { type GitDirectory, GitFailed, type GitResult, gitProblem, runGit } from "./git/git.ts";
import { ownProgram } from "./program/programs.ts";

const allowed = ["file", "ssh", "https"];

export interface RefAt {
  readonly commit: string;
  readonly ref: string;
}

/** Puts commits there, each under its ref. */
export async function putRefs(at: GitDirectory, remote: string, refs: readonly RefAt[]): Promise<void> {
  if (refs.length === 0) return;
  const specs = refs.map(({ commit, ref }) => `+${commit}:${ref}`);
  await speak(at, ["push", "--quiet", "--no-verify", "--no-signed", ...receiving(remote), remote, ...specs]);
}

/** Takes commits from there: each is here afterwards under `into`, with all that it leads to, every object checked. */
export async function takeRefs(
  at: GitDirectory,
  remote: string,
  refs: readonly { readonly ref: string; readonly into: string }[],
): Promise<void> {
  if (refs.length === 0) return;
  const specs = refs.map(({ ref, into }) => `+${ref}:${into}`);
  const options = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-gc",
    "--no-recurse-submodules",
  ];
  await speak(at, ["fetch", ...options, remote, ...specs]);
}

/** Best effort: what is left there is found by the next one who looks. */
export async function dropRefs(at: GitDirectory, remote: string, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return;
  const args = [
    "push",
    "--quiet",
    "--no-verify",
    ...receiving(remote),
    remote,
    ...refs.map((ref) => `:${ref}`),
  ];
  await call(at, args);
}

/** The refs there under a prefix. */
export async function refsUnder(at: GitDirectory, remote: string, prefix: string): Promise<string[]> {
  const { out } = await speak(at, ["ls-remote", "--refs", "--quiet", remote, `${prefix}*`]);
  return out
    .toString("utf8")
    .split("\n")
    .flatMap((line) => line.split("\t")[1] ?? []);
}

/** The remote's own hooks do not run where it is a folder of this machine. */
const receiving = (remote: string) =>
  /^(?:\/|file:)/.test(remote)
    ? ["--receive-pack=git -c core.hooksPath=/dev/null -c gc.auto=0 -c core.fsync=all receive-pack"]
    : [];

async function speak(at: GitDirectory, args: readonly string[]): Promise<GitResult> {
  const done = await call(at, args);
  if (done.code === 0) return done;
  throw new GitFailed(gitProblem(args[0] ?? "", done, at.gitDir));
}

function call({ gitDir, flags }: GitDirectory, args: readonly string[]): Promise<GitResult> {
  const settings = [
    ...allowed.map((each) => `protocol.${each}.allow=always`),
    `core.sshCommand=${ownProgram("ssh")} -o BatchMode=yes -o ConnectTimeout=10`,
    "fetch.fsckObjects=true",
  ].flatMap((setting) => ["-c", setting]);
  const { HOME = "/", SSH_AUTH_SOCK } = process.env;
  const own = { HOME, ...(SSH_AUTH_SOCK !== undefined && { SSH_AUTH_SOCK }) };
  const environment = { ...own, GIT_ALLOW_PROTOCOL: allowed.join(":") };
  return runGit({ gitDir, flags: [...flags, ...settings] }, { args, environment });
}
