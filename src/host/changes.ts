// What differs between two trees: which files, how much, and as text.
import { demandGit, fields, type GitDirectory, GitFailed, gitProblem, runGit } from "./git.ts";

export interface Change {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
}

export interface TreeChange extends Change {
  /** The mode of what was there and of what is there now, as git writes it; `000000` for nothing. */
  readonly modes: readonly [string, string];
  readonly objects: readonly [string, string];
  /** The path's bytes as latin1. */
  readonly bytes: string;
}

const plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--no-renames"];

export async function changesBetween(repo: GitDirectory, from: string, to: string): Promise<Change[]> {
  return (await treeChanges(repo, from, to)).map(({ path, status, added, removed }) => ({
    ...{ path, status, added, removed },
  }));
}

/** One process: first every change with its modes, then every change with its lines. */
export async function treeChanges(repo: GitDirectory, from: string, to: string): Promise<TreeChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", ...plain, from, to];
  const found = fields(await demandGit(repo, { args }), "latin1");
  const lines = new Map<string, readonly [number, number]>();
  const raw: { readonly head: string[]; readonly bytes: string }[] = [];
  for (let at = 0; at < found.length; at++) {
    const field = found[at] ?? "";
    if (field.startsWith(":")) raw.push({ head: field.slice(1).split(" "), bytes: found[++at] ?? "" });
    else {
      const [, added, removed, path = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
      lines.set(path, [Number(added) || 0, Number(removed) || 0]);
    }
  }
  return raw.map(({ head: [before = "", after = "", old = "", now = "", letter = ""], bytes }) => {
    const [added, removed] = lines.get(bytes) ?? [0, 0];
    return {
      path: Buffer.from(bytes, "latin1").toString("utf8"),
      status: letter === "A" ? "added" : letter === "D" ? "deleted" : "modified",
      ...{ added, removed, bytes, modes: [before, after], objects: [old, now] },
    };
  });
}

export interface DiffText {
  readonly from: string;
  readonly to: string;
  readonly maxBytes?: number;
  readonly paths?: readonly string[];
}

/** The difference as text, cut off after `maxBytes`. */
export async function diffText(repo: GitDirectory, o: DiffText): Promise<string> {
  const maxBytes = o.maxBytes ?? 1024 * 1024;
  const paths = o.paths && o.paths.length > 0 ? ["--", ...o.paths] : [];
  const call = { args: ["diff-tree", "-r", "-p", "--no-color", ...plain, o.from, o.to, ...paths], maxBytes };
  const result = await runGit(repo, call);
  const text = result.out.toString("utf8");
  if (result.cut) return `${text}\n… cut off after ${maxBytes} bytes\n`;
  if (result.code === 0) return text;
  throw new GitFailed(gitProblem("diff-tree", result, repo.gitDir));
}

/** All of the difference, binary files too, as `git apply` reads it. */
export function patchBetween(repo: GitDirectory, from: string, to: string): Promise<Buffer> {
  return demandGit(repo, {
    args: ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-color", ...plain, from, to],
  });
}
