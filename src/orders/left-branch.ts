// Before a run's branch is made: whether one of that name is there which another project left.
import { join } from "node:path";
import { isProblem, problem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { putBranchAside } from "../host/git/left-branch.ts";
import type { Repository } from "../host/git/repository.ts";

/** That the branch of this name is ours is noted before it is made: one that is there without that note is another project's. */
export async function withoutLeftBranch(app: App, repository: Repository, run: string): Promise<void> {
  const note = join(app.paths.heddle, "branches", run);
  if (isThere(note)) return;
  const aside = await putBranchAside(repository, run);
  if (isProblem(aside)) throw new Refused([aside]);
  if (aside !== null)
    app.warn(
      problem(
        "put-aside",
        `an earlier project left the branch \`heddle/${run}\`; it is now called \`${aside}\``,
      ),
    );
  makeFolder(join(app.paths.heddle, "branches"));
  replaceFile(note, "");
}
