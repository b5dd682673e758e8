// A person's code (L16): what is changed in the checkout, or an edited `code/diff.patch`. It is applied to the commit that it was
// made from, in a workspace like an agent's, and from there on judged like an agent's work.
import { join } from "node:path";
import type { Outcome } from "../../core/input.ts";
import { failure, hindered } from "../../core/outcome.ts";
import { isProblem, problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { makeFolder, remove, rename, replaceFile } from "../../host/files.ts";
import { demandGit, type GitResult, runGit } from "../../host/git/git.ts";
import { patchBetween } from "../../host/git/integrate.ts";
import { holdsCommit, type Repository } from "../../host/git/repository.ts";
import { makeWorkspace, removeWorkspace, snapshot } from "../../host/git/workspace.ts";
import { mostHandedIn, readBytes } from "../../host/handed-in.ts";
import { protectedPaths } from "../../orders/attempts.ts";
import { repositoryOf } from "../../orders/target-repository.ts";
import { keepOwnVersion } from "../documents/own-version.ts";
import type { Scene } from "../documents/roles.ts";
import { digestAt, fileOf } from "../documents/run-files.ts";

/** Writes `code/diff.patch` from what is changed in the person's checkout; the rules take it from there. */
export async function patchFromCheckout(app: App): Promise<readonly string[]> {
  const { run, declared } = await app.look((each) => ({
    run: { protocol: each.protocol, planningDir: each.planningDir, artifacts: { ...each.artifacts } },
    declared: each.id,
  }));
  const repository = await repositoryOf(app);
  const folder = repository.checkout ?? (await app.look((each) => each.targetDir));
  const { head: base } = repository;
  if (base === null)
    throw new Refused([
      problem("no-commit", "the checkout has no commit that its changes could be compared with", {
        hint: `git -C ${folder} commit --allow-empty -m Begin`,
      }),
    ]);
  const index = join(app.paths.heddle, "tmp", `checkout-${declared}-${process.pid}`);
  try {
    makeFolder(join(app.paths.heddle, "tmp"));
    await demandGit(repository, { args: ["read-tree", base], index });
    const own = protectedPaths(app, repository);
    const seen = await snapshot(repository, {
      folder,
      index,
      base,
      protect: [],
      declared: [],
      leaveOut: own,
    });
    if (isProblem(seen)) throw new Refused([seen]);
    if (seen.changes.length === 0)
      throw new Refused([
        problem("no-changes", `nothing is changed in ${folder}`, {
          hint: "write the code there first, without committing it",
        }),
      ]);
    const patch = await patchBetween(repository, base, seen.tree);
    const head = Buffer.from(`# base: ${base}\n# from: the changes in ${folder}\n\n`);
    keepOwnVersion(run, "diff");
    replaceFile(fileOf(run, "diff"), Buffer.concat([head, patch]));
    return seen.changes.map(({ path, status }) => `${path} (${status})`);
  } finally {
    remove(index);
  }
}

/** The commit that a patch was made from: as it says itself, or as heddle recorded it, or where the checkout is. */
function baseOfPatch(run: Run, patch: Buffer, { head }: Repository): string | null {
  const said = /^# base: ([0-9a-f]{40,64})$/m.exec(patch.subarray(0, 4096).toString("latin1"))?.[1];
  const recorded = run.artifacts.diff?.content.base;
  return said ?? (typeof recorded === "string" ? recorded : head);
}

/** Puts a person's patch into the attempt's workspace, and says so in place of an agent. */
export async function applyOwnPatch(app: App, scene: Scene): Promise<Outcome> {
  const { run, folder, attempt } = scene;
  const path = fileOf(run, "diff");
  const read = readBytes(path, { bytes: mostHandedIn + 1 }, {});
  if (typeof read === "string") return refusedPatch(scene, `it is ${read}`);
  if (read.size > mostHandedIn) return refusedPatch(scene, "it is too large");
  const patch = read.bytes;
  const repository = await repositoryOf(app);
  const base = baseOfPatch(run, patch, repository);
  if (base === null || !(await holdsCommit(repository, base)))
    return refusedPatch(scene, `the commit ${base ?? "HEAD"} that it was made from is not in the repository`);
  makeFolder(folder.folder);
  replaceFile(join(folder.folder, "base"), base);
  const place = { folder: attempt.work, index: attempt.index };
  const unmade = (await removeWorkspace(place)) ?? (await makeWorkspace(repository, { ...place, base }));
  if (unmade) return hindered(unmade);
  replaceFile(attempt.provided, "[]");
  const applied = await apply(repository, attempt.work, patch);
  if (applied.code !== 0)
    return refusedPatch(scene, `it does not apply to ${base.slice(0, 12)}: ${whyNot(applied)}`);
  makeFolder(folder.outbox);
  replaceFile(folder.output, JSON.stringify({ status: "done", summary: "a person's own code" }));
  return { ok: true };
}

/** Whoever edits a patch seldom counts its lines again, and git drops what is not counted; a signature at its end must not be. */
async function apply({ flags }: Repository, workTree: string, input: Buffer): Promise<GitResult> {
  const at = { gitDir: join(workTree, ".git"), flags };
  const args = ["apply", "--whitespace=nowarn"];
  const counted = await runGit(at, { args: [...args, "--recount"], workTree, input });
  return counted.code === 0 ? counted : runGit(at, { args, workTree, input });
}

function whyNot({ error }: GitResult): string {
  const lines = error.split("\n").filter((line) => line.startsWith("error: "));
  return (
    lines
      .slice(0, 3)
      .map((line) => line.slice("error: ".length))
      .join("; ") || "git apply failed"
  );
}

/** What cannot be taken lies beside the place that it had, and the next word is the person's. */
export function refusedPatch({ run }: Pick<Scene, "run">, why: string): Outcome {
  const path = fileOf(run, "diff");
  const digest = digestAt(path);
  const aside = `${path}.yours-${(digest ?? "").slice(0, 8)}`;
  if (digest !== null) rename(path, aside);
  const kept =
    digest === null
      ? ""
      : `; it is kept at ${aside}: correct it and copy it back to ${path}, or let the coder write the code`;
  return { ...failure("validation", `your patch was not taken: ${why}${kept}`), retryable: false };
}
