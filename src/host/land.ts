// The end of a run: its branch reaches the person's files, when that cannot hurt. A clean checkout that has not moved is
// fast-forwarded; any other is left alone, with the reason and the command to type. `land-files.ts` does the same for a
// target without git.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import { type TreeChange, treeChanges } from "./changes.ts";
import {
  demandGit,
  demandLine,
  fields,
  type GitDirectory,
  gitEnvironment,
  orProblem,
  runGit,
  runProcess,
} from "./git.ts";
import { isAncestor } from "./integrate.ts";
import { placeFiles } from "./land-files.ts";
import { type Repository, tipOf } from "./repository.ts";

export interface Landing {
  /** The branch that lands, such as `heddle/run-1`. */
  readonly branch: string;
  readonly start: string;
  readonly target: string;
  readonly exclude: readonly string[];
}

export type Landed =
  | { readonly landed: true; readonly files: number }
  | { readonly landed: false; readonly reason: string; readonly hint: string };

export async function land(repo: Repository, o: Landing): Promise<Landed> {
  const answer = await orProblem(async () => {
    const tip = await tipOf(repo, o.branch);
    if (tip === null) return no(`the branch \`${o.branch}\` is not there`, "heddle status");
    return repo.checkout === null
      ? landPrivate(repo, { ...o, tip })
      : landCheckout(repo, { ...o, tip, checkout: repo.checkout });
  });
  if (!isProblem(answer)) return answer;
  return no(answer.message, answer.hint ?? `git -C ${o.target} status`);
}

const no = (reason: string, hint: string): Landed => ({ landed: false, reason, hint });

interface Checkout extends Landing {
  readonly tip: string;
  readonly checkout: string;
}

