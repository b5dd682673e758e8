// Puts the real agent programs, at the versions that `package-lock.json` beside this file names, into a folder of their own
// (`.tmp/live`): they are large, and no part of heddle. Does nothing when they are there, nor where HEDDLE_LIVE names
// another folder with programs to try. Nothing but the npm registry is asked. Runs on any Node from 20 on.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../.tmp/live");
const wanted = ["package.json", "package-lock.json"];
// npm writes this when everything else is there.
const done = join(folder, "node_modules/.package-lock.json");
const same = (name) =>
  readFileSync(join(import.meta.dirname, name), "utf8") === readFileSync(join(folder, name), "utf8");

if (process.env.HEDDLE_LIVE === undefined && !(existsSync(done) && wanted.every(same))) {
  rmSync(done, { force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of wanted) copyFileSync(join(import.meta.dirname, name), join(folder, name));
  console.error(`live: installing what test/live/package-lock.json names into ${folder}`);
  // Their scripts would run programs, and write into the person's home.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    console.error("live: npm could not install the agent programs\nhint: is the npm registry reachable?");
    process.exit(1);
  }
  linkOpencode();
}

/** The npm package `opencode-ai` puts the program of its platform there by a script; the platform's own has no command. */
function linkOpencode() {
  const program = join(folder, "node_modules/opencode-linux-x64/bin/opencode");
  const link = join(folder, "node_modules/.bin/opencode");
  if (existsSync(program) && !existsSync(link)) symlinkSync(program, link);
}
