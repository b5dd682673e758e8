// What a folder holds compared with an index: files that may have changed, new ones that no rule ignores, and those that
// are gone. heddle walks itself, level by level, and never through a link, into a repository of the agent's, or into an
// ignored folder; git decides only what is ignored. Paths are bytes, kept as latin1 text, relative to the folder.
import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from "node:fs";
import { type Problem, problem } from "../../core/problem.ts";
import { isLeftOut } from "../left-out.ts";
import { inTurns, isTurnOver, nextTurn } from "../turns.ts";
import type { GitDirectory } from "./git.ts";
import { type Ignored, startIgnored } from "./ignored.ts";
import { type IndexEntry, type IndexFile, modes } from "./index-file.ts";

export interface Look {
  readonly at: GitDirectory;
  readonly folder: string;
  readonly index: IndexFile;
  /** A folder with the .gitignore files that were there before; null when there were none. */
  readonly rules: string | null;
  /** Not looked at, ignored or not: what is known of it stays as it is. */
  readonly skip: readonly string[];
  /** Taken in, ignored or not. */
  readonly declared: readonly string[];
  /** A folder with a `.git` of its own: refused in an agent's work, plain files in a person's. */
  readonly nested: "refused" | "plain";
  readonly maxFileBytes: number;
}

export interface WorkFiles {
  readonly gone: readonly string[];
  /** Known and different at a glance, or new. */
  readonly touched: readonly string[];
  /** New, and left out whatever the rules say (`left-out.ts`); a folder with a slash at its end. */
  readonly leftOut: readonly string[];
}

interface Walk extends Look {
  /** The folder, as bytes like every path. */
  readonly root: string;
  readonly folders: ReadonlySet<string>;
  readonly seen: Set<string>;
  readonly touched: string[];
  readonly leftOut: string[];
  readonly askers: Ignored[];
  ownRules: boolean;
}

const maxNewFiles = 200_000;

export const bytesOf = (path: string) => Buffer.from(path, "latin1");
export const textOf = (path: string) => bytesOf(path).toString("utf8");
export const latin1Of = (path: string) => Buffer.from(path, "utf8").toString("latin1");

/** What is at a path itself; nothing also where a file stands in for a folder on the way. */
export function statIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(bytesOf(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export async function findWork(look: Look): Promise<WorkFiles | Problem> {
  const walk: Walk = {
    ...look,
    root: latin1Of(look.folder),
    folders: await foldersOf(look.index),
    seen: new Set(),
    touched: [],
    leftOut: [],
    askers: look.rules === null ? [] : [startIgnored(look.at, look.rules)],
    ownRules: false,
  };
  try {
    for (let level = [""]; level.length > 0; ) {
      const next = await walkLevel(walk, level);
      if (!Array.isArray(next)) return next;
      level = next;
    }
    for (const path of look.declared) {
      const wrong = takeDeclared(walk, path);
      if (wrong) return wrong;
    }
  } finally {
    for (const asker of walk.askers) asker.close();
  }
  const isSkipped = (path: string) => look.skip.some((each) => path === each || path.startsWith(`${each}/`));
  const gone: string[] = [];
  await inTurns(look.index.entries.values(), ({ path, mode }) => {
    if (mode !== modes.gitlink && !walk.seen.has(path) && !isSkipped(path)) gone.push(path);
  });
  const leftOut = walk.leftOut.filter((path) => !walk.seen.has(path));
  return { gone, touched: walk.touched, leftOut };
}

async function foldersOf({ entries }: IndexFile): Promise<Set<string>> {
  const folders = new Set<string>();
  await inTurns(entries.keys(), (path) => {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  });
  return folders;
}

interface Unknown {
  readonly path: string;
  readonly isFolder: boolean;
}

/** git is asked about so many at a time, so that its answer is read in one go. */
const askedAtOnce = 2_000;

/** The folders of the next level. */
async function walkLevel(walk: Walk, level: readonly string[]): Promise<string[] | Problem> {
  const next: string[] = [];
  const unknown: Unknown[] = [];
  for (const folder of level) {
    const wrong = await listFolder(walk, folder, { next, unknown });
    if (wrong) return wrong;
  }
  for (let at = 0; at < unknown.length; at += askedAtOnce) {
    const wrong = await takeUnknown(walk, unknown.slice(at, at + askedAtOnce), next);
    if (wrong) return wrong;
  }
  return next;
}

async function takeUnknown(
  walk: Walk,
  unknown: readonly Unknown[],
  next: string[],
): Promise<Problem | undefined> {
  const questions = unknown.map(({ path, isFolder }) => (isFolder ? `${path}/` : path));
  const answers = await Promise.all(walk.askers.map((asker) => asker.ask(questions)));
  for (const [at, { path, isFolder }] of unknown.entries()) {
    if (isTurnOver()) await nextTurn();
    if (answers.some((ignored) => ignored.has(questions[at] ?? ""))) continue;
    if (isUnmeant(walk, path, isFolder)) {
      walk.leftOut.push(questions[at] ?? path);
      continue;
    }
    if (isFolder) next.push(path);
    else {
      const wrong = takeNew(walk, path);
      if (wrong) return wrong;
    }
  }
  if (walk.touched.length <= maxNewFiles) return undefined;
  return problem("scope", `more than ${maxNewFiles} files are new or changed`, {
    hint: "name what is generated in .gitignore",
  });
}

/** A person's own files are taken as they are. */
function isUnmeant({ folder, nested }: Walk, path: string, isFolder: boolean): boolean {
  if (nested === "plain") return false;
  const text = textOf(path);
  const cut = text.lastIndexOf("/");
  return isLeftOut(cut < 0 ? folder : `${folder}/${text.slice(0, cut)}`, text.slice(cut + 1), isFolder);
}

interface FolderListing {
  readonly next: string[];
  readonly unknown: Unknown[];
}

async function listFolder(walk: Walk, folder: string, found: FolderListing): Promise<Problem | undefined> {
  // Piece by piece: an agent can put any number of files into one folder. The types of Node say that a path is text here.
  const path = bytesOf(`${walk.root}/${folder}`) as unknown as string;
  const open = opendirSync(path, { encoding: "latin1" as BufferEncoding, bufferSize: 128 });
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (isTurnOver()) await nextTurn();
      const wrong = lookAtEntry(walk, { folder, entry }, found);
      if (wrong) return wrong;
    }
  } finally {
    open.closeSync();
  }
  return undefined;
}

