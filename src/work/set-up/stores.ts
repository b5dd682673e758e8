// Where tools that keep packages in a person's home keep them here: in one folder beside the tree's files, so that what set-up
// fetched is in every workspace and every clean room, as `node_modules` is. Set-up has all of these variables; whoever works
// or judges later has those whose folder set-up filled.
import { join } from "node:path";
import { isPlainFolder } from "../../host/files.ts";
import type { Environment } from "../../host/program/environment.ts";

/** No task may change it (`evidence/judging-files.ts`). */
const storesName = ".heddle-packages";

/** By the variable that moves it. */
const stores: Readonly<Record<string, string>> = {
  PYTHONUSERBASE: "python",
  CARGO_HOME: "cargo",
  GOMODCACHE: "go",
  BUNDLE_PATH: "ruby",
  NUGET_PACKAGES: "nuget",
  GRADLE_USER_HOME: "gradle",
  DENO_DIR: "deno",
  PUB_CACHE: "pub",
};

/** Maven has no variable for its folder, but one for what its machine is told. */
const mavenIn = (root: string) => join(root, storesName, "maven");
const mavenOptions = (root: string): Environment => ({ MAVEN_OPTS: `-Dmaven.repo.local=${mavenIn(root)}` });

/** Tools that keep an environment in a home keep it beside the files; a version is not asked of a git that is not there. */
const besideFiles: Environment = {
  POETRY_VIRTUALENVS_IN_PROJECT: "1",
  PIPENV_VENV_IN_PROJECT: "1",
  SETUPTOOLS_SCM_PRETEND_VERSION: "0.0.0",
  PDM_BUILD_SCM_VERSION: "0.0.0",
  POETRY_DYNAMIC_VERSIONING_BYPASS: "0.0.0",
};

const placesIn = (root: string) =>
  Object.entries(stores).map(([name, folder]) => [name, join(root, storesName, folder)] as const);

/**
 * For set-up itself. What a person's environment names goes before. Where the system's packages manage Python, pip installs
 * only when it is told so: what it installs lies in the folder above, and nowhere in the system.
 */
export function storesFor(root: string, own: readonly string[]): Environment {
  const places = Object.fromEntries(placesIn(root).filter(([name]) => !own.includes(name)));
  const more = Object.entries({ ...mavenOptions(root), ...besideFiles }).filter(
    ([name]) => !own.includes(name),
  );
  const all = { ...Object.fromEntries(more), ...places };
  return "PYTHONUSERBASE" in places ? { ...all, PIP_BREAK_SYSTEM_PACKAGES: "1" } : all;
}

/** For those who use what set-up fetched into this folder. */
export function storesIn(root: string, own: readonly string[]): Environment {
  const filled = placesIn(root).filter(([name, place]) => !own.includes(name) && isPlainFolder(place));
  const environment: Environment = {
    ...(isPlainFolder(mavenIn(root)) && mavenOptions(root)),
    // What set-up left is used as it is: to bring it up to date takes a network.
    ...(isPlainFolder(join(root, ".venv")) && {
      UV_NO_SYNC: "1",
      POETRY_VIRTUALENVS_IN_PROJECT: "1",
      PIPENV_VENV_IN_PROJECT: "1",
    }),
  };
  const more = Object.entries(environment).filter(([name]) => !own.includes(name));
  return { ...Object.fromEntries(more), ...Object.fromEntries(filled) };
}
