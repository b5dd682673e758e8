// Landing, file by file: each that the run changed is compared with what the run started from. Only when the person
// changed none of them are they written, each beside its place and then renamed into it. What is there already, because
// somebody was killed halfway, counts as written.
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { TreeChange } from "./changes.ts";
import { demandGit, demandLine, type GitDirectory } from "./git.ts";
import { bytesOf, latin1Of, statIfThere } from "./work-files.ts";

export interface Placing {
  readonly at: GitDirectory;
  /** Where the files go. */
  readonly folder: string;
  readonly tip: string;
  readonly changes: readonly TreeChange[];
  /** A folder of heddle's own on the way there. */
  readonly staging: string;
}

/** The changes that the person's own stand in the way of: then nothing was written, and otherwise everything. */
export async function placeFiles(o: Placing): Promise<readonly TreeChange[]> {
  const there = await lookAt(o);
  const is = (change: TreeChange, side: 0 | 1) =>
    same(there.get(change.bytes) ?? nothing, change.modes[side], change.objects[side]);
  const inTheWay = o.changes.filter((change) => !is(change, 0) && !is(change, 1));
  if (inTheWay.length > 0) return inTheWay;
  const open = o.changes.filter((change) => !is(change, 1));
  if (open.length > 0) await write({ ...o, changes: open });
  return [];
}

interface There {
  readonly mode: string;
  readonly object: string;
}

const nothing: There = { mode: "000000", object: "" };
const blocked: There = { mode: "in the way", object: "" };

const same = (now: There, mode: string, object: string) =>
  now.mode === mode && (mode === nothing.mode || now.object === object);

/** What the target has where the run changed something. Nothing is read through a link. */
async function lookAt({ at, folder, changes }: Placing): Promise<Map<string, There>> {
  const root = latin1Of(folder);
  const found = new Map<string, There>();
  const files: { readonly bytes: string; readonly mode: string }[] = [];
  for (const { bytes } of changes) {
    const stat = statIfThere(`${root}/${bytes}`);
    if (leadsThroughLink(root, bytes)) found.set(bytes, blocked);
    else if (stat?.isFile()) files.push({ bytes, mode: (stat.mode & 0o100) === 0 ? "100644" : "100755" });
    else if (stat?.isSymbolicLink()) {
      const input = readlinkSync(bytesOf(`${root}/${bytes}`), { encoding: "buffer" });
      const object = (await demandGit(at, { args: ["hash-object", "--stdin"], input })).toString().trim();
      found.set(bytes, { mode: "120000", object });
    } else if (stat?.isDirectory()) found.set(bytes, isFolderOf(changes, bytes) ? nothing : blocked);
    else if (stat) found.set(bytes, blocked);
  }
  for (const [nth, object] of (await digests(at, folder, files)).entries()) {
    const file = files[nth];
    if (file) found.set(file.bytes, { mode: file.mode, object });
  }
  return found;
}

/** A folder that the run replaces by a file: each file in it is a change of its own, and decides for itself. */
const isFolderOf = (changes: readonly TreeChange[], folder: string) =>
  changes.some(({ bytes, status }) => status === "deleted" && bytes.startsWith(`${folder}/`));

/** By their names in the folder, so that line ends count as they do when git takes a file in. */
async function digests(
  at: GitDirectory,
  folder: string,
  files: readonly { bytes: string }[],
): Promise<string[]> {
  if (files.length === 0) return [];
  const input = bytesOf(files.map(({ bytes }) => `${quote(bytes)}\n`).join(""));
  const args = ["hash-object", "--stdin-paths"];
  return (await demandLine(at, { args, workTree: folder, input })).split("\n");
}

/** `--stdin-paths` takes lines; a path with a line break or a quote goes in C quotes. */
const quote = (path: string) =>
  /["\\\n\r\t]/.test(path)
    ? `"${path.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}"`
    : path;

function leadsThroughLink(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => {
    const folder = `${root}/${parts.slice(0, at + 1).join("/")}`;
    return statIfThere(folder)?.isSymbolicLink() === true;
  });
}

async function write({ at, folder, tip, changes, staging }: Placing): Promise<void> {
  const root = latin1Of(folder);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging);
  const index = join(staging, "index");
  await demandGit(at, { args: ["read-tree", tip], index });
  const kept = changes.filter(({ status }) => status !== "deleted");
  const input = bytesOf(kept.map(({ bytes }) => `${bytes}\0`).join(""));
  const args = ["checkout-index", "-z", "--stdin", `--prefix=${staging}/files/`];
  await demandGit(at, { args, index, input, workTree: staging });
  for (const { bytes, status } of changes) if (status === "deleted") removeFile(root, bytes);
  for (const { bytes } of kept) putFile(`${latin1Of(staging)}/files/${bytes}`, `${root}/${bytes}`);
  rmSync(staging, { recursive: true, force: true });
}

function removeFile(root: string, path: string): void {
  rmSync(bytesOf(`${root}/${path}`), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    try {
      rmdirSync(bytesOf(`${root}/${folder}`));
    } catch {
      return;
    }
}

function putFile(from: string, to: string): void {
  const aside = `${to}.heddle-new`;
  mkdirSync(bytesOf(dirname(to)), { recursive: true });
  rmSync(bytesOf(aside), { force: true });
  const stat = lstatSync(bytesOf(from));
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(bytesOf(from), { encoding: "buffer" }), bytesOf(aside));
  else {
    copyFileSync(bytesOf(from), bytesOf(aside));
    chmodSync(bytesOf(aside), stat.mode & 0o777);
    const fd = openSync(bytesOf(aside), "r");
    fsyncSync(fd);
    closeSync(fd);
  }
  renameSync(bytesOf(aside), bytesOf(to));
}
