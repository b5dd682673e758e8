// Makes a set-up: the whole tree in a folder of its own, the commands in a box that sees nothing else, and what they left
// beside the tree's files. Under a name of its own until it is whole; of two who make the same, the first one's counts.

import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { isProblem, type Problem } from "../../core/problem.ts";
import { discoverProject } from "../../discovery/discover-project.ts";
import { setUpSteps } from "../../discovery/set-up-steps.ts";
import type { Reach } from "../../gateway/reach.ts";
import { networkLine } from "../../gateway/refused-hosts.ts";
import {
  isPlainFolder,
  isThere,
  isThereItself,
  makeFolder,
  openFolder,
  remove,
  rename,
  replaceFile,
} from "../../host/files.ts";
import { demandGit, fields } from "../../host/git/git.ts";
import type { Repository } from "../../host/git/repository.ts";
import { cutLinks } from "../../host/git/snapshot.ts";
import { checkOut } from "../../host/git/workspace.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { type CommandSettings, runCommand } from "../run-command.ts";
import { setUpFailure, wordsOf } from "./failure.ts";
import { filesOf, isNear, textsOf } from "./inputs.ts";
import { hasWord, hostsFor, type Manifest, registriesIn, registriesOf, registryFiles } from "./registries.ts";
import { namingFiles } from "./relocate.ts";
import { storesFor } from "./stores.ts";

export interface Making {
  readonly commands: readonly string[] | undefined;
  readonly bench: CommandSettings;
  /** What set-ups may reach, as the person says it. */
  readonly network: Reach;
  /** What it may reach at most, and where the hosts that files name are read: of an attempt's own set-up. */
  readonly changed?: { readonly within: Reach; readonly trusted: readonly string[] } | null;
  readonly repository: Repository;
  readonly tree: string;
  /** Where it is kept in the end. */
  readonly kept: string;
}

/** What is kept: paths, relative to the repository's root, that lie below `files`. */
export interface Made {
  readonly made: readonly string[];
  /** Those among them that name the folder in which they were made (`relocate.ts`), and that folder. */
  readonly naming?: { readonly place: string; readonly files: readonly string[] };
  readonly network: Reach;
}

export const recordOf = (kept: string) => join(kept, "made.json");

/** What the last set-up that failed here printed. */
const failedLog = (kept: string) => `${kept}.log`;

export async function make(making: Making, signal: AbortSignal): Promise<Problem | undefined> {
  const { kept } = making;
  const fresh = `${kept}.${process.pid}-${randomBytes(6).toString("hex")}.new`;
  makeFolder(fresh);
  try {
    const unmade = await filled(making, fresh, signal);
    if (unmade) return unmade;
    putInPlace(fresh, kept);
    remove(failedLog(kept));
    return undefined;
  } finally {
    await forget(fresh);
  }
}

/** What cannot be removed takes room, and nothing else. */
const forget = (path: string) => removeTree(path).catch(() => {});

/** Somebody else, in this process or another, may have been faster: then theirs stays. */
function putInPlace(fresh: string, kept: string): void {
  try {
    rename(fresh, kept);
  } catch (error) {
    if (!isThere(recordOf(kept))) throw error;
  }
}

async function filled(making: Making, fresh: string, signal: AbortSignal): Promise<Problem | undefined> {
  const { repository, tree, network } = making;
  const [files, index] = [join(fresh, "tree"), join(fresh, "index")];
  const unmade = await checkOut(repository, { folder: files, index, tree });
  if (unmade) return unmade;
  await cutLinks(repository, { folder: files, index });
  const failed = await runAll(making, fresh, signal);
  if (failed) return failed;
  const made = await leftBeside(repository, { files, index });
  const keep = join(fresh, "files");
  makeFolder(keep);
  for (const path of made) {
    makeFolder(dirname(join(keep, path)));
    openFolder(join(files, path));
    rename(join(files, path), join(keep, path));
  }
  const naming = { place: files, files: namingFiles(keep, made, files) };
  for (const name of ["tree", "home", "tmp", "index"]) await forget(join(fresh, name));
  const within = making.changed?.within ?? true;
  const had = within === true ? network : within;
  replaceFile(recordOf(fresh), JSON.stringify({ made, naming, network: had } satisfies Made));
  return undefined;
}

