// Lays what set-up made into a checkout, beside what the tree has. Where the tree has something of that name, the tree's
// stays: a file is never replaced, a link never followed, and a folder gets only what is not in it.
import { join } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { cloneTree } from "../../host/clone-tree.ts";
import { isPlainFolder, isThereItself, makeFolder } from "../../host/files.ts";
import { demandGit, fields } from "../../host/git/git.ts";
import { statIfThere } from "../../host/git/work-files.ts";
import { listHandedIn } from "../../host/handed-in.ts";
import type { Made } from "./make.ts";
import type { Checkout } from "./provide.ts";
import { relocate } from "./relocate.ts";

export interface Laid {
  /** The folder that holds what was made. */
  readonly files: string;
  readonly paths: readonly string[];
  readonly naming?: Made["naming"];
}

export async function lay(
  checkout: Checkout,
  { files, paths, naming }: Laid,
): Promise<readonly string[] | Problem> {
  const began = Date.now();
  const laid: string[] = [];
  const open = [...paths].reverse();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const [from, to] = [join(files, path), join(checkout.folder, path)];
    if (!makeWay(checkout.folder, path)) continue;
    if (!isThereItself(to)) {
      const failed = await cloneTree(from, to).then(
        () => undefined,
        (error: Error) => problem("setup", `what set-up made cannot be copied: ${error.message}`),
      );
      if (failed) return failed;
      laid.push(path);
    } else if (isPlainFolder(to) && isPlainFolder(from)) {
      const listed = listHandedIn(from, mostBeside);
      if (listed === "too many")
        return problem("setup", `set-up made more than ${mostBeside} files in ${path}`);
      open.push(...listed.map(({ name }) => `${path}/${name}`).reverse());
    }
  }
  if (naming)
    relocate(checkout.folder, { from: naming.place, to: checkout.folder, files: ofThese(naming, laid) });
  return (await changedBy(checkout, began)) ?? laid;
}

const ofThese = ({ files }: NonNullable<Made["naming"]>, laid: readonly string[]) =>
  files.filter((path) => laid.some((each) => path.startsWith(`${each}/`)));

const mostBeside = 100_000;

/** The folders on the way, plain ones each; false where the tree has a file or a link there. */
function makeWay(root: string, path: string): boolean {
  let at = root;
  for (const step of path.split("/").slice(0, -1)) {
    at = join(at, step);
    if (!isThereItself(at)) makeFolder(at);
    if (!isPlainFolder(at)) return false;
  }
  return true;
}

/** Evidence is about the tree that is merged (G4): git says that its files are still as they were checked out. */
async function changedBy(
  { repository, folder, index }: Checkout,
  began: number,
): Promise<Problem | undefined> {
  const args = ["diff-files", "--name-only", "-z"];
  const differing = fields(await demandGit(repository, { args, workTree: folder, index }), "latin1");
  // git also names files whose endings it would write otherwise; nobody has touched those.
  const touched = differing.filter((path) => {
    const stat = statIfThere(`${Buffer.from(folder).toString("latin1")}/${path}`);
    return !stat || stat.ctimeMs >= began;
  });
  if (touched.length === 0) return undefined;
  return problem("setup", `set-up changed files of the tree: ${touched.slice(0, 5).join(", ")}`);
}
