// `commit-task`: one commit with exactly the files that a complete task named. Commits take turns under the
// journal's lock, so parallel ones neither fail on git's own lock nor pick up each other's files (defect 15).
import { find, isProblem } from "../core/answer.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Task } from "../core/run.ts";
import { git } from "../host/git.ts";
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

function commitFiles(targetDir: string, files: readonly string[], message: string): string | null {
  const known = files.filter(
    (file) => git(targetDir, ["add", "--intent-to-add", "--", file]).ok || isTracked(targetDir, file),
  );
  if (known.length === 0 || git(targetDir, ["diff", "--quiet", "HEAD", "--", ...known]).ok) return null;
  const done = git(targetDir, ["commit", "--quiet", "--only", "--message", message, "--", ...known]);
  if (!done.ok && /nothing (added )?to commit/.test(done.out + done.error)) return null;
  if (!done.ok)
    throw new Refused([
      problem("git", `git could not commit: ${(done.error || done.out).trim().split("\n")[0]}`, {
        hint: `git -C ${targetDir} status`,
      }),
    ]);
  return git(targetDir, ["rev-parse", "HEAD"]).out.trim();
}

/** A file that the task deleted is still known to git. */
function isTracked(targetDir: string, file: string): boolean {
  return git(targetDir, ["ls-files", "--error-unmatch", "--", file]).ok;
}
