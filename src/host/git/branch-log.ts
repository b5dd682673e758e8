// The commits of a branch with what each changed, by one git process however many there are.
import { type GitDirectory, GitFailed, gitProblem, runGit } from "./git.ts";

export interface CommitChange {
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
  readonly text: string;
  readonly cut: boolean;
}

export interface BranchLog {
  readonly from: string;
  readonly to: string;
  /** Of each commit's text. */
  readonly textBytes: number;
  /** Of all together: the commits after that are left out. */
  readonly maxBytes: number;
}

/** No line of a difference begins so: they begin with a sign or a word of git's. */
const mark = "\u0001heddle ";

/** By commit. */
export async function branchLog(repo: GitDirectory, o: BranchLog): Promise<Map<string, CommitChange>> {
  const args = [
    ...["-c", "core.quotePath=false", "log", "--first-parent", "--reverse", `--format=%x01heddle %H`],
    ...["--numstat", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"],
    `${o.from}..${o.to}`,
  ];
  const result = await runGit(repo, { args, maxBytes: o.maxBytes });
  if (result.code !== 0 && !result.cut) throw new GitFailed(gitProblem("log", result, repo.gitDir));
  const parts = result.out.toString("utf8").split(mark).slice(1);
  const whole = result.cut ? parts.slice(0, -1) : parts;
  return new Map(whole.map((part) => [part.slice(0, part.indexOf("\n")), changeOf(part, o.textBytes)]));
}

function changeOf(part: string, textBytes: number): CommitChange {
  const at = part.indexOf("\ndiff --git ");
  const head = at < 0 ? part : part.slice(0, at);
  const text = at < 0 ? "" : part.slice(at + 1);
  const files = [...head.matchAll(/^(\d+|-)\t(\d+|-)\t(.*)$/gm)].map(([, added, removed, path = ""]) => ({
    path,
    added: Number(added) || 0,
    removed: Number(removed) || 0,
  }));
  const cut = text.length > textBytes;
  return { files, text: cut ? text.slice(0, text.lastIndexOf("\n", textBytes) + 1) : text, cut };
}
