// Landing, file by file: each that the run changed is compared with what the run started from. Only when the person
// changed none of them are they written (`place-files.ts`), and what is there already counts as written.
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { problem } from "../../core/problem.ts";
import { freeName } from "../aside.ts";
import type { TreeChange } from "../git/changes.ts";
import { demandGit, demandLine, type GitDirectory, GitFailed } from "../git/git.ts";
import { namesOn, repositoryAmong } from "../git/repository-parts.ts";
import { bytesOf, latin1Of, statIfThere } from "../git/work-files.ts";
import { inTurns, isTurnOver, nextTurn } from "../turns.ts";
import {
  leadsThroughLink,
  madeBy,
  type Placed,
  type Plan,
  placeAll,
  type Seen,
  type Step,
  see,
} from "./place-files.ts";

export interface Placing {
  readonly at: GitDirectory;
  /** Where the files go. */
  readonly folder: string;
  readonly tip: string;
  readonly changes: readonly TreeChange[];
  /** A folder of heddle's own on the way there, for this landing alone. */
  readonly staging: string;
  /** Where something of the person's is kept that has no other place any more. */
  readonly aside: string;
}

export interface Placement {
  /** The paths where something of the person's is in the way: then nothing is changed, and otherwise everything. */
  readonly inTheWay: readonly string[];
  /** To be finished, or undone, once it is known whether the landing counts. */
  readonly plan: Plan | null;
  readonly aside: string | null;
}

export async function placeFiles(o: Placing): Promise<Placement> {
  const arriving = o.changes.filter(({ status }) => status !== "deleted").map(({ bytes }) => bytes);
  const repository = await repositoryAmong(arriving, namesOn(o.folder));
  if (repository !== undefined) throw new GitFailed(madeRepository(o, repository));
  const { there, seen } = await lookAt(o);
  const is = (change: TreeChange, side: 0 | 1) =>
    same(there.get(change.bytes) ?? nothing, change.modes[side], change.objects[side]);
  const inTheWay = o.changes.filter((change) => !is(change, 0) && !is(change, 1));
  if (inTheWay.length > 0) return { inTheWay: inTheWay.map(({ path }) => path), plan: null, aside: null };
  const changes = o.changes.filter((change) => !is(change, 1));
  if (changes.length === 0) return { inTheWay: [], plan: null, aside: null };
  const { plan, placed } = await write(o, { changes, seen });
  const late = changes.find(({ bytes }) => bytes === placed.inTheWay);
  return late
    ? { inTheWay: [late.path], plan: null, aside: placed.aside }
    : { inTheWay: [], plan, aside: null };
}

/** Whatever the branch says, and whatever lies in the folder that no branch knows of. */
const madeRepository = ({ at, folder, tip }: Placing, inside: string) =>
  problem(
    "repository",
    `landing would change a git repository, or make one, in \`${join(folder, inside)}\``,
    {
      hint: `git --git-dir=${at.gitDir} show --stat ${tip}`,
    },
  );

interface There {
  readonly mode: string;
  readonly object: string;
}

const nothing: There = { mode: "000000", object: "" };
const blocked: There = { mode: "in the way", object: "" };

const same = (now: There, mode: string, object: string) =>
  now.mode === mode && (mode === nothing.mode || now.object === object);

/** What the target has where the run changed something. Nothing is read through a link. */
async function lookAt({
  at,
  folder,
  changes,
}: Placing): Promise<{ there: Map<string, There>; seen: Map<string, Seen> }> {
  const root = latin1Of(folder);
  const found = new Map<string, There>();
  const seen = new Map<string, Seen>();
  const files: { readonly bytes: string; readonly mode: string }[] = [];
  for (const { bytes } of changes) {
    if (isTurnOver()) await nextTurn();
    // Its bytes are read here first and by git then: a save in between is seen as a change, never passed over.
    const was = leadsThroughLink(root, bytes) ? null : await see(`${root}/${bytes}`);
    if (was) seen.set(bytes, was);
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
  return { there: found, seen };
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

async function write(
  { at, folder, tip, staging, aside }: Placing,
  { changes, seen }: { changes: readonly TreeChange[]; seen: ReadonlyMap<string, Seen> },
): Promise<{ plan: Plan; placed: Placed }> {
  const index = join(staging, "tip-index");
  await demandGit(at, { args: ["read-tree", tip], index });
  const kept = changes.filter(({ status }) => status !== "deleted");
  const input = bytesOf(kept.map(({ bytes }) => `${bytes}\0`).join(""));
  const args = ["checkout-index", "-z", "--stdin", `--prefix=${staging}/files/`];
  await demandGit(at, { args, index, input, workTree: staging });
  const steps: Step[] = [];
  await inTurns(changes, ({ bytes, status }) => {
    steps.push({
      ...{ bytes, put: status !== "deleted", was: seen.get(bytes) ?? null, made: madeBy(folder, bytes) },
      fresh: status === "deleted" ? null : writtenAt(`${latin1Of(staging)}/files/${bytes}`),
    });
  });
  const token = crypto.randomUUID().slice(0, 8);
  const plan: Plan = { root: folder, staging, token, aside: freeName(aside), steps };
  return { plan, placed: await placeAll(plan) };
}

const writtenAt = (path: string) => String(lstatSync(bytesOf(path), { bigint: true }).mtimeNs);
