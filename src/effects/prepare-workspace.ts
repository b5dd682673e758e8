// Effect `prepare-workspace`: a private repository at the attempt's base, with what set-up made, its bundle, its token.
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import { textDigest } from "../host/digest.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import type { Repository } from "../host/repository.ts";
import { makeWorkspace } from "../host/workspace.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import { provide, type SetUp } from "./set-up.ts";

export interface Preparation {
  readonly repository: Repository;
  readonly folder: AttemptFolder;
  readonly base: string;
  readonly setUp: SetUp;
  /** The bundle's text, for an agent that works in `target`. */
  readonly bundle: (target: string) => Promise<string | readonly Problem[]>;
}

export async function prepareWorkspace(
  { repository, folder, base, setUp, bundle }: Preparation,
  signal: AbortSignal,
): Promise<Outcome> {
  for (const each of [folder.home, folder.tmp, folder.outbox]) makeFolder(each);
  const target = join(folder.work, repository.prefix);
  const unmade = await makeWorkspace(repository, { folder: folder.work, index: folder.index, base });
  if (!unmade) makeFolder(target);
  const wrong = unmade ?? (await provide(setUp, target, signal));
  if (wrong) return unprepared(wrong.message, true);
  const text = await bundle(target);
  if (typeof text !== "string") return unprepared(text.map((each) => each.message).join("; "), false);
  replaceFile(folder.bundle, text);
  if (!isThere(folder.token))
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
  return { ok: true };
}

function unprepared(error: string, retryable: boolean): Outcome {
  return { ok: false, error, category: "environment", subcategory: "workspace", retryable };
}
