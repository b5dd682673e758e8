// `node scripts/bare.js [arguments of npm test]`: `npm test` as on a bare machine. Its PATH is one folder with Node, npm, git
// and what every Debian has (the packages marked essential): no bubblewrap, no strace, no tmux, no other shells.
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Not in the repository: where that is a target, heddle takes no program from it.
const folder = mkdtempSync(join(tmpdir(), "heddle-bare-"));

function essential() {
  const status = readFileSync("/var/lib/dpkg/status", "utf8");
  const blocks = status.split("\n\n").filter((block) => /^Essential: yes$/m.test(block));
  const names = blocks.flatMap((block) => /^Package: (.*)$/m.exec(block)?.[1] ?? []);
  const files = execFileSync("dpkg", ["-L", ...names], { encoding: "utf8" });
  // `sh`, `awk` and their like belong to no package that is essential by name.
  return [...files.split("\n").filter((path) => /\/s?bin\/[^/]+$/.test(path)), "/bin/sh", "/usr/bin/awk"];
}

/** The first along PATH that is not this repository's own: npm puts that in front. */
function found(name) {
  const folders = (process.env.PATH ?? "").split(":").filter((each) => !each.startsWith(root));
  return folders.map((each) => join(each, name)).find(isThere);
}

function isThere(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const programs = [...essential(), ...["node", "npm", "npx", "git"].map(found)];
for (const path of programs) {
  const link = join(folder, basename(path ?? ""));
  if (path !== undefined && isThere(path) && !isThere(link)) symlinkSync(realpathSync(path), link);
}
const env = { HOME: process.env.HOME, PATH: folder, LANG: "C.UTF-8" };
const words = ["test", "--", ...process.argv.slice(2)];
const { status } = spawnSync(join(folder, "npm"), words, { cwd: root, env, stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });
process.exit(status ?? 1);
