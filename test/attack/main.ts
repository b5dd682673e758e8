// `npm run attack`: every attack, then every planted bug, and how many there were of each kind.
//
//   npm run attack                  all of it
//   npm run attack -- --only git    test files and planted lists whose name contains `git`
//   npm run attack -- --part 1/4    all attacks, and every fourth planted bug, beginning with the first
//   npm run attack -- --no-planted  the attacks alone
//   npm run attack -- --only-planted  the planted bugs alone
//   npm run attack -- --only-planted --named x32  planted bugs whose own name contains `x32`
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Planted, PlantedFile } from "./planted.ts";
import { Workbench } from "./workbench.ts";

const here = import.meta.dirname;
const root = join(here, "../..");
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
    "no-planted": { type: "boolean", default: false },
    "only-planted": { type: "boolean", default: false },
    named: { type: "string", default: "" },
  },
});

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

function attack(): Report {
  const file = join(root, ".tmp/attack-report.json");
  mkdirSync(join(root, ".tmp"), { recursive: true });
  rmSync(file, { force: true });
  const words = ["run", "--config", "test/attack/vitest.config.ts", "--passWithNoTests"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const filter = values.only === "" ? [] : [`test/attack/${values.only}`];
  spawnSync(process.execPath, [vitest, ...words, ...reporters, ...filter], { cwd: root, stdio: "inherit" });
  return JSON.parse(readFileSync(file, "utf8")) as Report;
}

async function plantedBugs(): Promise<Planted[]> {
  const files = readdirSync(here).filter(
    (name) => name.endsWith(".planted.ts") && name.includes(values.only),
  );
  const lists = await Promise.all(
    files.sort().map(async (name) => (await import(join(here, name))) as PlantedFile),
  );
  const [part = 1, of = 1] = values.part.split("/").map(Number);
  return lists
    .flatMap(({ planted }) => planted)
    .filter(({ name }, at) => at % of === part - 1 && name.includes(values.named));
}

const none: Report = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  success: true,
  testResults: [],
};
const report = values["only-planted"] ? none : attack();
const missed: string[] = [];
const bugs = values["no-planted"] ? [] : await plantedBugs();
const workbench = bugs.length > 0 ? new Workbench() : undefined;
for (const bug of bugs) {
  const fate = workbench?.try(bug) ?? "not tried";
  console.log(
    `${fate === "caught" ? "caught" : "MISSED"}  ${bug.name}${fate === "caught" ? "" : `: ${fate}`}`,
  );
  if (fate !== "caught") missed.push(bug.name);
}
workbench?.remove();

console.log("\nattacks by kind:");
for (const { name, assertionResults } of report.testResults) {
  const passed = assertionResults.filter(({ status }) => status === "passed").length;
  const run = passed + assertionResults.filter(({ status }) => status === "failed").length;
  const left = assertionResults.length - run;
  const kind = (name.split("/").at(-1) ?? "").replace(".attack.ts", "");
  console.log(`  ${kind.padEnd(16)} ${passed} of ${run} held${left > 0 ? `, ${left} left out` : ""}`);
}
console.log(`planted bugs: ${bugs.length - missed.length} of ${bugs.length} caught`);
const failed = Math.max(report.numFailedTests + missed.length, report.success ? 0 : 1);
console.log(`${report.numPassedTests + bugs.length - missed.length} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
