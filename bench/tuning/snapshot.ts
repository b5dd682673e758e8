// A public repository at one commit, as a folder: every path is there, with the text of what a skill can be made of and
// nothing in the rest. From GitHub by name and commit, or from bare repositories that lie in a folder as owner+name/repo.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Repository {
  readonly name: string;
  readonly commit: string;
}

function git(gitDir: string, words: readonly string[], input = ""): Buffer {
  const { status, stdout, stderr } = spawnSync("git", ["--git-dir", gitDir, ...words], {
    input,
    maxBuffer: 4 * 1024 ** 3,
  });
  if (status !== 0) throw new Error(`git ${words[0]} in ${gitDir}: ${stderr}`);
  return stdout;
}

function gitDirOf({ name, commit }: Repository, cache: string, mirror: string | undefined): string {
  const local = mirror && join(mirror, name.replace("/", "+"), "repo");
  if (local) return existsSync(join(local, ".git")) ? join(local, ".git") : local;
  const own = join(cache, "git", name.replace("/", "+"));
  if (existsSync(join(own, "fetched"))) return own;
  mkdirSync(own, { recursive: true });
  git(own, ["init", "--bare", "--quiet"]);
  git(own, ["fetch", "--quiet", "--depth", "1", `https://github.com/${name}`, commit]);
  writeFileSync(join(own, "fetched"), commit);
  return own;
}

const textual = /\.(md|json|toml)$/i;

/** The folder; an empty `.git` marks its root, as in a checkout. */
export function snapshot(repository: Repository, cache: string, mirror?: string): string {
  const folder = join(
    cache,
    "files",
    `${repository.name.replace("/", "+")}-${repository.commit.slice(0, 12)}`,
  );
  if (existsSync(join(folder, ".git"))) return folder;
  const gitDir = gitDirOf(repository, cache, mirror);
  const rows = git(gitDir, ["ls-tree", "-r", "-z", repository.commit]).toString().split("\0");
  const [texts, links] = [new Map<string, string>(), new Map<string, string>()];
  for (const row of rows) {
    const [, mode, kind, oid, path] = /^(\d+) (\w+) (\w+)\t([\s\S]+)$/.exec(row) ?? [];
    if (kind !== "blob" || oid === undefined || path === undefined || path.split("/").includes(".."))
      continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
    if (mode === "120000") links.set(path, oid);
    else if (textual.test(path)) texts.set(path, oid);
  }
  for (const [path, text] of contents(texts, gitDir)) writeFileSync(join(folder, path), text);
  for (const [path, target] of contents(links, gitDir)) {
    rmSync(join(folder, path));
    symlinkSync(target.toString(), join(folder, path));
  }
  mkdirSync(join(folder, ".git"));
  return folder;
}

function* contents(wanted: ReadonlyMap<string, string>, gitDir: string): Generator<[string, Buffer]> {
  const paths = [...wanted];
  if (paths.length === 0) return;
  const all = git(gitDir, ["cat-file", "--batch"], `${paths.map(([, oid]) => oid).join("\n")}\n`);
  let at = 0;
  for (const [path] of paths) {
    const end = all.indexOf(10, at);
    const [, kind, size] = all.subarray(at, end).toString().split(" ");
    at = end + 1;
    // A snapshot may lack its largest files.
    if (kind !== "blob") continue;
    yield [path, all.subarray(at, at + Number(size))];
    at += Number(size) + 1;
  }
}
