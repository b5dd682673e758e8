// Files of a folder become a tree: what was found changed goes into an index of heddle's own and from there into the
// object store. git reads the files by their names; it looks at no configuration and no repository in the folder.
import { rmSync } from "node:fs";
import { type Problem, problem } from "../../core/problem.ts";
import { isTurnOver, nextTurn } from "../turns.ts";
import { demandGit, demandLine, type GitDirectory, GitFailed, gitProblem, runGit } from "./git.ts";
import { bytesOf, type WorkFiles } from "./work-files.ts";

/** Above this many files one pack is written, and synced once, instead of an object file each. */
const manyFiles = 100;

export async function takeFiles(
  at: GitDirectory,
  o: { folder: string; index: string; work: WorkFiles },
): Promise<string | Problem> {
  // The index is ours alone: a lock on it was left by a git that died.
  rmSync(`${o.index}.lock`, { force: true });
  const { gone, touched } = o.work;
  // What is gone comes first, so that a folder can take the place of a file; by name, so that no link is followed.
  if (gone.length > 0) {
    const args = ["update-index", "-z", "--force-remove", "--stdin"];
    await demandGit(at, { args, workTree: o.folder, index: o.index, input: await listed(gone) });
  }
  const wrong = touched.length > 0 ? await update(at, o) : undefined;
  if (wrong) return wrong;
  return demandLine(at, { args: ["write-tree"], index: o.index });
}

/** In pieces: there may be as many as the target has files. */
async function listed(paths: readonly string[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < paths.length; at += 1_000) {
    if (isTurnOver()) await nextTurn();
    const some = paths.slice(at, at + 1_000);
    pieces.push(bytesOf(`${some.join("\0")}\0`));
  }
  return Buffer.concat(pieces);
}

async function update(
  at: GitDirectory,
  { folder, index, work }: { folder: string; index: string; work: WorkFiles },
): Promise<Problem | undefined> {
  const packed = work.touched.length > manyFiles ? ["-c", "core.bigFileThreshold=1"] : [];
  const result = await runGit(
    { ...at, flags: [...at.flags, ...packed] },
    {
      args: ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"],
      ...{ workTree: folder, index },
      input: await listed(work.touched),
    },
  );
  const refused = /^(?:Ignoring path|error: Invalid path) '?(.*?)'?$/m.exec(result.error)?.[1];
  if (refused !== undefined)
    return problem("scope", `git does not accept the name \`${refused}\``, { hint: `mv or rm ${refused}` });
  if (result.code === 0) return undefined;
  const unreadable = /open\("(.{0,4096}?)"\): (.*)/.exec(result.error);
  if (unreadable)
    return problem("scope", `\`${unreadable[1]}\` cannot be read: ${unreadable[2]?.toLowerCase()}`, {
      hint: `chmod u+r ${unreadable[1]}`,
    });
  throw new GitFailed(gitProblem("update-index", result, at.gitDir));
}
