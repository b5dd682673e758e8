// What the tests of the git layer share: repositories made by plain git, a scratch folder, and a canary that any program
// an agent managed to have run would leave behind.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { isProblem, type Problem } from "../../src/core/problem.ts";
import { commitTree } from "../../src/host/git/integrate.ts";
import { openBranch, openRepository, type Repository } from "../../src/host/git/repository.ts";
import { makeWorkspace, snapshot } from "../../src/host/git/workspace.ts";

export const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-git-")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let count = 0;
export const fresh = (name: string) => join(scratch, `${name}-${++count}`);

const env = {
  ...{ PATH: process.env.PATH, HOME: scratch, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
  ...{ GIT_AUTHOR_NAME: "p", GIT_AUTHOR_EMAIL: "p@x", GIT_COMMITTER_NAME: "p", GIT_COMMITTER_EMAIL: "p@x" },
};

/** The person's, or the agent's, own git. */
export function sh(folder: string, ...args: string[]): string {
  return execFileSync("git", ["-C", folder, "-c", "protocol.file.allow=always", ...args], {
    ...{ encoding: "utf8" as const, env, stdio: ["ignore", "pipe", "pipe"] as const },
  } as never).toString();
}

export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function repositoryWith(files: Readonly<Record<string, string>>): string {
  const folder = fresh("target");
  mkdirSync(folder);
  sh(folder, "init", "--quiet", "--initial-branch=main");
  put(folder, files);
  sh(folder, "add", "--all");
  sh(folder, "commit", "--quiet", "--allow-empty", "--message", "first");
  return folder;
}

/** A program that proves by a file that it ran. */
export function canary(): { program: string; ran(): boolean } {
  const program = fresh("canary");
  const proof = `${program}.ran`;
  writeFileSync(program, `#!/bin/sh\ntouch ${proof}\ncat\n`);
  chmodSync(program, 0o755);
  return { program, ran: () => existsSync(proof) };
}

export function good<T>(answer: T | Problem): T {
  if (isProblem(answer)) throw new Error(`${answer.code}: ${answer.message} (${answer.hint})`);
  return answer;
}

/** The project's `.heddle`, in no work tree. */
const heddleOf = (target: string) => join(scratch, `heddle-of${target.replaceAll("/", "_")}`);

export async function open(target: string, exclude: readonly string[] = [".heddle"]): Promise<Repository> {
  return good(await openRepository({ target, privateDir: join(heddleOf(target), "private.git"), exclude }));
}

export interface Attempt {
  readonly repo: Repository;
  readonly folder: string;
  readonly index: string;
  readonly base: string;
}

export async function attempt(repo: Repository, base?: string): Promise<Attempt> {
  const at = base ?? good(await openBranch(repo, "run-1")).tip;
  const place = join(dirname(repo.lent), "attempts/run-1", `T001-${++count}`);
  mkdirSync(place, { recursive: true });
  const made = { folder: join(place, "work"), index: join(place, "index"), base: at };
  good(await makeWorkspace(repo, made));
  return { repo, ...made };
}

export const look = (
  a: Attempt,
  more: { protect?: string[]; declared?: string[]; leaveOut?: string[] } = {},
) => snapshot(a.repo, { ...a, protect: [".heddle"], declared: [], ...more });

/** A task's change as a commit on its base. */
export async function change(
  repo: Repository,
  base: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const a = await attempt(repo, base);
  put(a.folder, files);
  return commitOf(repo, good(await look(a)).tree, base);
}

export function commitOf(repo: Repository, tree: string, ...parents: string[]): Promise<string> {
  const author = { name: "heddle", email: "h@x" };
  return commitTree(repo, { tree, parents, message: "T001: change", author, at: "2026-01-01T00:00:00Z" });
}
