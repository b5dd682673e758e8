// The agent's files as a tree in the target's object store. Nothing of the agent's git directory is read, and what an
// agent must not hand in is refused: repositories inside, links that leave the tree, protected paths, huge files.
import { existsSync, readlinkSync } from "node:fs";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import { type Change, type TreeChange, treeChanges } from "./changes.ts";
import { orProblem } from "./git.ts";
import { readIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { takeFiles } from "./take-files.ts";
import { bytesOf, findWork, latin1Of, statIfThere, textOf } from "./work-files.ts";

export type { Change } from "./changes.ts";

/** The base's .gitignore files, beside heddle's index: an agent may change its own, and then both count. */
export const rulesBeside = (index: string) => `${index}.rules`;

const maxFileBytes = 50_000_000;

export interface Snapshot {
  readonly folder: string;
  readonly index: string;
  readonly base: string;
  /** Paths, relative to the repository's root, below which nothing may change. */
  readonly protect: readonly string[];
  /** Files that are taken even when they are ignored; relative to the repository's root. */
  readonly declared: readonly string[];
  /** Not looked at, such as what set-up put there; relative to the repository's root. */
  readonly leaveOut?: readonly string[];
  readonly maxFileBytes?: number;
}

export function snapshot(
  repo: Repository,
  o: Snapshot,
): Promise<{ tree: string; changes: Change[] } | Problem> {
  return orProblem(async () => {
    const rules = rulesBeside(o.index);
    const work = await findWork({
      ...{ at: repo, folder: o.folder, index: readIndex(o.index, repo.hashBytes) },
      skip: (o.leaveOut ?? []).map((path) => latin1Of(path.replace(/\/+$/, ""))),
      rules: existsSync(rules) ? rules : null,
      declared: o.declared.map(latin1Of),
      nested: "refused",
      maxFileBytes: o.maxFileBytes ?? maxFileBytes,
    });
    if (isProblem(work)) return work;
    const tree = await takeFiles(repo, { folder: o.folder, index: o.index, work });
    if (isProblem(tree)) return tree;
    const changes = await treeChanges(repo, o.base, tree);
    const wrong = changes.map((change) => refusal(change, o)).find((found) => found !== undefined);
    if (wrong) return wrong;
    return {
      tree,
      changes: changes.map(({ path, status, added, removed }) => ({ path, status, added, removed })),
    };
  });
}

function refusal(change: TreeChange, o: Snapshot): Problem | undefined {
  const { path, bytes, modes, status } = change;
  const no = (why: string, hint: string) => problem("scope", `\`${path}\` ${why}`, { hint });
  const holder = o.protect.find((held) => isUnder(path, held.replace(/\/+$/, "")));
  if (holder !== undefined)
    return no(`may not be changed: \`${holder}\` is protected`, `git checkout -- ${path}`);
  if (modes.includes("160000")) return no("is a submodule, which only a person changes", `rm -rf ${path}`);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === ".gitmodules")
    return no("decides about submodules, which only a person changes", `git checkout -- ${path}`);
  if (status === "deleted") return undefined;
  if (textOf(bytes) !== path || latin1Of(path) !== bytes)
    return no("has a name that is not UTF-8", "give the file another name");
  if (modes[1] !== "120000") return undefined;
  if (/^\.git|^\.mailmap$/.test(name)) return no("is a link, where git needs a file", `rm ${path}`);
  return leaves(o.folder, bytes) ? no("is a link that leads out of the workspace", `rm ${path}`) : undefined;
}

const isUnder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Follows a link the way the kernel does, but inside `folder` only; a step out of it, or too many, and it leaves. */
function leaves(folder: string, link: string): boolean {
  const root = latin1Of(folder);
  const at = link.split("/").slice(0, -1);
  const steps = link.split("/").slice(-1);
  let links = 0;
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if (step === "" || step === ".") continue;
    if (step === "..") {
      if (at.pop() === undefined) return true;
      continue;
    }
    at.push(step);
    if (at.length === 1 && step.toLowerCase() === ".git") return true;
    const path = `${root}/${at.join("/")}`;
    if (statIfThere(path)?.isSymbolicLink() !== true) continue;
    const target = readlinkSync(bytesOf(path), { encoding: "latin1" });
    if (target.startsWith("/") || ++links > 40) return true;
    at.pop();
    steps.unshift(...target.split("/"));
  }
  return false;
}
