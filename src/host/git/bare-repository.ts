// A bare repository of heddle's own, made aside and renamed: it is there whole or not at all. What a process that was killed
// had begun lies beside it under that process's number, and the next one that opens it takes it away.
import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isGone, makeFolder } from "../files.ts";
import { removeTree } from "../remove-tree.ts";
import { GitFailed, gitEnvironment, gitProblem, runProcess } from "./git.ts";

/** The repository at `gitDir`, made where there is none; `options` are those of `git init`. */
export async function openBare(gitDir: string, options: readonly string[]): Promise<void> {
  await clearBegun(gitDir);
  if (existsSync(gitDir)) return;
  const aside = `${gitDir}.new-${process.pid}`;
  await removeTree(aside);
  makeFolder(dirname(gitDir));
  const args = ["init", "--quiet", "--bare", "--template=", ...options, aside];
  const made = await runProcess(args, { cwd: "/", env: gitEnvironment({ args }) });
  if (made.code !== 0) throw new GitFailed(gitProblem("init", made, aside));
  try {
    renameSync(aside, gitDir);
  } catch (error) {
    // Another process was faster and has made the same.
    if (!existsSync(gitDir)) throw error;
    await removeTree(aside);
  }
}

async function clearBegun(gitDir: string): Promise<void> {
  if (!existsSync(dirname(gitDir))) return;
  const begun = `${basename(gitDir)}.new-`;
  for (const name of readdirSync(dirname(gitDir)))
    if (name.startsWith(begun) && isGone(Number(name.slice(begun.length))))
      await removeTree(join(dirname(gitDir), name));
}