function lookAtEntry(
  walk: Walk,
  { folder, entry }: { readonly folder: string; readonly entry: Dirent },
  found: FolderListing,
): Problem | undefined {
  const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
  if (walk.skip.includes(path)) return undefined;
  if (entry.name.toLowerCase() === ".git") {
    if (folder === "" || walk.nested === "plain") return undefined;
    return problem("scope", `\`${textOf(folder)}\` is a git repository inside the workspace`, {
      hint: `rm -rf ${textOf(folder)}/.git`,
    });
  }
  const known = walk.index.entries.get(path);
  if (known?.mode === modes.gitlink) return lookAtSubmodule(walk, path);
  if (entry.isDirectory()) {
    if (walk.folders.has(path)) found.next.push(path);
    else found.unknown.push({ path, isFolder: true });
  } else if (known) return takeKnown(walk, known);
  else if (entry.isFile() || entry.isSymbolicLink()) {
    found.unknown.push({ path, isFolder: false });
    if (entry.name === ".gitignore") obeyOwnRules(walk);
  } else if (entry.name.startsWith(".git")) return notAFile(path);
  return undefined;
}

/** git opens such a file wherever it looks, and would wait at a pipe for ever. */
const notAFile = (path: string) =>
  problem("scope", `\`${textOf(path)}\` is neither a file nor a link`, { hint: `rm ${textOf(path)}` });

/** The agent's own .gitignore may leave out more than was left out before, but nothing that was declared. */
function obeyOwnRules(walk: Walk): void {
  if (walk.ownRules) return;
  walk.ownRules = true;
  walk.askers.push(startIgnored(walk.at, walk.folder));
}

function lookAtSubmodule(walk: Walk, path: string): Problem | undefined {
  const at = bytesOf(`${walk.root}/${path}`);
  if (lstatSync(at).isDirectory() && readdirSync(at).length === 0) return undefined;
  return problem("scope", `\`${textOf(path)}\` is a submodule, whose files heddle does not change`, {
    hint: `git -C ${textOf(path)} commit, by hand, in the submodule's own repository`,
  });
}

function takeKnown(walk: Walk, known: IndexEntry): Problem | undefined {
  walk.seen.add(known.path);
  const stat = lstatSync(bytesOf(`${walk.root}/${known.path}`), { bigint: true });
  if (!stat.isFile() && !stat.isSymbolicLink()) return notAFile(known.path);
  const isSame =
    stat.mtimeNs === known.modified &&
    stat.ctimeNs === known.changed &&
    stat.mtimeNs < walk.index.written &&
    Number(stat.size & 0xffffffffn) === known.size &&
    Number(stat.ino & 0xffffffffn) === known.inode &&
    stat.isSymbolicLink() === (known.mode === modes.link) &&
    (stat.isSymbolicLink() || (Number(stat.mode) & 0o100) === (known.mode & 0o100));
  if (isSame) return undefined;
  if (stat.size > walk.maxFileBytes && Number(stat.size & 0xffffffffn) !== known.size)
    return tooLarge(walk, known.path, stat.size);
  if (known.path.endsWith(".gitignore")) obeyOwnRules(walk);
  walk.touched.push(known.path);
  return undefined;
}

function takeNew(walk: Walk, path: string): Problem | undefined {
  const { size } = lstatSync(bytesOf(`${walk.root}/${path}`));
  if (size > walk.maxFileBytes) return tooLarge(walk, path, BigInt(size));
  walk.seen.add(path);
  walk.touched.push(path);
  return undefined;
}

function tooLarge(walk: Walk, path: string, size: bigint): Problem {
  const mega = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  return problem(
    "scope",
    `\`${textOf(path)}\` has ${mega(Number(size))}, at most ${mega(walk.maxFileBytes)} are taken over`,
    { hint: `name ${textOf(path)} in .gitignore, or make it smaller` },
  );
}

function takeDeclared(walk: Walk, path: string): Problem | undefined {
  if (walk.seen.has(path) || path.split("/").some((part) => ["", ".", ".."].includes(part))) return undefined;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const beside = `${path.slice(0, at)}/.gitattributes`;
    const stat = statIfThere(`${walk.root}/${beside}`);
    if (stat && !stat.isFile() && !stat.isSymbolicLink()) return notAFile(beside);
  }
  const stat = statIfThere(`${walk.root}/${path}`);
  return stat?.isFile() || stat?.isSymbolicLink() ? takeNew(walk, path) : undefined;
}
