// `commit-task`: one commit with exactly the files that a complete task named. Commits take turns under the
// journal's lock, so parallel ones neither fail on git's own lock nor pick up each other's files (defect 15).
import { join } from "node:path";
import { find, isProblem } from "../core/answer.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Task } from "../core/run.ts";
import { isThereItself } from "../host/files.ts";
import { type GitAnswer, git } from "../host/git.ts";
import { type App, Refused } from "./app.ts";

export async function commit(app: App, id: string): Promise<string | null> {
  const { task, targetDir } = await app.look((run) => {
    const found = find(run, id);
    if (isProblem(found)) throw new Refused([found]);
    return { task: structuredClone(found), targetDir: run.targetDir };
  });
  const refusal = refused(task, targetDir);
  if (refusal) throw new Refused([refusal]);
  const files = [...new Set([...task.created, ...task.modified])];
  const sha = await app.journal.exclusive(await app.run(), () =>
    commitFiles(targetDir, files, `${id}: ${task.def.name}`),
  );
  if (sha !== null) await app.submit({ kind: "record-commit", task: id, files, commit: sha });
  return sha;
}

function refused(task: Task, targetDir: string): Problem | undefined {
  const { id } = task.def;
  if (task.state !== "complete")
    return problem("wrong-status", `task \`${id}\` is ${task.state}: only a complete one is committed`, {
      hint: `heddle why ${id}`,
    });
  if (task.created.length + task.modified.length === 0)
    return problem("no-files", `task \`${id}\` named no files when it was completed`, {
      hint: `heddle state complete-task ${id} --created <files> --modified <files>`,
    });
  if (!git(targetDir, ["rev-parse", "--is-inside-work-tree"]).ok)
    return problem("no-git", `the target is not a git repository: ${targetDir}`, {
      hint: `git init ${targetDir}`,
    });
  return undefined;
}

/** A path is that file and no pattern. */
const literal = (targetDir: string, args: readonly string[]) =>
  git(targetDir, ["--literal-pathspecs", ...args]);

function commitFiles(targetDir: string, files: readonly string[], message: string): string | null {
  const known = files.filter((file) => isKnown(targetDir, file));
  if (known.length === 0 || literal(targetDir, ["diff", "--quiet", "HEAD", "--", ...known]).ok) return null;
  const done = literal(targetDir, ["commit", "--quiet", "--only", "--message", message, "--", ...known]);
  if (!done.ok && /nothing (added )?to commit/.test(done.out + done.error)) return null;
  if (!done.ok) throw new Refused([failed(done, targetDir)]);
  return git(targetDir, ["rev-parse", "HEAD"]).out.trim();
}

/** Makes a new file known to git. One that the task deleted is still in the index, or in the last commit. */
function isKnown(targetDir: string, file: string): boolean {
  if (isThereItself(join(targetDir, file))) {
    const added = literal(targetDir, ["add", "--intent-to-add", "--", file]);
    if (added.ok) return true;
    if (git(targetDir, ["check-ignore", "--quiet", "--", file]).ok) return false;
    throw new Refused([failed(added, targetDir)]);
  }
  const inIndex = literal(targetDir, ["ls-files", "--error-unmatch", "--", file]);
  return inIndex.ok || literal(targetDir, ["ls-tree", "HEAD", "--", file]).out !== "";
}

function failed({ error, out }: GitAnswer, targetDir: string): Problem {
  return problem("git", `git could not commit: ${(error || out).trim().split("\n")[0]}`, {
    hint: `git -C ${targetDir} status`,
  });
}