async function landCheckout(repo: Repository, o: Checkout): Promise<Landed> {
  const settings = await personsSettings(o.checkout);
  const own = { gitDir: repo.checkoutGitDir, flags: [...repo.flags, ...settings.flags] };
  const { out } = await runGit(own, { args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"] });
  const head = out.toString("utf8").trim();
  const hint = `git -C ${o.checkout} merge ${o.branch}`;
  const elsewhere = (await movedAway(own, o, head)) ?? unfinished(repo.checkoutGitDir);
  if (elsewhere !== undefined) return no(elsewhere, hint);
  const changes = await treeChanges(own, head === "" ? o.start : head, o.tip);
  const filtered = await filteredPath(own, o.tip, { changes, filters: settings.filters });
  const reason =
    (await unclean(own, o.checkout, changes)) ??
    (settings.isSparse ? "the checkout is sparse" : undefined) ??
    (filtered && `\`${filtered}\` goes through a filter of your configuration`);
  if (reason !== undefined) return no(reason, hint);
  if (head === o.tip) return { landed: true, files: 0 };
  const trial = await moveIndex(own, o, { head, dryRun: true });
  if (trial !== undefined) return no(trial, hint);
  const staging = join(own.gitDir, "heddle-landing");
  const inTheWay = await placeFiles({ at: own, folder: o.checkout, tip: o.tip, changes, staging });
  if (inTheWay.length > 0) return no(changedByPerson(inTheWay), hint);
  return forward(own, o, { head, files: changes.length, hint });
}

/** The files are there. The index follows, then the branch: a second call goes on wherever the first one ended. */
async function forward(
  own: GitDirectory,
  o: Checkout,
  { head, files, hint }: { head: string; files: number; hint: string },
): Promise<Landed> {
  const failure = await moveIndex(own, o, { head, dryRun: false });
  if (failure !== undefined) return no(failure, hint);
  const before = head === "" ? "0".repeat(o.tip.length) : head;
  const args = ["update-ref", "-m", `heddle land ${o.branch}`, "HEAD", o.tip, before];
  const moved = await runGit(own, { args });
  return moved.code === 0 ? { landed: true, files } : no(said(moved.error), hint);
}

async function moveIndex(
  own: GitDirectory,
  o: Checkout,
  { head, dryRun }: { head: string; dryRun: boolean },
): Promise<string | undefined> {
  const call = { workTree: o.checkout, index: join(own.gitDir, "index") };
  const trees = head === "" ? [o.tip] : [head, o.tip];
  const args = ["read-tree", ...(dryRun ? ["--dry-run"] : []), "-i", "-m", ...trees];
  const read = await runGit(own, { ...call, args });
  if (read.code !== 0) return said(read.error);
  if (!dryRun) await runGit(own, { ...call, args: ["update-index", "-q", "--refresh"] });
  return undefined;
}

async function landPrivate(repo: Repository, o: Landing & { tip: string }): Promise<Landed> {
  const excluded = o.exclude.map((path) => path.replace(/\/+$/, ""));
  const changes = (await treeChanges(repo, o.start, o.tip)).filter(
    ({ path }) => !excluded.some((each) => path === each || path.startsWith(`${each}/`)),
  );
  const staging = join(repo.gitDir, "heddle-landing");
  const inTheWay = await placeFiles({ at: repo, folder: o.target, tip: o.tip, changes, staging });
  if (inTheWay.length === 0) return { landed: true, files: changes.length };
  const hint = `git --git-dir=${repo.gitDir} archive ${o.branch} | tar -x -C <another folder>`;
  return no(changedByPerson(inTheWay), hint);
}

function changedByPerson(changes: readonly TreeChange[]): string {
  return `files were changed since the run began: ${some(changes.map(({ path }) => path))}`;
}

function some(paths: readonly string[]): string {
  const names = paths.slice(0, 5).map((path) => `\`${path}\``);
  return `${names.join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;
}

function said(error: string): string {
  const lock = /Unable to create '(.*\.lock)'/.exec(error)?.[1];
  if (lock) return `\`${lock}\` is there: another git is at work, or one died`;
  return (error.split("\n")[0] ?? "").replace(/^(fatal|error): /, "");
}

async function movedAway(own: GitDirectory, o: Checkout, head: string): Promise<string | undefined> {
  if (head === "") {
    const [, parent] = (await demandLine(own, { args: ["rev-list", "--parents", "-1", o.start] })).split(" ");
    return parent === undefined ? undefined : "the checkout has no commit any more";
  }
  const between = (await isAncestor(own, o.start, head)) && (await isAncestor(own, head, o.tip));
  return between ? undefined : "the checkout has moved since the run began";
}

const operations = {
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  BISECT_LOG: "a bisection",
};

function unfinished(gitDir: string): string | undefined {
  if (existsSync(join(gitDir, "index.lock"))) return `\`${join(gitDir, "index.lock")}\` is there`;
  const found = Object.entries(operations).find(([name]) => existsSync(join(gitDir, name)));
  return found && `${found[1]} is under way in the checkout`;
}

/** What the run changes itself is compared by digest, and a new file is in nobody's way unless it has the same name. */
async function unclean(
  own: GitDirectory,
  checkout: string,
  changes: readonly TreeChange[],
): Promise<string | undefined> {
  const args = [
    ...["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no"],
    "--ignore-submodules=all",
  ];
  const expected = new Set(changes.map(({ path }) => path));
  const dirty = fields(await demandGit(own, { args, workTree: checkout }))
    .map((entry) => entry.slice(3))
    .filter((path) => !expected.has(path));
  return dirty.length === 0 ? undefined : `the checkout has changes that are not committed: ${some(dirty)}`;
}

interface PersonsSettings {
  readonly flags: readonly string[];
  readonly isSparse: boolean;
  readonly filters: ReadonlySet<string>;
}

/** How the person wants files written to their own checkout: line ends count, programs do not. */
async function personsSettings(checkout: string): Promise<PersonsSettings> {
  const args = ["config", "--null", "--get-regexp", "^core\\.(autocrlf|eol|sparsecheckout)$|^filter\\..*\\."];
  const { GIT_CONFIG_GLOBAL: _, GIT_CONFIG_NOSYSTEM: __, ...env } = gitEnvironment({ args });
  const { out } = await runProcess(args, { cwd: checkout, env: { ...env, HOME: process.env.HOME ?? "/" } });
  const found = fields(out).map((field) => field.split("\n", 2) as [string, string]);
  return {
    flags: found
      .filter(([name]) => name === "core.autocrlf" || name === "core.eol")
      .flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    filters: new Set(found.flatMap(([name]) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? [])),
    isSparse: found.some(([name, value]) => name === "core.sparsecheckout" && value === "true"),
  };
}

/** A file that should pass through a program on its way to the checkout, as those of LFS do. */
async function filteredPath(
  own: GitDirectory,
  tip: string,
  { changes, filters }: { changes: readonly TreeChange[]; filters: ReadonlySet<string> },
): Promise<string | undefined> {
  if (filters.size === 0) return undefined;
  const index = join(own.gitDir, `heddle-land-${process.pid}`);
  try {
    await demandGit(own, { args: ["read-tree", tip], index });
    const args = ["check-attr", "-z", "--cached", "--stdin", "filter"];
    const input = changes.map(({ path }) => `${path}\0`).join("");
    const answers = fields(await demandGit(own, { args, index, input }));
    for (let at = 0; at + 2 < answers.length; at += 3)
      if (filters.has(answers[at + 2] ?? "")) return answers[at];
    return undefined;
  } finally {
    rmSync(index, { force: true });
  }
}
