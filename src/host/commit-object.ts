// A commit as git stores it, written by ourselves: it is a few lines of text, and a process for each would be a good part
// of what heddle costs per task. As durable as `core.fsync=all` makes git's own, and the same bytes: a test compares them.
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

export interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
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
  return id;
}

function textOf({ tree, parents, message, author, at }: CommitText): string {
  const clean = (word: string) => word.replace(/[<>\n\0]/g, "").trim();
  const who = `${clean(author.name)} <${clean(author.email)}> ${Math.floor(Date.parse(at) / 1000)} +0000`;
  const head = [
    `tree ${tree}`,
    ...parents.map((each) => `parent ${each}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  return `${head.join("\n")}\n\n${message.replace(/\0/g, "").replace(/\n*$/, "\n")}`;
}

function store(file: string, bytes: Uint8Array): void {
  const folder = dirname(file);
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
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

function sync(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
