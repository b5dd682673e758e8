// Set-up (X22): a fresh workspace has no `node_modules` and no virtual environment, and its box no network. The set-up
// commands run once per digest of lock files and platform, boxed and with network; what they made beside the tree's own
// files is kept, and copied into each workspace and each clean room with the same lock files.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { discoverProject } from "../discovery/discover-project.ts";
import { cloneTree } from "../host/clone-tree.ts";
import { fileDigest, textDigest } from "../host/digest.ts";
import { isThere, makeFolder, readIfThere, readTail, remove, rename, replaceFile } from "../host/files.ts";
import { sayEnding } from "../host/program.ts";
import { type Bench, runCommand } from "./run-command.ts";

export interface SetUp {
  /** What the configuration says; undefined: what the lock files ask for. */
  readonly commands: readonly string[] | undefined;
  readonly bench: Bench;
  readonly network: boolean;
  readonly cache: string;
}

/** Those whose set-up leaves its result beside the files; Cargo and Go keep theirs elsewhere. */
const lockNames = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "pdm.lock",
  "requirements.txt",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
]);

/** What decides together with a lock file what is fetched, from where, and what runs then. */
const settingNames = new Set([
  "package.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  "pnpm-workspace.yaml",
  "bunfig.toml",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "Pipfile",
  "pip.conf",
  "uv.toml",
  "Gemfile",
  "composer.json",
  "mix.exs",
]);

/** Set-ups under way: attempts that begin at the same time wait for the same one. */
const underway = new Map<string, Promise<Problem | undefined>>();

/** Brings what set-up makes of these files into `folder`, and says what that is. Nothing where nothing asks for it. */
export async function provide(
  setUp: SetUp,
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[] | Problem> {
  const { locks, settings } = lockFiles(folder);
  if (setUp.commands === undefined ? locks.length === 0 : setUp.commands.length === 0) return [];
  const digests = [...locks, ...settings].map((path) => [path, fileDigest(join(folder, path))]);
  const key = textDigest(JSON.stringify([process.platform, process.arch, setUp.commands ?? null, digests]));
  const kept = join(setUp.cache, key.slice(0, 32));
  if (!isThere(join(kept, "made.json"))) {
    const making = underway.get(kept) ?? make(setUp, { folder, kept }, signal);
    underway.set(kept, making);
    const failed = await making.finally(() => underway.delete(kept));
    if (failed) return failed;
  }
  const made = JSON.parse(readIfThere(join(kept, "made.json")) ?? "[]") as string[];
  for (const path of made) {
    makeFolder(dirname(join(folder, path)));
    remove(join(folder, path));
    await cloneTree(join(kept, "files", path), join(folder, path));
  }
  return made;
}

interface Place {
  readonly folder: string;
  readonly kept: string;
}

/** Made beside and renamed into place, so that one that was killed leaves nothing that counts. */
async function make(
  setUp: SetUp,
  { folder, kept }: Place,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const fresh = `${kept}.new`;
  remove(fresh);
  const files = join(fresh, "files");
  makeFolder(fresh);
  await cloneTree(folder, files);
  remove(join(files, ".git"));
  const before = new Set(below(files));
  for (const { command, cwd } of await commandsFor(setUp, files)) {
    const log = join(fresh, "setup");
    const ended = await runCommand(
      setUp.bench,
      {
        command,
        cwd: join(files, cwd),
        writable: [files],
        home: join(fresh, "home"),
        tmp: join(fresh, "tmp"),
        network: setUp.network,
        set: { CI: "1" },
        log,
        mark: `setup-${kept.slice(-32)}`,
      },
      { signal },
    );
    if (ended.how.kind === "exited" && ended.how.code === 0) continue;
    const said = readTail(`${log}.err`, 1000).trim() || readTail(`${log}.out`, 1000).trim();
    return problem(
      "setup",
      `set-up \`${command}\` ${sayEnding(ended.how, setUp.bench.limits)}${said ? `: ${said}` : ""}`,
      { hint: '"setup": ["…"] in .heddle/config.json says what to run instead; [] for nothing' },
    );
  }
  const made = topmost(below(files).filter((path) => !before.has(path)));
  const keep = join(fresh, "kept");
  for (const path of made) {
    makeFolder(dirname(join(keep, path)));
    rename(join(files, path), join(keep, path));
  }
  for (const name of ["files", "home", "tmp"]) remove(join(fresh, name));
  makeFolder(keep);
  rename(keep, files);
  replaceFile(join(fresh, "made.json"), JSON.stringify(made));
  rename(fresh, kept);
  return undefined;
}

interface Step {
  readonly command: string;
  readonly cwd: string;
}

async function commandsFor({ commands }: SetUp, folder: string): Promise<Step[]> {
  if (commands) return commands.map((command) => ({ command, cwd: "." }));
  const found = await discoverProject(folder);
  if ("code" in found) return [];
  return found.setup
    .filter(({ lock_file }) => lock_file !== null)
    .map(({ run, cwd }) => ({ command: run, cwd }));
}

const skipped = new Set([".git", "node_modules", ".venv", "vendor"]);

/** In the root and two levels below: where packages of a workspace have theirs. */
function lockFiles(folder: string): { locks: string[]; settings: string[] } {
  const [locks, settings]: [string[], string[]] = [[], []];
  const look = (path: string, depth: number) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      if (entry.isFile() && lockNames.has(entry.name)) locks.push(join(path, entry.name));
      if (entry.isFile() && settingNames.has(entry.name)) settings.push(join(path, entry.name));
      if (entry.isDirectory() && depth < 2 && !skipped.has(entry.name))
        look(join(path, entry.name), depth + 1);
    }
  };
  if (isThere(folder)) look("", 0);
  return { locks: locks.sort(), settings: settings.sort() };
}

function below(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

/** Of a folder that is new as a whole, the folder alone. */
function topmost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !all.has(dirname(path)));
}
