// What a box can see of the host's files, and which of them can be written: a list of mounts, outer paths before inner ones,
// so that the more precise wish wins. Nothing of the host's is in a box that is not named in `box.readOnly`, `box.writable`
// and `box.home`, but for the system itself where a box shows it. Each maker in `host/box` puts the list into its own words.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";

export interface Visible {
  /** A folder of the program's own, writable, kept. */
  readonly home: string;
  /** Must exist. */
  readonly writable: readonly string[];
  /** Must exist. */
  readonly readOnly: readonly string[];
  /** Empty inside, whatever they hold outside. */
  readonly hidden?: readonly string[];
  /**
   * Paths inside writable ones that must stay as they are, the missing ones included: a missing one is held by an
   * empty file, which `phantoms` names and the runner removes afterwards. So no two boxes at once may protect the
   * same missing path.
   */
  readonly protect?: readonly string[];
  /** How much /tmp, /var/tmp and /dev/shm may hold, each; it is memory. */
  readonly tmpBytes?: number;
}

export interface Mount {
  readonly path: string;
  /**
   * `link`: a link to a place that is shown. `masked`: an empty file, where nothing is. `hidden`: an empty file or folder,
   * whatever is there.
   */
  readonly kind: Kind;
  /** What is really there, for the first three kinds. */
  readonly real: string;
  readonly isFolder: boolean;
}

export interface Mounts {
  readonly plan: readonly Mount[];
  /** Files that exist on the host only because of the box. */
  readonly phantoms: readonly string[];
}

/** Where two wishes name the same path, the later of these wins. */
const kinds = ["writable", "link", "read-only", "masked", "hidden"] as const;
type Kind = (typeof kinds)[number];

/** The mounts for what `visible` wishes, or the first wish that cannot be granted safely. */
export function planMounts(visible: Visible): Mounts | { readonly problem: Problem } {
  const { home, writable, readOnly, hidden = [], protect = [] } = visible;
  const roots = [home, ...writable].map((path) => resolve(path));
  const plan = new Map<string, Kind>();
  const wish = (path: string, kind: Kind) => {
    const before = plan.get(path);
    if (!before || kinds.indexOf(kind) > kinds.indexOf(before)) plan.set(path, kind);
  };
  for (const path of [home, ...writable, ...readOnly, ...hidden, ...protect]) {
    const wrong = refusal(path, roots);
    if (wrong) return { problem: wrong };
  }
  for (const path of roots) wish(path, "writable");
  const shown = [...roots, ...readOnly.map((path) => resolve(path))];
  for (const path of readOnly) wishToRead(resolve(path), shown, wish);
  for (const path of hidden) if (isThere(path)) wish(resolve(path), "hidden");
  for (const path of protect) for (const [held, kind] of protection(resolve(path), roots)) wish(held, kind);
  const missing = [...plan].find(([path, kind]) => kind !== "masked" && !isThere(path));
  if (missing)
    return { problem: problem("no-file", `\`${missing[0]}\` does not exist, so no box can show it`) };
  // A folder's path is shorter than the paths inside it.
  const ordered = [...plan].sort(([a], [b]) => a.length - b.length);
  return {
    plan: ordered.map(([path, kind]) => ({
      ...{ path, kind, isFolder: isFolder(path) },
      real: kind === "masked" || kind === "hidden" ? path : realpathSync(path),
    })),
    phantoms: ordered.filter(([, kind]) => kind === "masked").map(([path]) => path),
  };
}

/** A link to something that is shown is made again as a link: a program finds what lies beside it by its real place. */
function wishToRead(path: string, shown: readonly string[], wish: (path: string, kind: Kind) => void): void {
  const others = shown.filter((each) => each !== path);
  const real = isLink(path) ? realpathSync(path) : path;
  if (real === path || !others.some((each) => isWithin(each, real))) wish(path, "read-only");
  // In a folder that is shown it is there as it is.
  else if (!others.some((each) => isWithin(each, path))) wish(path, "link");
}

/**
 * A protected path cannot be changed, because it is mounted read-only, nor moved out of the way, because each folder
 * above it is a mount as well, and a mount cannot be renamed. Of a missing path the first missing part is held.
 */
function protection(path: string, roots: readonly string[]): [string, Kind][] {
  const root = innermost(path, roots);
  if (root === undefined) return [];
  const held: [string, Kind][] = [];
  for (const part of between(root, path)) {
    if (!isThere(part)) return [...held, [part, "masked"]];
    held.push([part, part === path ? "read-only" : "writable"]);
  }
  return path === root ? [[path, "read-only"]] : held;
}

/** Why `path` cannot be in a box at all. An agent may have planted a link below a folder that it can write. */
function refusal(path: string, roots: readonly string[]): Problem | undefined {
  const no = (why: string) => problem("unsafe-path", `\`${path}\` ${why}`);
  if (!isAbsolute(path) || path.includes("\0")) return no("is not an absolute path");
  const whole = resolve(path);
  if (["/", "/proc", "/dev", "/sys"].some((own) => whole === own || (own !== "/" && isWithin(own, whole))))
    return no("belongs to the system and cannot be put into a box");
  const root = innermost(dirname(whole), roots);
  const link = root === undefined ? undefined : between(root, whole).find(isLink);
  return link === undefined
    ? undefined
    : no(`leads through the link \`${link}\`, which may have been planted`);
}

/** The paths from below `root` down to `path`, which lies inside it. */
function between(root: string, path: string): string[] {
  const parts = relative(root, path)
    .split(sep)
    .filter((part) => part !== "");
  return parts.map((_, at) => join(root, ...parts.slice(0, at + 1)));
}

function innermost(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isWithin(root, path)).sort((a, b) => b.length - a.length)[0];
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

export const isThere = (path: string) => statOf(path) !== undefined;
const isLink = (path: string) => statOf(path)?.isSymbolicLink() === true;
export const isFolder = (path: string) => statOf(path)?.isDirectory() === true;
