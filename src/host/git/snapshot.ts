// The agent's files as a tree in the target's object store. Nothing of the agent's git directory is read, and what an
// agent must not hand in is refused: repositories inside, links that leave the tree, protected paths, huge files.
import { existsSync, readlinkSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { isTurnOver, nextTurn } from "../turns.ts";
import { type Change, type TreeChange, treeChanges } from "./changes.ts";
import { demandGit, demandLine, fields, GitFailed, orProblem } from "./git.ts";
import { readIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { namesOn, repositoryAmong } from "./repository-parts.ts";
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
): Promise<{ tree: string; changes: Change[]; leftOut: readonly string[] } | Problem> {
  return orProblem(async () => {
    const seen = await treeOf(repo, o).catch((error: unknown) => treeAnew(repo, o, error));
    if (isProblem(seen)) return seen;
    const { tree, leftOut } = seen;
    const changes = await treeChanges(repo, o.base, tree);
    for (const change of changes) {
      if (isTurnOver()) await nextTurn();
      const wrong = configured(repo, change) ?? refusal(change, o);
      if (wrong) return wrong;
    }
    const kept = changes.filter(({ status }) => status !== "deleted").map(({ bytes }) => bytes);
    const repository = await repositoryAmong(kept, namesOn(o.folder));
    if (repository !== undefined) return madeRepository(repository);
    const elsewhere = await storedElsewhere(repo, o, changes);
    if (elsewhere) return elsewhere;
    return {
      tree,
      leftOut,
      changes: changes.map(({ path, status, added, removed }) => ({ path, status, added, removed })),
    };
  });
}

interface Seen {
  readonly tree: string;
  readonly leftOut: readonly string[];
}

async function treeOf(repo: Repository, o: Snapshot): Promise<Seen | Problem> {
  const rules = rulesBeside(o.index);
  const work = await findWork({
    ...{ at: repo, folder: o.folder, index: await readIndex(o.index, repo.hashBytes) },
    skip: (o.leaveOut ?? []).map((path) => latin1Of(path.replace(/(?<!\/)\/+$/, ""))),
    rules: existsSync(rules) ? rules : null,
    declared: o.declared.map(latin1Of),
    nested: "refused",
    maxFileBytes: o.maxFileBytes ?? maxFileBytes,
  });
  if (isProblem(work)) return work;
  const tree = await takeFiles(repo, { folder: o.folder, index: o.index, work });
  return isProblem(tree) ? tree : { tree, leftOut: work.leftOut.map(textOf) };
}

/** The largest that a pointer of Git LFS is. */
const pointerBytes = 1024;

/** Files that Git LFS keeps: a pointer may be handed in, the file itself would bypass it. */
async function storedElsewhere(
  repo: Repository,
  { index }: Snapshot,
  changes: readonly TreeChange[],
): Promise<Problem | undefined> {
  const there = changes.filter(({ status }) => status !== "deleted");
  const { entries } = await readIndex(index, repo.hashBytes);
  const added = new Set(changes.filter(({ status }) => status === "added").map(({ bytes }) => bytes));
  // Rules that the agent itself added do not count.
  const hasRules = [...entries.keys()].some(
    (path) => /(?:^|\/)\.gitattributes$/.test(path) && !added.has(path),
  );
  if (there.length === 0 || !hasRules) return undefined;
  const args = ["check-attr", "-z", "--cached", "--stdin", "filter"];
  const input = bytesOf(there.map(({ bytes }) => `${bytes}\0`).join(""));
  const answers = fields(await demandGit(repo, { args, index, input }), "latin1");
  const stored = new Set(answers.filter((_, at) => at % 3 === 0 && answers[at + 2] === "lfs"));
  for (const { path, bytes, objects } of there) {
    if (!stored.has(bytes)) continue;
    const size = Number(await demandLine(repo, { args: ["cat-file", "-s", objects[1]] }));
    const blob =
      size > pointerBytes ? "" : await demandLine(repo, { args: ["cat-file", "blob", objects[1]] });
    if (!blob.startsWith("version https://git-lfs"))
      return problem("scope", `\`${path}\` is kept by Git LFS, and heddle does not store files there`, {
        hint: `git checkout -- ${path}, and commit that file by hand`,
      });
  }
  return undefined;
}

/** The index names objects that went elsewhere, while another repository stood in this one's place: it begins anew. */
async function treeAnew(repo: Repository, o: Snapshot, error: unknown): Promise<Seen | Problem> {
  if (!(error instanceof GitFailed) || !error.message.includes("invalid object")) throw error;
  await demandGit(repo, { args: ["read-tree", o.base], index: o.index });
  return treeOf(repo, o);
}

/** `HEAD`, `objects` and `refs` are enough for git to obey the `config` beside them. */
const madeRepository = (folder: string) =>
  problem(
    "scope",
    `\`${folder || "."}\` is, or would become, a git repository, which only a person changes`,
    {
      hint: `mv ${folder ? `${folder}/` : ""}HEAD elsewhere`,
    },
  );

function configured({ included }: Repository, { path }: TreeChange): Problem | undefined {
  const file = included.find((each) => isUnder(path, each) || isUnder(each, path));
  if (file === undefined) return undefined;
  return problem("scope", `\`${file}\` is part of the repository's git configuration`, {
    hint: `git checkout -- ${file}`,
  });
}

function refusal(change: TreeChange, o: Snapshot): Problem | undefined {
  const { path, bytes, modes, status } = change;
  const no = (why: string, hint: string) => problem("scope", `\`${path}\` ${why}`, { hint });
  const holder = o.protect.find((held) => isUnder(path, held.replace(/(?<!\/)\/+$/, "")));
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

/**
 * Takes the links that lead out of a checkout out of it: of their own, through others, or to where its `.git` would be.
 * For copies in which heddle moves files about; the tree itself stays as it is.
 */
export async function cutLinks(repo: Repository, o: { folder: string; index: string }): Promise<void> {
  const out = await demandGit(repo, { args: ["ls-files", "--stage", "-z"], index: o.index });
  const isLink = Buffer.from("120000 ");
  for (let at = out.indexOf(isLink); at >= 0; at = out.indexOf(isLink, at + 1)) {
    if (at > 0 && out[at - 1] !== 0) continue;
    const path = out.toString("latin1", out.indexOf("\t", at) + 1, out.indexOf(0, at));
    if (leaves(o.folder, path)) await unlink(bytesOf(`${latin1Of(o.folder)}/${path}`)).catch(() => {});
  }
}

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
