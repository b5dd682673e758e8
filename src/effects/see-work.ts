// What an agent did, as heddle sees it: the files of its workspace as a tree, held against what the task allows and what
// the agent claims. An agent's word changes nothing here; a difference is kept and shown.
import type { Outcome } from "../core/input.ts";
import type { Work } from "../core/parts.ts";
import type { Problem } from "../core/problem.ts";
import type { TaskDef } from "../core/run.ts";
import type { Change } from "../host/changes.ts";
import { readIfThere } from "../host/files.ts";
import { commitTree } from "../host/integrate.ts";
import { pin, type Repository } from "../host/repository.ts";
import { snapshot } from "../host/snapshot.ts";
import type { Result } from "../protocols/decomposition/artifacts/result.ts";
import type { AttemptFolder } from "./attempt-folder.ts";

/** What an attempt may change beside the files that its task declares: nothing, new files, or anything. */
export type Scope = "strict" | "new-files" | "any";

export interface Seeing {
  readonly repository: Repository;
  readonly run: string;
  /** What its commit is pinned by until it is merged. */
  readonly pinnedAs: string;
  readonly folder: AttemptFolder;
  readonly base: string;
  readonly def: TaskDef;
  readonly attempt: number;
  readonly scope: Scope;
  /** Whether it may find everything done already; the acceptance commands say whether that is so. */
  readonly mayBeIdle: boolean;
  /** Paths of heddle's own, never part of anybody's work. */
  readonly protect: readonly string[];
  readonly author: string;
  /** When the attempt began: the same work gives the same commit. */
  readonly at: string;
}

export async function seeWork(seeing: Seeing, result: Result): Promise<Work | Outcome> {
  const { repository, folder, base, def, protect } = seeing;
  const declared = def.files.map(({ path }) => repository.prefix + path);
  const seen = await snapshot(repository, {
    folder: folder.work,
    index: folder.index,
    base,
    protect,
    declared,
    leaveOut: JSON.parse(readIfThere(folder.provided) ?? "[]") as string[],
  });
  if ("code" in seen) return seen.code === "scope" ? refusedWork("scope", seen.message) : environmental(seen);
  const outside = strayed(seen.changes, new Set(declared), seeing.scope);
  if (outside.length > 0)
    return refusedWork("scope", `it changed what is not its own: ${outside.join(", ")}`);
  if (seen.changes.length === 0 && declared.length > 0 && !seeing.mayBeIdle)
    return refusedWork("validation", "it says that it is done, and no file changed");
  const { tree, changes } = seen;
  const commit = await commitTree(repository, {
    tree,
    parents: [base],
    message: `${def.id}, attempt ${seeing.attempt}: work in progress\n`,
    author: authorOf(seeing.author),
    at: seeing.at,
  });
  const unpinned = await pin(repository, { run: seeing.run, name: seeing.pinnedAs, commit });
  if (unpinned) return environmental(unpinned);
  const own = (path: string) => path.slice(repository.prefix.length);
  const created = changes.filter((each) => each.status === "added").map((each) => own(each.path));
  const modified = changes.filter((each) => each.status !== "added").map((each) => own(each.path));
  return { commit, tree, created, modified, differences: differences({ created, modified, def }, result) };
}

export const authorOf = (agent: string) => ({ name: `${agent} (heddle)`, email: "heddle@localhost" });

function strayed(changes: readonly Change[], declared: ReadonlySet<string>, scope: Scope): string[] {
  if (scope === "any") return [];
  const outside = changes.filter(({ path }) => !declared.has(path));
  const counted = scope === "strict" ? outside : outside.filter(({ status }) => status !== "added");
  return counted.map(({ path, status }) => `${path} (${status})`).slice(0, 10);
}

interface Seen {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly def: TaskDef;
}

function differences({ created, modified, def }: Seen, { files }: Result): string[] {
  const changed = new Set([...created, ...modified]);
  const claimed = [...(files?.created ?? []), ...(files?.modified ?? [])];
  const said = new Set(claimed);
  const declared = new Set(def.files.map(({ path }) => path));
  return [
    ...claimed.filter((path) => !changed.has(path)).map((path) => `says it changed ${path}, and did not`),
    ...(files ? [...changed] : [])
      .filter((path) => !said.has(path))
      .map((path) => `changed ${path} and did not say so`),
    ...created
      .filter((path) => !declared.has(path))
      .map((path) => `created ${path}, which the task does not declare`),
  ].slice(0, 20);
}

function environmental({ code, message }: Problem): Outcome {
  return { ok: false, error: message, category: "environment", subcategory: code, retryable: true };
}

function refusedWork(category: "scope" | "validation", error: string): Extract<Outcome, { ok: false }> {
  return { ok: false, error, category, subcategory: null, retryable: true };
}
