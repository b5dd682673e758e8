// The name under which a set-up is kept: a digest of everything that it reads. Where the manifests are plain data and the
// commands only fetch what they list, that is the manifests; where set-up can run a program of the tree (an install
// script, a build backend, commands of the person's own), it may read any file, and then it is the whole tree.
import { textDigest } from "../../host/digest.ts";
import { treeWritten } from "../../host/git/commit-object.ts";
import { treeOf } from "../../host/git/integrate.ts";
import type { Repository } from "../../host/git/repository.ts";
import { hasLock, inputsOf, manifestsNear, type SetUpInput, textsOf } from "./inputs.ts";
import { listsPackages, withoutNoise } from "./manifest-noise.ts";
import { isData } from "./plain-manifests.ts";

/** Raised when what a key covers, or what is kept under it, changes. */
const format = 5;

export interface Asked {
  /** What the configuration says; undefined: what the lock files and manifests ask for. */
  readonly commands: readonly string[] | undefined;
  /** What the person says that these commands read, beside manifests and locks; undefined: nobody knows. */
  readonly reads: readonly string[] | undefined;
  readonly repository: Repository;
  /** A tree or a commit. */
  readonly tree: string;
}

/** Trees never change, so their keys are told once. */
const known = new Map<string, Promise<string | null>>();
const mostKnown = 500;

/** Null where nothing asks for a set-up. */
export function keyOf(order: Asked): Promise<string | null> {
  // A commit of heddle's own has a tree that was asked about before.
  const asked = { ...order, tree: treeWritten(order.tree) ?? order.tree };
  const { commands, reads, repository, tree } = asked;
  const name = JSON.stringify([repository.gitDir, repository.prefix, tree, commands ?? null, reads ?? null]);
  const told = known.get(name);
  if (told) return told;
  if (known.size > mostKnown) known.clear();
  const key = computed(asked);
  known.set(name, key);
  // What failed once, for want of memory or disk, is asked again.
  key.catch(() => known.delete(name));
  return key;
}

async function computed({ commands, reads, repository, tree }: Asked): Promise<string | null> {
  if (commands?.length === 0) return null;
  const inputs = await inputsOf(repository, tree, reads ?? []);
  const isAsked = commands !== undefined || hasLock(inputs, repository.prefix);
  if (!isAsked && !(await asksByManifest(repository, inputs))) return null;
  const about = [format, process.platform, process.arch, repository.prefix, commands ?? null];
  const read = reads
    ? inputs.map(({ path, blob }) => [path, blob])
    : ((await manifestsIn({ commands, repository, inputs })) ?? (await treeOf(repository, tree)));
  return textDigest(JSON.stringify([...about, read])).slice(0, 32);
}

/** Without a lock file: whether a manifest lists packages that would be installed beside the tree's files (X24). */
async function asksByManifest(repository: Repository, inputs: readonly SetUpInput[]): Promise<boolean> {
  const near = manifestsNear(inputs, repository.prefix);
  const texts = await textsOf(repository, near);
  return near.some(({ name, blob }) => listsPackages(name, texts?.get(blob) ?? ""));
}

interface SetUpInputs extends Pick<Asked, "commands" | "repository"> {
  readonly inputs: readonly SetUpInput[];
}

/** What counts of the manifests; nothing where they are not all that is read. */
async function manifestsIn({ commands, repository, inputs }: SetUpInputs): Promise<string[][] | undefined> {
  const texts = await textsOf(repository, inputs);
  if (!texts || !isData({ commands, inputs, texts })) return undefined;
  const count = (wanted: string) => inputs.filter(({ name }) => name === wanted).length;
  return inputs.map(({ path, name, blob }) => [
    path,
    withoutNoise(name, texts.get(blob) ?? "", { alone: count(name) < 2 }) ?? blob,
  ]);
}
