// A commit as git stores it, written by ourselves: it is a few lines of text, and a process for each would be a good part
// of what heddle costs per task. As durable as `core.fsync=all` makes git's own, and the same bytes: a test compares them.
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { makeOne } from "../files.ts";
import { sync } from "../sync.ts";

export interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Whose repository it is; the author where nobody is known. */
  readonly committer?: { readonly name: string; readonly email: string } | undefined;
  readonly at: string;
}

export interface ObjectStore {
  readonly objects: string;
  readonly hashBytes: number;
}

export function writeCommit({ objects, hashBytes }: ObjectStore, commit: CommitText): string {
  const body = Buffer.from(textOf(commit));
  const whole = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body]);
  const id = createHash(hashBytes === 32 ? "sha256" : "sha1")
    .update(whole)
    .digest("hex");
  const file = join(objects, id.slice(0, 2), id.slice(2));
  if (!existsSync(file)) store(file, deflateSync(whole));
  if (written.size >= mostWritten) written.clear();
  written.set(id, { tree: commit.tree, parents: commit.parents });
  return id;
}

/** What this process wrote: a name says all of a commit, so what is known of it stays true, and git need not be asked. */
const written = new Map<string, Pick<CommitText, "tree" | "parents">>();
const mostWritten = 20_000;

/** The tree of a commit that was written here. */
export const treeWritten = (commit: string) => written.get(commit)?.tree;

/** Whether it was written here as the one change to `parent`. */
export function isWrittenOn(commit: string, parent: string): boolean {
  const { parents = [] } = written.get(commit) ?? {};
  return parents.length === 1 && parents[0] === parent;
}

/** Whether it is known here that `later` comes after `earlier`; if not, nothing is known. */
export function isKnownToFollow(later: string, earlier: string): boolean {
  let at: string | undefined = later;
  // A branch of heddle's own: each commit has one parent.
  for (let steps = 0; at !== undefined && steps < 1000; steps++) {
    if (at === earlier) return true;
    const { parents = [] }: { readonly parents?: readonly string[] } = written.get(at) ?? {};
    at = parents.length === 1 ? parents[0] : undefined;
  }
  return false;
}

function textOf({ tree, parents, message, author, committer = author, at }: CommitText): string {
  const clean = (word: string) => word.replace(/[<>\n\0]/g, "").trim();
  const when = `${Math.floor(Date.parse(at) / 1000)} +0000`;
  const who = ({ name, email }: CommitText["author"]) => `${clean(name)} <${clean(email)}> ${when}`;
  const head = [
    `tree ${tree}`,
    ...parents.map((each) => `parent ${each}`),
    `author ${who(author)}`,
    `committer ${who(committer)}`,
  ];
  return `${head.join("\n")}\n\n${message.replace(/\0/g, "").replace(/(?<!\n)\n*$/, "\n")}`;
}

function store(file: string, bytes: Uint8Array): void {
  const folder = dirname(file);
  const isNew = makeOne(folder);
  const fresh = join(folder, `tmp_obj_heddle_${process.pid}_${crypto.randomUUID()}`);
  const fd = openSync(fresh, "wx", 0o444);
  try {
    writeSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, file);
  sync(folder);
  if (isNew) sync(dirname(folder));
}
