// The end of a run: its branch reaches the person's files, when that cannot hurt. A clean checkout that has not moved is
// fast-forwarded; any other is left alone, with the reason and the command to type. `land-files.ts` does the same for a
// target without git.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Hint, toCall } from "../../core/hint.ts";
import { isProblem } from "../../core/problem.ts";
import { type TreeChange, treeChanges } from "../git/changes.ts";
import { demandGit, demandLine, fields, type GitDirectory, orProblem, runGit } from "../git/git.ts";
import { isAncestor } from "../git/integrate.ts";
import { personsSettings } from "../git/persons-settings.ts";
import { type Repository, tipOf } from "../git/repository.ts";
import { sealed } from "../sealed.ts";
import { placeFiles } from "./land-files.ts";
import { lockIndex, makeIndex, swapIndex, unlockIndex } from "./land-index.ts";
import { isLocked, moveHead, said, takeBack, withStaging } from "./land-staging.ts";
import { finish } from "./place-files.ts";

export interface Landing {
  /** The branch that lands, such as `heddle/run-1`. */
  readonly branch: string;
  /** The commit that lands, where it is not the branch's own. */
  readonly tip?: string;
  readonly start: string;
  readonly target: string;
  readonly exclude: readonly string[];
  /** The project's own folder, where what is under way is noted for whoever comes after a kill. */
  readonly heddle?: string;
}

export type Landed =
  | {
      readonly landed: true;
      readonly files: number;
      /** Where something is kept that a person wrote to a file while it was replaced. */
      readonly aside?: string;
    }
  | { readonly landed: false; readonly reason: string; readonly hint: Hint };

export async function land(repo: Repository, o: Landing): Promise<Landed> {
  const answer = await orProblem(async () => {
    const tip = o.tip ?? (await tipOf(repo, o.branch));
    if (tip === null) return no(`the branch \`${o.branch}\` is not there`, { do: "show-status" });
    return repo.checkout === null
      ? landPrivate(repo, { ...o, tip })
      : landCheckout(repo, { ...o, tip, checkout: repo.checkout });
  });
  if (!isProblem(answer)) return answer;
  return no(answer.message, answer.hint ?? `git -C ${o.target} status`);
}

const no = (reason: string, hint: Hint): Landed => ({ landed: false, reason, hint });

interface Checkout extends Landing {
  readonly tip: string;
  readonly checkout: string;
}

