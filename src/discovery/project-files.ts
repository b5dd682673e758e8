// The files of a target: listed once, by git where it is a repository and by a walk where it is not, then looked up and
// read from here. Paths that cannot be shown are left out at the door, so nobody further in has to think of them.
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import { findRepository, isMarked, type RepositoryPlace } from "../host/git/find-repository.ts";
import { orProblem } from "../host/git/git.ts";
import { ownFiles } from "./ignored-folders.ts";
import type { Limits } from "./limits.ts";
import { listByGit } from "./list-git.ts";
import { isShown } from "./plain.ts";
import { readHead, readWhole, textOf } from "./read-inside.ts";
import { walk } from "./walk.ts";

export interface ProjectFiles {
  /** The target's real path. */
  readonly root: string;
  /** Sorted; relative, with forward slashes. */
  readonly paths: readonly string[];
  readonly listedBy: "git" | "walk";
  readonly complete: boolean;
  /** What was left out, in words; grows while files are read. */
  readonly notes: Set<string>;
  has(path: string): boolean;
  /** Names of the files that lie directly in a folder; "." is the target. */
  namesIn(folder: string): readonly string[];
  /** A manifest, whole. One that cannot be read leaves a note. */
  text(path: string): string | undefined;
  /** The beginning of a source file, unless it is huge or not text. */
  beginning(path: string, bytes: number): string | undefined;
}

export async function openProject(target: string, limits: Limits): Promise<ProjectFiles | Problem> {
  const root = realFolder(target);
  if (typeof root !== "string") return root;
  const notes = new Set<string>();
  const listed = await list(root, limits, notes);
  const shown = listed.paths.filter(isShown);
  const odd = listed.paths.length - shown.length;
  if (odd > 0) notes.add(`${odd} files whose names hold invisible characters are left out`);
  const own = ownFiles(shown);
  const complete = listed.complete && own.length <= limits.files;
  const paths = own.slice(0, limits.files).sort();
  if (!complete) notes.add(`not all files are seen, but the first ${paths.length}`);
  const known = new Set(paths);
  const folders = byFolder(paths);
  const read = reader({ root, limits, notes });
  return {
    root,
    paths,
    listedBy: listed.by,
    complete,
    notes,
    has: (path) => known.has(path),
    namesIn: (folder) => folders.get(folder) ?? [],
    ...read,
  };
}

export function realFolder(target: string): string | Problem {
  const path = resolve(target);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
    return problem("not-a-folder", `the target \`${target}\` is not a directory`, { place: { file: path } });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      return problem("bad-target", `the target \`${target}\` cannot be opened (${code})`, {
        place: { file: path },
      });
    return problem("no-target", `the target \`${target}\` does not exist`, {
      place: { file: path },
      hint: `mkdir -p ${path}`,
    });
  }
}

async function list(root: string, limits: Limits, notes: Set<string>) {
  const place = await repositoryOf(root);
  if (place !== null || isMarked(root)) {
    const listing = place === null || isProblem(place) ? undefined : await listByGit(root, place, limits);
    // A folder that an outer repository ignores as a whole is a project of its own kind.
    if (listing !== undefined && listing.paths.length > 0) return { ...listing, by: "git" as const };
    if (listing === undefined)
      notes.add(
        "git did not list the files, so .gitignore is not honoured: run `git status` there to see why",
      );
  }
  const walked = await walk(root, { files: limits.files, depth: limits.walkDepth, ms: limits.walkMs });
  return { ...walked, by: "walk" as const };
}

/** A repository that git does not accept is walked like any folder, with a note. */
async function repositoryOf(root: string): Promise<RepositoryPlace | Problem | null> {
  const found = await orProblem(() => findRepository(root));
  return found !== null && isProblem(found) && found.code === "bare-repository" ? null : found;
}

function byFolder(paths: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const cut = path.lastIndexOf("/");
    const folder = cut < 0 ? "." : path.slice(0, cut);
    const names = folders.get(folder);
    if (names) names.push(path.slice(cut + 1));
    else folders.set(folder, [path.slice(cut + 1)]);
  }
  return folders;
}

function reader({ root, limits, notes }: { root: string; limits: Limits; notes: Set<string> }) {
  const texts = new Map<string, string | undefined>();
  const text = (path: string) => {
    if (texts.has(path)) return texts.get(path);
    const read = readWhole(root, path, limits.manifestBytes);
    if (typeof read === "string" && read !== "missing") notes.add(`${path} is not read: ${read}`);
    texts.set(path, typeof read === "string" ? undefined : read.text);
    return texts.get(path);
  };
  const beginning = (path: string, bytes: number) => {
    const head = readHead(root, path, bytes);
    if (typeof head === "string" || head.size > limits.sourceBytes) return undefined;
    return textOf(head.bytes);
  };
  return { text, beginning };
}
