// Where one attempt of a role happens: `.heddle/attempts/<run>/<role>-<n>/`, with everything that it was given, wrote
// and printed. Nothing of it is shared with another attempt, so what lies in its outbox is fresh (D17).
import { join } from "node:path";
import type { Job } from "../core/run-parts.ts";
import { kindOf } from "./product.ts";

export interface RoleFolder {
  readonly folder: string;
  readonly bundle: string;
  readonly work: string;
  readonly home: string;
  readonly outbox: string;
  /** Where the output belongs: a file, or a folder. */
  readonly output: string;
  /** heddle's own copy of it, and what documents looked like before they were repaired (`take-output.ts`). */
  readonly taken: string;
  readonly raw: string;
  /** There while its agent is at work, and after it was stopped: found later, that agent ended with whoever had asked it. */
  readonly started: string;
  readonly ended: string;
  /** What heddle found wrong with its output, once it did. */
  readonly refused: string;
  /** The refused output of the attempt before, to be fixed. */
  readonly previous: string;
  readonly token: string;
}

export function roleFolder(
  heddleDir: string,
  run: string,
  { role, attempt, makes }: Pick<Job, "role" | "attempt" | "makes">,
): RoleFolder {
  return folderAt(join(heddleDir, "attempts", run, `${role}-${attempt}`), makes);
}

/** The fixer works beside the attempt whose output it fixes. */
export function fixerFolder(attempt: RoleFolder): RoleFolder {
  return {
    ...folderAt(join(attempt.folder, "fixer"), "capability_map"),
    output: join(attempt.folder, "fixer/out/fixed.json"),
    taken: join(attempt.folder, "fixer/taken/fixed.json"),
    raw: attempt.raw,
  };
}

function folderAt(folder: string, makes: string): RoleFolder {
  const outbox = join(folder, "out");
  const name = kindOf(makes) === "folder" ? "tasks" : `${makes.replaceAll("_", "-")}.json`;
  return {
    folder,
    bundle: join(folder, "bundle.json"),
    work: join(folder, "work"),
    home: join(folder, "home"),
    outbox,
    output: join(outbox, name),
    taken: join(folder, "taken", name),
    raw: join(folder, "raw"),
    started: join(folder, "started.json"),
    ended: join(folder, "ended.json"),
    refused: join(folder, "refused.json"),
    previous: join(folder, "previous"),
    token: join(folder, "token"),
  };
}
