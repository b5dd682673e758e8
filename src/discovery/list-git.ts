// The files that git would commit from a folder: tracked ones and new ones that no .gitignore names. The repository is
// not trusted. No program of its choosing runs: monitor and hooks are off, nothing is fetched, nothing is written; the
// work tree is the one we found, not one its configuration names; an owner other than us makes git refuse, as it should.
// Not through `runGit`, because a listing may be long and slow: it is bounded, and the process goes on meanwhile.
import { spawn } from "node:child_process";
import type { RepositoryPlace } from "../host/git/find-repository.ts";
import { personsEnvironment } from "../host/git/git.ts";
import { ownProgram } from "../host/program/programs.ts";
import type { Limits } from "./limits.ts";

/** Unlike heddle's other calls this one keeps the person's own ignore file, and their sparse checkout. */
const settings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "safe.bareRepository=explicit",
].flatMap((setting) => ["-c", setting]);

export interface GitListing {
  readonly paths: string[];
  readonly complete: boolean;
}

/** Folders that git need not enter even where no .gitignore names them; tracked files are listed all the same. */
const skipped = ["node_modules", "__pycache__", ".venv"].flatMap((name) => ["-x", name]);

const question = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--sparse", ...skipped];

/** Nothing when git refuses, is not there, or takes too long. */
export function listByGit(
  folder: string,
  place: RepositoryPlace,
  limits: Limits,
): Promise<GitListing | undefined> {
  return new Promise((resolve) => {
    const where = [`--git-dir=${place.checkoutGitDir}`, `--work-tree=${place.root}`];
    const args = [...where, ...settings, ...question];
    const child = spawn(ownProgram("git"), args, {
      cwd: folder,
      env: personsEnvironment({ args }),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (listing: GitListing | undefined) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      child.stdout?.destroy();
      resolve(listing);
    };
    const timer = setTimeout(() => end(undefined), limits.gitMs);
    child.on("error", () => end(undefined));
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limits.listBytes) end(listing(chunks, false));
    });
    child.on("close", (code) => {
      end(code === 0 ? listing(chunks, true) : undefined);
    });
  });
}

/** A trailing slash is a repository inside this one, or a folder that a sparse checkout left out: not files here. */
function listing(chunks: readonly Buffer[], complete: boolean): GitListing {
  const all = Buffer.concat(chunks).toString("utf8").split("\0");
  all.pop();
  return { paths: [...new Set(all.filter((path) => !path.endsWith("/")))], complete };
}
