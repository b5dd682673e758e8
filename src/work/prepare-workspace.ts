// Effect `prepare-workspace`: a private repository at the attempt's base, with what set-up made, and its token.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { hindered } from "../core/outcome.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import { textDigest } from "../host/digest.ts";
import { isThere, makeFolder, remove, replaceFile } from "../host/files.ts";
import type { Repository } from "../host/git/repository.ts";
import { makeWorkspace, removeWorkspace } from "../host/git/workspace.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import { withHint } from "./set-up/failure.ts";
import { baseSetUp, provide, type SetUp } from "./set-up/provide.ts";

export interface Preparation {
  readonly repository: Repository;
  readonly folder: AttemptFolder;
  readonly base: string;
  readonly setUp: SetUp;
}

export async function prepareWorkspace(
  { repository, folder, base, setUp }: Preparation,
  signal: AbortSignal,
): Promise<Outcome> {
  for (const each of [folder.home, folder.tmp, folder.outbox]) makeFolder(each);
  const unmade = await makeReady({ repository, folder, base, setUp }, signal);
  if (unmade) return unmade.code === baseSetUp ? unable(unmade) : hindered(unmade);
  makeFolder(join(folder.work, repository.prefix));
  if (!isThere(folder.token)) {
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
    chmodSync(folder.token, 0o600);
  }
  return { ok: true };
}

/** A set-up that the attempt did not change fails every task alike: a person is needed, and no try is spent. */
function unable(unmade: Problem): Outcome {
  return { ...hindered({ code: unmade.code, message: withHint(unmade) }, false), kind: "unable" };
}

/** Whole when it is written down what set-up put there: what a killed one left half copied is made from the beginning. */
async function makeReady(
  { repository, folder, base, setUp }: Preparation,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  if (isThere(folder.provided) && isThere(folder.work)) return undefined;
  const place = { folder: folder.work, index: folder.index };
  remove(folder.provided);
  const unmade = (await removeWorkspace(place)) ?? (await makeWorkspace(repository, { ...place, base }));
  if (unmade) return unmade;
  const provided = await provide(setUp, { repository, tree: base, ...place }, signal);
  if (isProblem(provided)) return provided;
  replaceFile(folder.provided, JSON.stringify(provided));
  return undefined;
}
