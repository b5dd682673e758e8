// The project itself: heddle's folder and the journal in it. Repeatable, and nothing of any run is here.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { problem } from "../core/problem.ts";
import type { AppOptions } from "../engine/app.ts";
import { pathsIn, privateFolders } from "../engine/paths.ts";
import { makeFolder, makePrivateFolder } from "../host/files.ts";
import { excludeOwn } from "../host/git/exclude.ts";
import { enter } from "../host/underway.ts";

type Making = Pick<AppOptions, "root" | "journals" | "warn">;

/** The journal and the log folder. Repeatable: a crash half-way leaves nothing that stands in the way. */
export async function makeProject({ root, journals, warn }: Making, hasArtifacts = false): Promise<void> {
  const paths = pathsIn(root);
  const withArtifacts = hasArtifacts || existsSync(paths.meta);
  try {
    makeFolder(paths.heddle);
    makeFolder(join(paths.heddle, "logs"));
    for (const folder of privateFolders) makePrivateFolder(join(paths.heddle, folder));
    enter(paths.heddle);
    await journals.create(root);
    // `artifacts` is a name that people use, too: it is heddle's only where a mission is.
    leaveOut(
      root,
      [paths.heddle, paths.planning, paths.meta, ...(withArtifacts ? [paths.artifacts] : [])],
      warn,
    );
  } catch (error) {
    throw journals.unusable(root, error);
  }
}

/** What is heddle's own does not show in `git status`. Not being able to say so is no reason to stop. */
function leaveOut(root: string, own: readonly string[], warn: Making["warn"]): void {
  try {
    const fresh = excludeOwn(root, own);
    if (fresh.length > 0)
      warn?.(
        problem(
          "excluded",
          `added ${fresh.join(", ")} to .git/info/exclude: git ignores what is heddle's own`,
        ),
      );
  } catch {
    // A read-only repository, or one of a form that is not known here.
  }
}
