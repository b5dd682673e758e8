// What an agent did, as heddle sees it: the files of its workspace as a tree, held against what the task allows and what
// the agent claims. An agent's word changes nothing here; a difference is kept and shown.

import type { Outcome } from "../core/input.ts";
import { ownList } from "../core/json.ts";
import { failure, hindered } from "../core/outcome.ts";
import type { TaskDef } from "../core/run.ts";
import type { Work } from "../core/run-parts.ts";
import type { Change } from "../host/git/changes.ts";
import { commitTree } from "../host/git/integrate.ts";
import { pin, type Repository } from "../host/git/repository.ts";
import { snapshot } from "../host/git/snapshot.ts";
import { readRecord } from "../host/handed-in.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import { judgedBy } from "./evidence/judged-by.ts";
import type { Result } from "./result.ts";

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
  /** What tasks may change about how they are judged, beside what they declare (`judged-by.ts`). */
  readonly judging: readonly string[];
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
    leaveOut: ownList<string>(folder.provided, readRecord(folder.provided)) ?? [],
  });
  if ("code" in seen) return seen.code === "scope" ? failure("scope", seen.message) : hindered(seen);
  const outside = strayed(seen.changes, new Set(declared), seeing.scope);
  if (outside.length > 0) return failure("scope", `it changed what is not its own: ${outside.join(", ")}`);
  const many = undeclared(seen.changes, new Set(declared), seeing.scope);
  if (many) return many;
  const { tree, changes, leftOut } = seen;
  if (changes.length === 0 && !seeing.mayBeIdle)
    return failure(
      "validation",
      ["the agent says that it is done, but no file changed", ...leftOutLine(leftOut)].join("; "),
    );
  const { refused, named } = await judgedBy({
    repository,
    base,
    tree,
    changes,
    def,
    allowed: seeing.judging,
  });
  if (refused.length > 0) return judging(refused);
  const commit = await commitTree(repository, {
    tree,
    parents: [base],
    message: `${def.id}, attempt ${seeing.attempt}: work in progress\n`,
    author: authorOf(seeing.author),
    at: seeing.at,
  });
  const unpinned = await pin(repository, { run: seeing.run, name: seeing.pinnedAs, commit });
  if (unpinned) return hindered(unpinned);
  const own = (path: string) => path.slice(repository.prefix.length);
  const created = changes.filter((each) => each.status === "added").map((each) => own(each.path));
  const modified = changes.filter((each) => each.status !== "added").map((each) => own(each.path));
  return {
    ...{ commit, tree, created, modified },
    differences: [...differences({ created, modified, def }, result), ...leftOutLine(leftOut)],
    ...(named.length > 0 && { judging: named }),
  };
}

export const authorOf = (agent: string) => ({ name: `${agent} (heddle)`, email: "heddle@localhost" });

function strayed(changes: readonly Change[], declared: ReadonlySet<string>, scope: Scope): string[] {
  if (scope === "any") return [];
  const outside = changes.filter(({ path }) => !declared.has(path));
  const counted = scope === "strict" ? outside : outside.filter(({ status }) => status !== "added");
  return counted.map(({ path, status }) => `${path} (${status})`).slice(0, 10);
}

const mostUndeclared = 20;

/** Where a task says what it writes, a heap of other new files is a mistake: generated, unpacked, copied. */
function undeclared(
  changes: readonly Change[],
  declared: ReadonlySet<string>,
  scope: Scope,
): Outcome | undefined {
  const extra = changes.filter(({ path, status }) => status === "added" && !declared.has(path));
  if (scope === "any" || declared.size === 0 || extra.length <= mostUndeclared) return undefined;
  const named = extra.map(({ path }) => path).slice(0, 30);
  const more = extra.length > named.length ? ` and ${extra.length - named.length} more` : "";
  return failure(
    "scope",
    `it created ${extra.length} files that its task does not declare: ${named.join(", ")}${more}; delete what was generated, or ask for the files to be declared`,
  );
}

function leftOutLine(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : "";
  return [
    `left out, unless the task declares it: ${paths.slice(0, 10).join(", ")}${more} (these can be lines of .gitignore)`,
  ];
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
      .filter((path) => declared.size > 0 && !declared.has(path))
      .map((path) => `created ${path}, which the task does not declare`),
  ].slice(0, 20);
}

function judging(files: readonly string[]): Outcome {
  const error = `it changed how it is judged, in files that its task does not declare: ${files.slice(0, 10).join(", ")}; undo these changes, or ask for the files to be declared`;
  return failure("scope", error, "judging");
}
