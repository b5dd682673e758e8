// Puts the real agent programs, at the versions that are tried here, into a folder of their own (`.tmp/live`): they are
// large, and no part of heddle. Does nothing when they are there. Runs on any Node from 20 on.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.HEDDLE_LIVE ?? join(import.meta.dirname, "../../.tmp/live");
const wanted = {
  "@anthropic-ai/claude-code": "2.1.325",
  "@google/gemini-cli": "0.61.0",
  "@openai/codex": "0.166.0",
};

const versionOf = (name) => {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
};
const missing = Object.entries(wanted).filter(([name, version]) => versionOf(name) !== version);

if (missing.length > 0) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "package.json");
  if (!existsSync(file)) writeFileSync(file, '{ "private": true }\n');
  // All of them: npm takes away what it is not told about.
  const packages = Object.entries(wanted).map(([name, version]) => `${name}@${version}`);
  console.error(`live: installing ${packages.join(", ")} into ${folder}`);
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", "--loglevel=error", ...packages];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    console.error(`live: npm could not install ${packages.join(", ")}\nhint: is the npm registry reachable?`);
    process.exit(1);
  }
}
