// Landing in a target without git: every file that the run changed is compared with what the run started from. Only when
// the person changed none of them are they written, each beside its place and then renamed into it.
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
import { type TreeChange, treeChanges } from "./changes.ts";
import { demandGit } from "./git.ts";
import type { Landed, Landing } from "./land.ts";
import type { Repository } from "./repository.ts";
import { bytesOf, latin1Of, statIfThere } from "./work-files.ts";

export async function landFiles(repo: Repository, o: Landing & { tip: string }): Promise<Landed> {
  const excluded = o.exclude.map((path) => path.replace(/\/+$/, ""));
  const changes = (await treeChanges(repo, o.start, o.tip)).filter(
    ({ path }) => !excluded.some((each) => path === each || path.startsWith(`${each}/`)),
  );
  const root = latin1Of(o.target);
  const there = await lookAt(repo, root, changes);
  const touched = changes.filter(({ bytes, modes, objects }) => {
    const now = there.get(bytes) ?? nothing;
    return !same(now, modes[0], objects[0]) && !same(now, modes[1], objects[1]);
  });
  if (touched.length > 0) return leftAlone(repo, o, touched);
  const open = changes.filter(
    ({ bytes, modes, objects }) => !same(there.get(bytes) ?? nothing, modes[1], objects[1]),
  );
  await write(repo, { root, tip: o.tip, changes: open });
  return { landed: true, files: changes.length };
}

interface There {
  readonly mode: string;
  readonly object: string;
}

const nothing: There = { mode: "000000", object: "" };
const blocked: There = { mode: "in the way", object: "" };

const same = (now: There, mode: string, object: string) =>
  now.mode === mode && (mode === nothing.mode || now.object === object);

function leftAlone(repo: Repository, o: Landing, touched: readonly TreeChange[]): Landed {
  const names = touched.slice(0, 5).map(({ path }) => `\`${path}\``);
  const more = touched.length > 5 ? ` and ${touched.length - 5} more` : "";
  return {
    landed: false,
    reason: `files were changed since the run began: ${names.join(", ")}${more}`,
    hint: `git --git-dir=${repo.gitDir} archive ${o.branch} | tar -x -C <another folder>`,
  };
}

/** What the target has where the run changed something. Nothing is read through a link. */
async function lookAt(
  repo: Repository,
  root: string,
  changes: readonly TreeChange[],
): Promise<Map<string, There>> {
  const found = new Map<string, There>();
  const files: { readonly bytes: string; readonly mode: string }[] = [];
  for (const { bytes } of changes) {
    const stat = statIfThere(`${root}/${bytes}`);
    if (leadsThroughLink(root, bytes)) found.set(bytes, blocked);
    else if (stat?.isFile()) files.push({ bytes, mode: (stat.mode & 0o100) === 0 ? "100644" : "100755" });
    else if (stat?.isSymbolicLink()) {
      const input = readlinkSync(bytesOf(`${root}/${bytes}`), { encoding: "buffer" });
      const object = (await demandGit(repo, { args: ["hash-object", "--stdin"], input })).toString().trim();
      found.set(bytes, { mode: "120000", object });
    } else if (stat?.isDirectory()) found.set(bytes, isFolderOf(changes, bytes) ? nothing : blocked);
    else if (stat) found.set(bytes, blocked);
  }
  for (const [at, object] of (await digests(repo, root, files)).entries()) {
    const file = files[at];
    if (file) found.set(file.bytes, { mode: file.mode, object });
  }
  return found;
}

/** A folder that the run replaces by a file: each file in it is a change of its own, and decides for itself. */
const isFolderOf = (changes: readonly TreeChange[], folder: string) =>
  changes.some(({ bytes, status }) => status === "deleted" && bytes.startsWith(`${folder}/`));

async function digests(
  repo: Repository,
  root: string,
  files: readonly { bytes: string }[],
): Promise<string[]> {
  const quoted = files.map(({ bytes }) => quote(`${root}/${bytes}`));
  if (quoted.length === 0) return [];
  const args = ["hash-object", "--no-filters", "--stdin-paths"];
  const out = await demandGit(repo, { args, input: bytesOf(`${quoted.join("\n")}\n`) });
  return out.toString("utf8").trim().split("\n");
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

async function write(
  repo: Repository,
  { root, tip, changes }: { root: string; tip: string; changes: readonly TreeChange[] },
): Promise<void> {
  const staging = join(repo.gitDir, "heddle-landing");
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging);
  const index = join(staging, "index");
  await demandGit(repo, { args: ["read-tree", tip], index });
  const kept = changes.filter(({ status }) => status !== "deleted");
  const input = bytesOf(kept.map(({ bytes }) => `${bytes}\0`).join(""));
  const prefix = `--prefix=${staging}/files/`;
  await demandGit(repo, {
    args: ["checkout-index", "-z", "--stdin", prefix],
    index,
    input,
    workTree: staging,
  });
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
