// heddle's own folders in a person's repository: named in `.git/info/exclude`, which only git reads, so that
// `git status` does not show them and nothing of the repository is changed. Repeatable.
import { existsSync, lstatSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { append, makeFolder, readIfThere } from "../files.ts";

/** Which of `folders` were not named before; none where there is no repository around `root`. */
export function excludeOwn(root: string, folders: readonly string[]): string[] {
  const found = repositoryAround(root);
  if (!found) return [];
  const file = join(found.common, "info/exclude");
  const text = readIfThere(file) ?? "";
  const known = new Set(text.split(/\r?\n/));
  const lines = folders.map((folder) => `/${relative(found.top, folder)}/`);
  const fresh = lines.filter((line) => !known.has(line) && !line.startsWith("/.."));
  if (fresh.length === 0) return [];
  makeFolder(dirname(file));
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  append(file, `${gap}# heddle's own\n${fresh.join("\n")}\n`);
  return fresh;
}

function repositoryAround(folder: string): { readonly top: string; readonly common: string } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const common = commonDir(join(at, ".git"));
    if (common !== undefined) return { top: at, common };
    if (dirname(at) === at) return undefined;
  }
}

/** Of a worktree or a submodule `.git` is a file that says where its folder is; worktrees share the rest of it. */
function commonDir(git: string): string | undefined {
  if (!existsSync(git)) return undefined;
  if (lstatSync(git).isDirectory()) return existsSync(join(git, "HEAD")) ? git : undefined;
  const [, said] = /^gitdir: (.+)$/m.exec(readIfThere(git) ?? "") ?? [];
  if (said === undefined) return undefined;
  const own = resolve(dirname(git), said.trim());
  const shared = readIfThere(join(own, "commondir"))?.trim();
  return shared === undefined ? own : resolve(own, shared);
}
