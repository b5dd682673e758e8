// The room of what serves a host's own loop: claims, checkpoints, `commit-task`, rollback. It writes the journal through the
// engine, and the files and commits of one task under the journal's lease; it starts no agent.
//
// `commit-task`: one commit with exactly the files that a complete task named. Commits take turns by the
// journal's lease, so parallel ones neither fail on git's own lock nor pick up each other's files (defect 15). It bears the
// person's name; of the rest of their configuration no program runs, for agents may have written the files.
import { join } from "node:path";
import { find } from "../core/answer.ts";
import { toCall } from "../core/hint.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import type { Task } from "../core/run.ts";
import { type App, Refused } from "../engine/app.ts";
import { isThere, isThereItself } from "../host/files.ts";
import { findRepository } from "../host/git/find-repository.ts";
import { type GitDirectory, type GitResult, runGitNow } from "../host/git/git.ts";
import { filteredAmong, personsIdentity, personsSettings } from "../host/git/persons-settings.ts";
import { openPublic } from "../host/git/repository.ts";
import { note } from "../host/notes.ts";
import { isUnclean } from "../host/underway.ts";

export async function commit(app: App, id: string): Promise<string | null> {
  const { task, targetDir } = await app.look((run) => {
    const found = find(run, id);
    if (isProblem(found)) throw new Refused([found]);
    return { task: structuredClone(found), targetDir: run.targetDir };
  });
  const refusal = refused(task);
  if (refusal) throw new Refused([refusal]);
  const files = [...new Set([...task.created, ...task.modified])];
  const desk = await openDesk(targetDir);
  const sha = await withGitNoted(app, desk, () =>
    app.journal.lease(async () => commitFiles(desk, files, `${id}: ${task.def.name}`)),
  );
  if (sha === null || (await isRecorded(app, sha))) return null;
  await app.submit({ kind: "record-commit", task: id, files, commit: sha });
  return sha;
}

async function isRecorded(app: App, sha: string): Promise<boolean> {
  const made = await app.history({ kinds: ["task-committed"] });
  return made.some(({ fact }) => fact.kind === "task-committed" && fact.commit === sha);
}

/** The locks that a killed git leaves in the person's repository are ours to take away: here it writes their index. */
async function withGitNoted<T>({ paths }: App, { at, common }: Desk, work: () => Promise<T>): Promise<T> {
  const folders = { gitDir: common, checkoutGitDir: at.gitDir, writesIndex: true };
  const release = note(paths.heddle, "git", folders);
  try {
    return await work();
  } finally {
    if (!isUnclean()) release();
  }
}

function refused(task: Task): Problem | undefined {
  const { id } = task.def;
  if (task.state !== "complete")
    return problem("wrong-status", `task \`${id}\` is ${task.state}: only a complete one is committed`, {
      hint: toCall(`why ${id}`),
    });
  if (task.created.length + task.modified.length === 0)
    return problem("no-files", `task \`${id}\` named no files when it was completed`, {
      hint: toCall(`state complete-task ${id} --created <files> --modified <files>`),
    });
  return undefined;
}

/** The person's checkout, and the name in which is committed there. */
interface Desk {
  readonly target: string;
  readonly at: GitDirectory;
  /** The common directory, also when the checkout is a linked work tree. */
  readonly common: string;
  readonly root: string;
  readonly prefix: string;
  readonly filters: ReadonlySet<string>;
  readonly environment: Readonly<Record<string, string>>;
}

async function openDesk(target: string): Promise<Desk> {
  const place = isThere(target) ? await findRepository(target) : null;
  if (place === null)
    throw new Refused([
      problem("no-git", `the target is not a git repository: ${target}`, { hint: `git init ${target}` }),
    ]);
  if (isProblem(place)) throw new Refused([place]);
  const { checkoutGitDir: gitDir, flags } = await openPublic(place);
  const settings = await personsSettings(gitDir);
  const who = await personsIdentity(gitDir);
  if ("error" in who) throw new Refused([failed({ error: who.error, out: Buffer.alloc(0) }, target)]);
  const at = { gitDir, flags: [...flags, ...settings.flags] };
  const { root, prefix } = place;
  return {
    target,
    at,
    common: place.gitDir,
    root,
    prefix,
    filters: settings.filters,
    environment: who.environment,
  };
}

/** A path is that file and no pattern. */
const ask = ({ at, root, environment }: Desk, ...args: readonly string[]) =>
  runGitNow(at, { args, workTree: root, environment });

function commitFiles(desk: Desk, files: readonly string[], message: string): string | null {
  const paths = files.map((file) => desk.prefix + file);
  const filtered = filteredAmong(desk.at, { paths, filters: desk.filters, workTree: desk.root });
  if (filtered !== undefined) throw new Refused([throughFilter(desk, filtered)]);
  const known = paths.filter((path) => isKnown(desk, path));
  if (known.length === 0) return null;
  const same = ask(desk, "diff", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD", "--", ...known);
  if (same.code === 0) return madeBefore(desk, known, message);
  const done = ask(desk, "commit", "--quiet", "--only", "--message", message, "--", ...known);
  if (done.code !== 0 && /nothing (added )?to commit/.test(done.out.toString() + done.error)) return null;
  if (done.code !== 0) throw new Refused([failed(done, desk.target)]);
  return ask(desk, "rev-parse", "HEAD").out.toString().trim();
}

/** Whoever was killed after the commit may not have come to the index: it follows, for these files alone. */
function madeBefore(desk: Desk, paths: readonly string[], message: string): string | null {
  const last = ask(desk, "log", "-1", "--format=%H%n%s").out.toString().trimEnd();
  const [sha = "", subject] = last.split("\n");
  if (subject !== message.split("\n")[0]) return null;
  const words = ["diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "HEAD"];
  const named = ask(desk, ...words)
    .out.toString()
    .split("\0");
  if (!paths.every((path) => named.includes(path))) return null;
  if (ask(desk, "diff", "--cached", "--quiet", "HEAD", "--", ...paths).code !== 0)
    ask(desk, "add", "--all", "--", ...paths);
  return sha;
}

/** Makes a new file known to git. One that the task deleted is still in the index, or in the last commit. */
function isKnown(desk: Desk, path: string): boolean {
  if (isThereItself(join(desk.root, path))) {
    const added = ask(desk, "add", "--intent-to-add", "--", path);
    if (added.code === 0) return true;
    if (ask(desk, "check-ignore", "--quiet", "--", `./${path}`).code === 0) return false;
    throw new Refused([failed(added, desk.target)]);
  }
  const inIndex = ask(desk, "ls-files", "--error-unmatch", "--", path);
  return inIndex.code === 0 || ask(desk, "ls-tree", "HEAD", "--", path).out.length > 0;
}

const throughFilter = ({ target }: Desk, path: string) =>
  problem("filter", `\`${path}\` goes through a filter of your configuration, which heddle does not run`, {
    hint: `git -C ${target} add ${path}, then git commit`,
  });

function failed({ error, out }: Pick<GitResult, "error" | "out">, target: string): Problem {
  const said = error || out.toString();
  return problem("git", `git could not commit: ${said.trim().split("\n")[0]}`, {
    hint: `git -C ${target} status`,
  });
}
