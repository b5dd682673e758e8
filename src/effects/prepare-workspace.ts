// Effect `prepare-workspace`: a private repository at the attempt's base, with what set-up made, its bundle, its token.
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { isProblem, type Problem } from "../core/problem.ts";
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
  if (unmade) return unprepared(unmade, true);
  makeFolder(target);
  const provided = await provide(setUp, target, signal);
  if (isProblem(provided)) return unprepared(provided, true);
  replaceFile(folder.provided, JSON.stringify(provided.map((path) => repository.prefix + path)));
  const text = await bundle(target);
  if (typeof text !== "string") {
    const [first] = text;
    if (first) return unprepared({ ...first, message: text.map((each) => each.message).join("; ") }, false);
    throw new Error("bug: no bundle, and no reason");
  }
  replaceFile(folder.bundle, text);
  if (!isThere(folder.token))
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
  return { ok: true };
}

function unprepared({ code, message }: Problem, retryable: boolean): Outcome {
  return { ok: false, error: message, category: "environment", subcategory: code, retryable };
}
