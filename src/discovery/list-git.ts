// The files that git would commit from a folder: tracked ones and new ones that no .gitignore names. The repository is
// not trusted. No program of its choosing runs: monitor and hooks are off, nothing is fetched, nothing is written; the
// work tree is the one we found, not one its configuration names; an owner other than us makes git refuse, as it should.
// Not through `host/git.ts`, because a listing may be long and slow: it is bounded, and the process goes on meanwhile.
import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Limits } from "./limits.ts";

export interface GitListing {
  readonly paths: string[];
  readonly complete: boolean;
}

const settings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "safe.bareRepository=explicit",
].flatMap((setting) => ["-c", setting]);

/** Folders that git need not enter even where no .gitignore names them; tracked files are listed all the same. */
const skipped = ["node_modules", "__pycache__", ".venv"].flatMap((name) => ["-x", name]);

const question = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--sparse", ...skipped];

/** The nearest folder, upwards, that has a `.git` of any kind. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Nothing when git refuses, is not there, or takes too long. `folder` lies in the repository at `top`. */
export function listByGit(folder: string, top: string, limits: Limits): Promise<GitListing | undefined> {
  return new Promise((resolve) => {
    const child = spawn("git", [...settings, `--work-tree=${top}`, ...question], {
      cwd: folder,
      env: environment(top),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (listing: GitListing | undefined) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      child.stdout.destroy();
      resolve(listing);
    };
    const timer = setTimeout(() => end(undefined), limits.gitMs);
    child.on("error", () => end(undefined));
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limits.listBytes) end(listing(chunks, false));
    });
    child.on("close", (code) => {
      end(code === 0 ? listing(chunks, true) : undefined);
    });
  });
}

/** Global ignore files are the user's own and count; a repository's remotes are never asked for missing objects. */
function environment(top: string): Record<string, string> {
  const { PATH = "/usr/bin:/bin", HOME = "/", XDG_CONFIG_HOME } = process.env;
  return {
    PATH,
    HOME,
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    LANG: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_CEILING_DIRECTORIES: dirname(top),
  };
}

/** A trailing slash is a repository inside this one, or a folder that a sparse checkout left out: not files here. */
function listing(chunks: readonly Buffer[], complete: boolean): GitListing {
  const all = Buffer.concat(chunks).toString("utf8").split("\0");
  all.pop();
  return { paths: [...new Set(all.filter((path) => !path.endsWith("/")))], complete };
}
