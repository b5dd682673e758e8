// `npm test`: every test; at the end what was left out and why, and one plain line that people and machines can read.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inMemory } from "./memory.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const report = join(root, ".tmp/test-report.json");
mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });
const words = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const [program, ...args] = inMemory(root, [process.execPath, vitest, ...words, ...process.argv.slice(2)]);
const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
const { numPassedTests = 0, numFailedTests = 0, success = false, testResults = [] } = read();
const failed = success || numFailedTests > 0 ? numFailedTests : 1;
const line = `${numPassedTests} passed, ${failed} failed`;
writeFileSync(join(root, ".tmp/test-summary"), `${line}\n`);
const left = leftOut();
if (left !== "") console.log(`\n${left}\n`);
console.log(line);
process.exit(status ?? 1);

function read() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return {};
  }
}

/** Tests say in their titles what they need ("left out without strace"); counted by that. */
function leftOut() {
  const counts = new Map();
  for (const { assertionResults } of testResults)
    for (const { status: how, fullName } of assertionResults) {
      const why = /\(left out ([^)]*)\)/.exec(fullName)?.[1]?.replaceAll("`", "");
      if (why !== undefined && how !== "passed" && how !== "failed")
        counts.set(why, (counts.get(why) ?? 0) + 1);
    }
  if (counts.size === 0) return "";
  const all = [...counts].map(([why, count]) => `${count} ${why}`).join(", ");
  const missing = [...counts.keys()].flatMap((why) => /^without (\S+)$/.exec(why)?.[1] ?? []);
  const packages = missing.map((name) => ({ script: "bsdutils" })[name] ?? name).join(" ");
  const hint = packages === "" ? "" : ` To have them run: apt-get install ${packages}.`;
  const box = missing.includes("bubblewrap")
    ? " In a container, bubblewrap needs user namespaces: docker run --security-opt seccomp=unconfined" +
      " --security-opt systempaths=unconfined. Everything else ran without the box."
    : "";
  return `Left out, because this machine lacks what they need: ${all}.${hint}${box}`;
}
