// Where one attempt of a role happens: `.heddle/attempts/<run>/<role>-<n>/`, with everything that it was given, wrote
// and printed. Nothing of it is shared with another attempt, so what lies in its outbox is fresh (D17).
import { join } from "node:path";
import type { Job } from "../core/parts.ts";
import { type Makes, outputKinds } from "../planning/check-output.ts";

export interface RoleFolder {
  readonly folder: string;
  readonly bundle: string;
  readonly work: string;
  readonly home: string;
  readonly outbox: string;
  /** Where the output belongs: a file, or a folder. */
  readonly output: string;
  readonly ended: string;
  /** What heddle found wrong with its output, once it did. */
  readonly refused: string;
  /** The refused output of the attempt before, to be mended. */
  readonly previous: string;
  readonly token: string;
}

export function roleFolder(
  heddleDir: string,
  run: string,
  { role, attempt, makes }: Pick<Job, "role" | "attempt" | "makes">,
): RoleFolder {
  return folderAt(join(heddleDir, "attempts", run, `${role}-${attempt}`), makes as Makes);
}

/** The fixer works beside the attempt whose output it mends. */
export function fixerFolder(attempt: RoleFolder): RoleFolder {
  return {
    ...folderAt(join(attempt.folder, "fixer"), "capability_map"),
    output: join(attempt.folder, "fixer/out/fixed.json"),
  };
}

function folderAt(folder: string, makes: Makes): RoleFolder {
  const outbox = join(folder, "out");
  return {
    folder,
    bundle: join(folder, "bundle.json"),
    work: join(folder, "work"),
    home: join(folder, "home"),
    outbox,
    output: join(outbox, outputKinds[makes] === "folder" ? "tasks" : `${makes.replaceAll("_", "-")}.json`),
    ended: join(folder, "ended.json"),
    refused: join(folder, "refused.json"),
    previous: join(folder, "previous"),
    token: join(folder, "token"),
  };
}
