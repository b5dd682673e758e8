// `npm test`: every test, and at the end one plain line that people and machines can read.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const report = join(root, ".tmp/test-report.json");
mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });
const words = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const args = [vitest, ...words, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
const { numPassedTests = 0, numFailedTests = 0, success = false } = read();
const failed = success || numFailedTests > 0 ? numFailedTests : 1;
const line = `${numPassedTests} passed, ${failed} failed`;
writeFileSync(join(root, ".tmp/test-summary"), `${line}\n`);
console.log(line);
process.exit(status ?? 1);

function read() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return {};
  }
}
