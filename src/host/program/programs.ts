// Which programs heddle starts for itself: each is looked for once, along the absolute entries of the person's PATH, and
// never in a folder that agents can write, nor by a link that lies in one. Nothing else in `src` starts a program by its
// bare name (`test/tidy.test.ts`).
import { accessSync, constants, lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";

/** Folders that agents can write: as they were named, and, once somebody asks, as they really are. */
const named = new Set<string>();
let real: ReadonlySet<string> | undefined;
const found = new Map<string, string>();
/** By the PATH that they were made of: a run starts git a hundred times, and each look costs a hundred calls of the system. */
const trusted = new Map<string, string>();

const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** From now on no program is taken from these folders. Costs nothing before a program is looked for. */
export function distrust(...folders: readonly string[]): void {
  for (const folder of folders) {
    const whole = resolve(folder);
    if (whole === sep || [...named].some((known) => isWithin(known, whole))) continue;
    named.add(whole);
    real = undefined;
    found.clear();
    trusted.clear();
  }
}

/** For a process that works for this one. */
export const distrusted = (): readonly string[] => [...named];

/**
 * A project's root, and in it the folders that agents write. A person's home, or what lies above it, holds their own
 * programs too: of such a root only those folders are left out.
 */
export function distrustProject(root: string, folders: readonly string[]): void {
  const { HOME = "" } = process.env;
  const holdsHome = isAbsolute(HOME) && isWithin(resolve(root), resolve(HOME));
  distrust(...(holdsHome ? [] : [root]), ...folders);
}

/** Where the program is. One that is not there has a path where nothing is, so that its start fails as usual. */
export function ownProgram(name: string): string {
  const known = found.get(name) ?? locate(name, process.env.PATH ?? usualPath);
  if (known === undefined) return join("/nonexistent", name);
  found.set(name, known);
  return known;
}

/** The PATH for programs that heddle starts: absolute folders that no agent can write. */
export function trustedPath(searchPath = process.env.PATH ?? usualPath): string {
  const known = trusted.get(searchPath);
  if (known !== undefined) return known;
  const entries = searchPath.split(":").filter((entry) => entry.startsWith("/") && isTrusted(entry));
  trusted.set(searchPath, entries.join(":"));
  return entries.join(":");
}

/** The first program of that name along `searchPath` that no agent can have put there. */
export function locate(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path) && isTrusted(path));
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Every place on the way counts: a link in an agent's folder can be turned elsewhere later. */
function isTrusted(path: string): boolean {
  const way = steps(path);
  real ??= new Set([...named].flatMap((folder) => [folder, ...(steps(folder)?.slice(-1) ?? [])]));
  const folders = [...real];
  return way?.every((place) => !folders.some((folder) => isWithin(folder, place))) === true;
}

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}${sep}`);

/** What the kernel goes through to reach `path`, the last of it being what is really there; nothing for a loop. */
function steps(path: string): string[] | undefined {
  const way: string[] = [];
  const open = path.split(sep).filter((name) => name !== "");
  let at: string = sep;
  let links = 0;
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    if (name === ".") continue;
    at = name === ".." ? dirname(at) : join(at, name);
    way.push(at);
    const leads = linkAt(at);
    if (leads === undefined) continue;
    if (++links > 40) return undefined;
    at = isAbsolute(leads) ? sep : dirname(at);
    open.unshift(...leads.split(sep).filter((part) => part !== ""));
  }
  return way;
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