async function landCheckout(repo: Repository, o: Checkout): Promise<Landed> {
  const settings = await personsSettings(repo.checkoutGitDir);
  const own = { gitDir: repo.checkoutGitDir, flags: [...repo.flags, ...settings.flags] };
  const { out } = await runGit(own, { args: ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"] });
  const head = out.toString("utf8").trim();
  const hint = `git -C ${o.checkout} merge ${o.branch}`;
  const moved = await movedAway(own, o, head);
  if (moved !== undefined && head !== "") return no(moved, [`${hint}, or: `, toCall("land --merge")]);
  if (moved !== undefined) return no(moved, hint);
  const elsewhere = unfinished(repo.checkoutGitDir);
  if (elsewhere !== undefined) return no(elsewhere, `git -C ${o.checkout} status`);
  const changes = await treeChanges(own, head === "" ? o.start : head, o.tip);
  const filtered = await filteredPath(own, o.tip, { changes, filters: settings.filters });
  const dirty = await unclean(own, o.checkout, changes);
  if (dirty !== undefined) return no(dirty, aroundYours(o.checkout));
  const reason =
    (settings.isSparse ? "the checkout is sparse" : undefined) ??
    (filtered && `\`${filtered}\` goes through a filter of your configuration`);
  if (reason !== undefined) return no(reason, hint);
  if (head === o.tip) return { landed: true, files: 0 };
  return withStaging(own.gitDir, o, (staging) => bring(own, { ...o, head, hint, staging, changes }));
}

/** What is not committed goes aside while it lands. */
const aroundYours = (checkout: string): Hint => [
  `git -C ${checkout} stash -u && `,
  toCall("land"),
  `; git -C ${checkout} stash pop`,
];

/** A file that git knows is stashed; one that it may be told to ignore is moved. */
function outOfTheWay(
  { checkout, changes }: Pick<Bring, "checkout" | "changes">,
  paths: readonly string[],
): Hint {
  const added = new Set(changes.filter(({ status }) => status === "added").map(({ path }) => path));
  const [first] = paths.filter((path) => added.has(path));
  if (first === undefined) return aroundYours(checkout);
  const file = quoted(join(checkout, first));
  return [`mv ${file} ${quoted(`${join(checkout, first)}.yours`)} && `, toCall("land")];
}

const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

interface Bring extends Checkout {
  readonly head: string;
  readonly hint: string;
  readonly staging: string;
  readonly changes: readonly TreeChange[];
}

/** The index is locked all along. Files, index and branch follow each other; when one cannot, all go back. */
async function bring(own: GitDirectory, o: Bring): Promise<Landed> {
  const { staging, head, tip, hint, changes } = o;
  if (!lockIndex(own.gitDir, staging)) return no(isLocked(join(own.gitDir, "index.lock")), hint);
  const move = { own, checkout: o.checkout, staging, head, tip };
  try {
    const objection = await makeIndex(move);
    if (objection !== undefined) return no(said(objection), hint);
    writeFileSync(join(staging, "move.json"), sealed({ head, tip, branch: o.branch }));
    const placed = await placeFiles({
      ...{ at: own, folder: o.checkout, tip, changes, staging, aside: asideFor(own.gitDir, o) },
    });
    if (placed.inTheWay.length > 0)
      return no(changedByPerson(placed.inTheWay, placed.aside), outOfTheWay(o, placed.inTheWay));
    await swapIndex(move);
    const failure = await moveHead(own, o);
    if (failure === undefined) return landed(changes.length, placed.plan && (await finish(placed.plan)));
    await takeBack(own.gitDir, { staging, plan: placed.plan });
    return no(failure, hint);
  } finally {
    unlockIndex(own.gitDir, staging);
  }
}

/** What the person wrote to a file that was just replaced is kept, and they are told where. */
const landed = (files: number, aside: string | null): Landed => ({
  ...{ landed: true, files },
  ...(aside !== null && { aside }),
});

async function landPrivate(repo: Repository, o: Landing & { tip: string }): Promise<Landed> {
  const excluded = o.exclude.map((path) => path.replace(/(?<!\/)\/+$/, ""));
  const changes = (await treeChanges(repo, o.start, o.tip)).filter(
    ({ path }) => !excluded.some((each) => path === each || path.startsWith(`${each}/`)),
  );
  const hint = `git --git-dir=${repo.gitDir} archive ${o.branch} | tar -x -C <another folder>`;
  return withStaging(repo.gitDir, o, async (staging) => {
    const aside = asideFor(repo.gitDir, o);
    const placed = await placeFiles({ at: repo, folder: o.target, tip: o.tip, changes, staging, aside });
    if (placed.inTheWay.length > 0) return no(changedByPerson(placed.inTheWay, placed.aside), hint);
    return landed(changes.length, placed.plan && (await finish(placed.plan)));
  });
}

const asideFor = (gitDir: string, { heddle }: Landing) =>
  heddle === undefined ? join(gitDir, "heddle-kept") : join(heddle, "taken-away", "landing");

function changedByPerson(paths: readonly string[], aside: string | null): string {
  const kept = aside === null ? "" : `; what you saved meanwhile is kept at \`${aside}\``;
  return `files were changed since the run began: ${some(paths)}${kept}`;
}

function some(paths: readonly string[]): string {
  const names = paths.slice(0, 5).map((path) => `\`${path}\``);
  return `${names.join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;
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

/** What the run changes itself is compared by digest, and a new file is in the way only where it has the same name. */
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
