// What differs between two trees: which files, how much, and as text.

import { inTurns } from "../turns.ts";
import { demandGit, type GitDirectory, GitFailed, gitProblem, runGit } from "./git.ts";

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
  const out = await demandGit(repo, { args });
  const lines = new Map<string, readonly [number, number]>();
  const raw: { readonly head: string[]; readonly bytes: string }[] = [];
  let head: string[] | undefined;
  await inTurns(fieldsOf(out), (field) => {
    if (head) {
      raw.push({ head, bytes: field });
      head = undefined;
    } else if (field.startsWith(":")) head = field.slice(1).split(" ");
    else {
      const [, added, removed, path = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
      lines.set(path, [Number(added) || 0, Number(removed) || 0]);
    }
  });
  const changes: TreeChange[] = [];
  await inTurns(raw, ({ head: [before = "", after = "", old = "", now = "", letter = ""], bytes }) => {
    const [added, removed] = lines.get(bytes) ?? [0, 0];
    changes.push({
      path: Buffer.from(bytes, "latin1").toString("utf8"),
      status: letter === "A" ? "added" : letter === "D" ? "deleted" : "modified",
      ...{ added, removed, bytes, modes: [before, after], objects: [old, now] },
    });
  });
  return changes;
}

/** One after the other, so that there is time between them: `fields` gives all at once. */
function* fieldsOf(out: Buffer): Generator<string> {
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0, at);
    if (end < 0) return yield out.toString("latin1", at);
    yield out.toString("latin1", at, end);
    at = end + 1;
  }
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
