// Which folders are not the project's own work: dependencies, build results, caches, heddle's own files. A repository
// may track them all the same, so this holds beside .gitignore. Names that some projects use for sources (`build`,
// `target`) count only where a build tool would put its results: at the root, or beside a manifest.
import { isManifest } from "./manifests.ts";

const always = new Set([
  ...[".git", ".hg", ".svn", ".jj", ".heddle", "project-planning"],
  ...["node_modules", "bower_components", "jspm_packages", ".yarn", ".pnpm-store", ".npm"],
  ...["__pycache__", ".venv", "venv", "site-packages", ".tox", ".nox", ".eggs", "htmlcov"],
  ...[".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"],
  ...[".next", ".nuxt", ".svelte-kit", ".angular", ".parcel-cache", ".turbo", ".nx", ".nyc_output"],
  ...[".gradle", ".idea", ".vs", ".bundle", ".dart_tool", "Pods", "DerivedData", "CMakeFiles"],
  ...[".cache", ".direnv", ".terraform", ".stack-work", "elm-stuff", ".zig-cache", "zig-cache", "zig-out"],
]);
const alwaysLike = /^(?:cmake-build-.*|bazel-.*|.*\.egg-info|.*\.dist-info)$/;

const besideManifest = new Set([
  ...["build", "dist", "out", "target", "vendor", "coverage", "_build", "deps", ".build", "builddir"],
]);
const besideDotNet = new Set(["bin", "obj"]);

export interface Surroundings {
  readonly atRoot: boolean;
  /** Names of the files that lie beside the folder. */
  readonly siblings: Iterable<string>;
}

export function isIgnoredFolder(name: string, { atRoot, siblings }: Surroundings): boolean {
  if (always.has(name) || alwaysLike.test(name)) return true;
  if (besideManifest.has(name)) return (atRoot && name !== "deps") || some(siblings, isManifest);
  if (besideDotNet.has(name)) return some(siblings, isDotNet);
  return false;
}

/** A virtual environment goes by any name; this file is always at its top. */
export const environmentMark = "pyvenv.cfg";

/** The project's own files among listed ones. Each folder is judged once, whatever it holds. */
export function ownFiles(paths: readonly string[]): string[] {
  const besides = fileNamesByFolder(paths);
  const verdicts = new Map<string, boolean>([["", false]]);
  const isOut = (folder: string): boolean => {
    const known = verdicts.get(folder);
    if (known !== undefined) return known;
    const cut = folder.lastIndexOf("/");
    const parent = cut < 0 ? "" : folder.slice(0, cut);
    const verdict =
      isOut(parent) ||
      besides.get(folder)?.includes(environmentMark) === true ||
      isIgnoredFolder(folder.slice(cut + 1), { atRoot: parent === "", siblings: besides.get(parent) ?? [] });
    verdicts.set(folder, verdict);
    return verdict;
  };
  return paths.filter((path) => !isOut(folderOf(path)));
}

/** Only names that decide something are kept: most files of a large repository are not manifests. */
function fileNamesByFolder(paths: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const cut = path.lastIndexOf("/");
    const name = path.slice(cut + 1);
    if (name !== environmentMark && !isManifest(name) && !isDotNet(name)) continue;
    const folder = cut < 0 ? "" : path.slice(0, cut);
    const names = found.get(folder);
    if (names) names.push(name);
    else found.set(folder, [name]);
  }
  return found;
}

const isDotNet = (name: string) => /\.(?:cs|fs|vb)proj$|\.slnx?$/.test(name);

function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut);
}

function some(names: Iterable<string>, holds: (name: string) => boolean): boolean {
  for (const name of names) if (holds(name)) return true;
  return false;
}
