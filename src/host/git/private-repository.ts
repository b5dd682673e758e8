// A bare repository of heddle's own for a target without git: what the target holds is imported as a commit each time a
// run is opened, so that isolation, merging and undoing work as everywhere else. The target itself gets no `.git`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isProblem, type Problem } from "../../core/problem.ts";
import { openBare } from "./bare-repository.ts";
import { demandGit, demandLine, type GitDirectory, identity, runGit } from "./git.ts";
import { readIndex } from "./index-file.ts";
import type { FoundRepository } from "./repository.ts";
import { takeFiles } from "./take-files.ts";
import { findWork, latin1Of } from "./work-files.ts";

const hashBytes = 20;

interface Origin {
  readonly target: string;
  readonly privateDir: string;
  readonly exclude: readonly string[];
}

export async function openPrivate(origin: Origin): Promise<FoundRepository | Problem> {
  const gitDir = origin.privateDir;
  await openBare(gitDir, ["--initial-branch=main"]);
  const at = { gitDir, flags: [] };
  const head = await importFiles(at, origin);
  if (isProblem(head)) return head;
  const objects = join(gitDir, "objects");
  return {
    ...{ ...at, objects, hashBytes, prefix: "", checkout: null, checkoutGitDir: gitDir },
    ...{ head, branch: "main", isPrivate: true, included: [] },
  };
}

async function importFiles(at: GitDirectory, o: Origin): Promise<string | Problem> {
  const index = join(at.gitDir, "heddle-index");
  const known = existsSync(index) ? await readIndex(index, hashBytes) : { entries: new Map(), written: 0n };
  const work = await findWork({
    ...{ at, folder: o.target, index: known, rules: o.target, declared: [], nested: "plain" as const },
    skip: o.exclude.map((path) => latin1Of(path.replace(/(?<!\/)\/+$/, ""))),
    maxFileBytes: Number.POSITIVE_INFINITY,
  });
  if (isProblem(work)) return work;
  const tree = await takeFiles(at, { folder: o.target, index, work });
  if (isProblem(tree)) return tree;
  const [head = "", headTree] = (await runGit(at, { args: ["log", "-1", "--format=%H %T", "main"] })).out
    .toString()
    .trim()
    .split(" ");
  if (headTree === tree) return head;
  const now = new Date().toISOString();
  const commit = await demandLine(at, {
    args: ["commit-tree", tree, ...(head === "" ? [] : ["-p", head])],
    input: "The target's files\n",
    environment: identity({ name: "heddle", email: "heddle@localhost" }, now),
  });
  await demandGit(at, { args: ["update-ref", "refs/heads/main", commit, head || "0".repeat(40)] });
  return commit;
}
