import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeCommit } from "../../src/host/git/commit-object.ts";

const author = { name: "claude (heddle)", email: "heddle@localhost" };
const at = "2026-11-15T12:34:56.789Z";

it.each([
  ["sha1", 20],
  ["sha256", 32],
] as const)("G3 a commit is what git itself would have written (%s)", (format, hashBytes) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-commit-"));
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", ["-C", folder, ...args], {
      input,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: `@${Math.floor(Date.parse(at) / 1000)} +0000`,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
        GIT_COMMITTER_DATE: `@${Math.floor(Date.parse(at) / 1000)} +0000`,
      },
    }).trim();
  git(["init", "-q", `--object-format=${format}`]);
  const tree = git(["mktree"], "");
  const store = { objects: join(folder, ".git/objects"), hashBytes };
  const message = "T001: Wörter und Zeilen\n\nHeddle-Task: T001\n";
  const first = writeCommit(store, { tree, parents: [], message, author, at });
  expect(first).toBe(git(["commit-tree", tree], message));
  const second = writeCommit(store, { tree, parents: [first], message: "two\n\n\n", author, at });
  expect(second).toBe(git(["commit-tree", tree, "-p", first], "two\n"));
  expect(git(["cat-file", "-t", second])).toBe("commit");
  git(["update-ref", "refs/heads/main", second]);
  expect(git(["fsck", "--strict"])).toBe("");
});
