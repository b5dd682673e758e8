// One task from its workspace to the person's files, as a process that a test can kill at any moment and start again.
// Arguments: the target, a folder for what heddle keeps, and how many files the task changes.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProblem, type Problem } from "../../src/core/problem.ts";
import { clearGit } from "../../src/host/git/git-leftovers.ts";
import { commitTree, mergeOnto, moveBranch } from "../../src/host/git/integrate.ts";
import { openBranch, openRepository } from "../../src/host/git/repository.ts";
import { makeWorkspace, snapshot } from "../../src/host/git/workspace.ts";
import { land } from "../../src/host/land/land.ts";

const [target = "", kept = "", count = "0"] = process.argv.slice(2);
const good = <T>(answer: T | Problem): T => {
  if (isProblem(answer)) throw new Error(JSON.stringify(answer));
  return answer;
};

mkdirSync(kept, { recursive: true });
// As every command does first, when the heddle before it was killed (`keep/settle.ts`): a git that died with it leaves locks.
const gitDir = existsSync(join(target, ".git")) ? join(target, ".git") : join(kept, "repository");
await clearGit({ gitDir, checkoutGitDir: gitDir }, { pid: 0, since: 0 });
const repo = good(
  await openRepository({ target, privateDir: join(kept, "repository"), exclude: [".heddle"] }),
);
const { start, tip } = good(await openBranch(repo, "run"));
const branch = "heddle/run";
const attempt = { folder: join(kept, "workspace"), index: join(kept, "index"), base: start };
good(await makeWorkspace(repo, attempt));
for (let n = 0; n < Number(count); n++)
  writeFileSync(join(attempt.folder, `file-${n}.txt`), `by the task ${n}\n`);
const { tree } = good(await snapshot(repo, { ...attempt, protect: [], declared: [] }));
const author = { name: "heddle", email: "heddle@localhost" };
const task = { message: "T001: change", author, at: "2026-01-01T00:00:00Z" };
const theirs = await commitTree(repo, { ...task, tree, parents: [start] });
const merged = await mergeOnto(repo, { base: start, theirs, onto: start });
if (!merged.ok) throw new Error(merged.detail);
const to = await commitTree(repo, { ...task, tree: merged.tree, parents: [start] });
const moved = await moveBranch(repo, { branch, from: tip, to });
if (moved !== "moved" && moved !== "already") throw new Error(JSON.stringify(moved));
const landed = await land(repo, { branch, start, target, exclude: [".heddle"] });
if (!landed.landed) throw new Error(JSON.stringify(landed));
if (!existsSync(join(target, "file-0.txt"))) throw new Error("nothing landed");
console.log("done");