async function runAll(making: Making, fresh: string, signal: AbortSignal): Promise<Problem | undefined> {
  const { repository, bench } = making;
  const network = await reachOf(making);
  const files = join(fresh, "tree");
  const target = join(files, repository.prefix);
  makeFolder(target);
  const log = join(fresh, "setup");
  for (const { command, cwd } of await commandsFor(making, target)) {
    const place = join(target, cwd);
    const ended = await runCommand(
      bench,
      {
        command,
        cwd: isPlainFolder(place) ? place : target,
        writable: [files],
        home: join(fresh, "home"),
        tmp: join(fresh, "tmp"),
        network,
        line: networkLine("setup", wordsOf(making.network)),
        set: { CI: "1", ...storesFor(files, bench.env) },
        log,
        mark: `setup ${fresh}`,
        keeps: true,
      },
      { signal },
    );
    if (ended.how.kind === "exited" && ended.how.code === 0) continue;
    const { network: policy, kept } = making;
    return setUpFailure({ command, ended, log, keep: failedLog(kept), network, policy, bench });
  }
  return undefined;
}

/** The hosts behind the word, found in the tree; those that files name are read in what was merged. */
async function reachOf({ network, changed, repository, tree, bench }: Making): Promise<Reach> {
  const within = changed?.within ?? true;
  if (!hasWord(network) && !hasWord(within)) return hostsFor(network, [], within);
  const found = registriesIn(await manifestsOf(repository, tree));
  const trusted = changed
    ? await Promise.all(changed.trusted.map((each) => manifestsOf(repository, each)))
    : [];
  const named = changed ? trusted.flatMap((each) => registriesIn(each).named) : found.named;
  const own = registriesOf(Object.fromEntries(bench.env.map((name) => [name, process.env[name]])));
  return hostsFor(network, [...found.usual, ...named, ...own], within);
}

async function manifestsOf(repository: Repository, tree: string): Promise<Manifest[]> {
  const wanted = registryFiles.map((name) => `:(glob)**/${name}`);
  const inputs = (await filesOf(repository, tree, wanted)).filter(
    (each) => !each.isLink && isNear(each, repository.prefix),
  );
  const texts = await textsOf(repository, inputs);
  return inputs.map(({ path, blob }) => ({ path, text: texts?.get(blob) ?? "" }));
}

interface Step {
  readonly command: string;
  readonly cwd: string;
}

async function commandsFor({ commands }: Making, target: string): Promise<Step[]> {
  if (commands) return commands.map((command) => ({ command, cwd: "." }));
  const found = await discoverProject(target);
  if (isProblem(found)) return [];
  return setUpSteps(found).map(({ run, cwd }) => ({ command: run, cwd }));
}

/** What the tree does not have: of a folder that is new as a whole, the folder alone. git follows no link for that. */
async function leftBeside(
  repository: Repository,
  { files, index }: { readonly files: string; readonly index: string },
): Promise<string[]> {
  const args = ["ls-files", "--others", "--directory", "-z"];
  const out = await demandGit(repository, { args, workTree: files, index });
  return fields(out)
    .map((path) => path.replace(/(?<!\/)\/+$/, ""))
    .filter((path) => path !== "" && !path.split("/").some((step) => step.toLowerCase() === ".git"))
    .filter((path) => isThereItself(join(files, path)) && isReached(files, path));
}

function isReached(folder: string, path: string): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at))
    if (!isPlainFolder(join(folder, at))) return false;
  return true;
}
