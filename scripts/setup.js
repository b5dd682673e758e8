// Brings a fresh clone to where the command can run: installs what the lock file names, builds the CLI.
// Runs on any Node from 20 on, because it is what fetches the Node that heddle itself needs.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

function newestMs(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((newest, entry) => Math.max(newest, modifiedMs(join(entry.parentPath, entry.name))), 0);
}

function run(program, args, output = 2) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ["ignore", output, 2] });
  if (status === 0) return;
  console.error(`setup: \`${program} ${args.join(" ")}\` failed\nhint: run it by hand in ${root} to see why`);
  process.exit(1);
}

const installed = modifiedMs(join(root, "node_modules/.package-lock.json"));
const wanted = Math.max(modifiedMs(join(root, "package.json")), modifiedMs(join(root, "package-lock.json")));
if (installed < wanted) {
  console.error("setup: installing what package-lock.json names");
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"]);
}

const source = Math.max(
  ...["src", "page"].map((name) => newestMs(join(root, name))),
  modifiedMs(join(root, "rolldown.config.ts")),
  wanted,
);
if (process.argv.includes("--build") || modifiedMs(join(root, "dist/everyday.js.compiled")) < source) {
  const node = join(root, "node_modules/.bin/node");
  const rolldown = join(root, "node_modules/rolldown/bin/cli.mjs");
  run(node, [rolldown, "-c", "rolldown.config.ts", "--logLevel", "warn"], "ignore");
  run(node, [join(root, "scripts/precompile.ts")], "ignore");
}
