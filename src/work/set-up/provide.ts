// Set-up (X22): a fresh workspace has no `node_modules` and no virtual environment, and its box no network. What the
// set-up commands make is kept by a key over everything that they read (`key.ts`), made in a copy of the tree (`make.ts`)
// and laid beside the tree's own files (`lay.ts`), never over them.
//
// What the person wrote, or what was merged, has its set-up in the project's cache, for everybody. A tree whose set-up an
// attempt changed has it made for that attempt alone, with the network that its agent has, until the tree is merged.

import { join } from "node:path";
import { recordIn } from "../../core/json.ts";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { isSame, type Reach } from "../../gateway/reach.ts";
import { isThere, makeFolder, rename } from "../../host/files.ts";
import { orProblem } from "../../host/git/git.ts";
import type { Repository } from "../../host/git/repository.ts";
import { readRecord } from "../../host/handed-in.ts";
import type { CommandSettings } from "../run-command.ts";
import { keyOf } from "./key.ts";
import { lay } from "./lay.ts";
import { type Made, make, recordOf } from "./make.ts";
import { markUsed, pruneCache } from "./prune.ts";

export interface SetUp {
  /** What the configuration says; undefined: what the lock files ask for. */
  readonly commands: readonly string[] | undefined;
  /** What these commands read beside manifests and locks, as far as the person says. */
  readonly reads: readonly string[] | undefined;
  readonly bench: CommandSettings;
  /** Of set-ups that the person or merged work asks for. */
  readonly network: Reach;
  readonly cache: string;
  /** Whose changes a tree may hold; null: it is the person's, or merged. */
  readonly attempt: Changing | null;
}

/** An attempt that may have changed what set-up reads. */
export interface Changing {
  /** Commits that are the person's or merged: a set-up that reads what theirs reads is theirs. */
  readonly trusted: readonly string[];
  readonly network: Reach;
  /** Where its own set-ups are kept. */
  readonly folder: string;
}

/** A checkout of `tree`, as it was made: the folder, and heddle's own index of it. */
export interface Checkout {
  readonly repository: Repository;
  readonly tree: string;
  readonly folder: string;
  readonly index: string;
}

/** Brings what set-up makes of this tree into its checkout, and says what that is, from the repository's root. */
export function provide(
  setUp: SetUp,
  checkout: Checkout,
  signal: AbortSignal,
): Promise<readonly string[] | Problem> {
  return orProblem(async () => {
    const source = await sourceOf(setUp, checkout);
    if (source === undefined) return [];
    const failed = await made(setUp, { ...source, repository: checkout.repository }, signal);
    if (failed) return failed;
    const record = madeIn(source.kept);
    if (!record) return problem("setup", "what set-up made was taken away meanwhile");
    await markUsed(source.kept);
    return lay(checkout, {
      files: join(source.kept, "files"),
      paths: record.made,
      ...(record.naming && { naming: record.naming }),
    });
  });
}

interface Source {
  readonly kept: string;
  /** The tree that it is made from. */
  readonly tree: string;
  readonly network: Reach;
  /** Set where the attempt changed what it reads. */
  readonly changed: { readonly within: Reach; readonly trusted: readonly string[] } | null;
}

async function sourceOf(setUp: SetUp, { repository, tree }: Checkout): Promise<Source | undefined> {
  const { commands, reads, cache, attempt, network } = setUp;
  const key = await keyOf({ commands, reads, repository, tree });
  if (key === null) return undefined;
  const shared = { kept: join(cache, key), network, changed: null };
  if (!attempt || isThere(recordOf(shared.kept))) return { ...shared, tree };
  for (const each of attempt.trusted)
    if ((await keyOf({ commands, reads, repository, tree: each })) === key) return { ...shared, tree: each };
  const changed = { within: attempt.network, trusted: attempt.trusted };
  return { kept: join(attempt.folder, key), tree, network, changed };
}

/** Set-ups under way: attempts that begin at the same time wait for the same one. */
const underway = new Map<string, Promise<Problem | undefined>>();

async function made(
  setUp: SetUp,
  source: Source & Pick<Checkout, "repository">,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { kept } = source;
  while (!isThere(recordOf(kept))) {
    const others = underway.get(kept);
    if (others) {
      const failed = await others;
      // Whoever made it may have been ended, which is no reason for anybody else to fail.
      if (failed && failed !== ended) return failed;
      if (signal.aborted) return ended;
      continue;
    }
    makeFolder(join(kept, ".."));
    const making = makeOne(setUp, source, signal).finally(() => underway.delete(kept));
    underway.set(kept, making);
    return making;
  }
  return undefined;
}

const ended = problem("setup", "set-up was ended");

async function makeOne(
  setUp: SetUp,
  source: Source & Pick<Checkout, "repository">,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { commands, bench } = setUp;
  const failed = await orProblem(() => make({ commands, bench, ...source }, signal));
  if (signal.aborted) return ended;
  const { changed, network } = source;
  if (!changed) await pruneCache(setUp.cache, source.kept);
  if (failed && !changed) return { ...failed, code: baseSetUp };
  if (!failed || !changed || changed.within !== false || network === false) return failed;
  return { ...failed, message: `${withoutNetwork}: ${failed.message}` };
}

/** The code of a set-up that fails without anything that an attempt did: it fails every other task as well. */
export const baseSetUp = "base-setup";

const withoutNetwork =
  "set-up had no network, because this attempt changed what set-up reads and its agent has none " +
  '("network": { "changedSetup": true } in .heddle/config.json gives it one)';

function madeIn(kept: string): Made | undefined {
  return recordIn<Made>(readRecord(recordOf(kept)));
}

/** What an attempt had made for its tree is everybody's once that tree is merged, unless it lacked the network. */
export async function adopt(setUp: SetUp, { repository, tree }: Pick<Checkout, "repository" | "tree">) {
  const { commands, reads, attempt, cache, network } = setUp;
  const key = await orProblem(() => keyOf({ commands, reads, repository, tree }));
  if (!attempt || key === null || isProblem(key)) return;
  const [own, shared] = [join(attempt.folder, key), join(cache, key)];
  if (!isSame(madeIn(own)?.network ?? false, network) || isThere(shared)) return;
  try {
    makeFolder(cache);
    rename(own, shared);
  } catch {
    // Somebody else was faster, or the disk is full: it is made again when it is needed.
  }
}
