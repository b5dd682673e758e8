// What makes a folder a git repository: `HEAD` beside `objects` and `refs`, or beside a `commondir` that says where those
// are; whatever they are, for git follows links, and in any case, for some disks do not tell cases apart. An agent's
// change may neither complete such a folder nor touch one: the next git that is called there would obey its `config`.
import { join } from "node:path";
import { inTurns, isTurnOver, nextTurn } from "../turns.ts";
import { demandGit, fields, type GitDirectory, runGit } from "./git.ts";
import { latin1Of, statIfThere, textOf } from "./work-files.ts";

/** Names as latin1, like all paths here; a real folder's ends with a slash. */
function makeRepository(names: Iterable<string>): boolean {
  const all = new Set([...names].map((name) => name.toLowerCase()));
  const has = (name: string) => all.has(name) || all.has(`${name}/`);
  return all.has("head") && ((has("objects") && has("refs")) || all.has("commondir"));
}

export const looksLikeRepository = (folder: string) => makeRepository(namesOn(folder)(""));

const parts = ["HEAD", "objects", "refs", "commondir"];

/** Which parts lie in a folder on the disk, in the case that git looks for. */
export const namesOn = (root: string) => (folder: string) =>
  parts.flatMap((name) => {
    const stat = statIfThere(join(latin1Of(root), folder, name));
    return stat ? [stat.isDirectory() ? `${name}/` : name] : [];
  });

/** What lies in a folder of a tree. */
const namesIn = (repo: GitDirectory, tree: string) => async (folder: string) => {
  const { out, code } = await runGit(repo, { args: ["ls-tree", "-z", `${tree}:${textOf(folder)}`] });
  if (code !== 0) return [];
  return fields(out, "latin1").map((line) => {
    const name = line.slice(line.indexOf("\t") + 1);
    return line.startsWith("040000") ? `${name}/` : name;
  });
};

/** The first folder that these files would make a repository, or that is one; `had` is what lies there already. */
export async function repositoryAmong(
  paths: Iterable<string>,
  had: (folder: string) => Promise<readonly string[]> | readonly string[],
): Promise<string | undefined> {
  const arriving = new Map<string, Set<string>>();
  await inTurns(paths, (path) => {
    const names = path.split("/");
    for (const [at, name] of names.entries()) {
      const folder = names.slice(0, at).join("/");
      const known = arriving.get(folder) ?? new Set();
      arriving.set(folder, known.add(at < names.length - 1 ? `${name}/` : name));
    }
  });
  for (const [folder, names] of arriving) {
    if (isTurnOver()) await nextTurn();
    const of = [...(await had(folder)), ...[...names].filter((name) => partOf.test(name))];
    if (makeRepository(of)) return textOf(folder);
  }
  return undefined;
}

const partOf = /(^|\/)(head|objects|refs|commondir)(\/|$)/i;

/** The same for a merge, whose sides may each bring a part: only where one of the parts arrives. */
export async function repositoryMerged(
  repo: GitDirectory,
  o: { onto: string; tree: string },
): Promise<string | undefined> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d", o.onto, o.tree];
  const paths = fields(await demandGit(repo, { args }), "latin1").filter((path) => partOf.test(path));
  return paths.length === 0 ? undefined : repositoryAmong(paths, namesIn(repo, o.tree));
}
