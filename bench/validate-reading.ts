// The least that validating a plan can cost: a fresh process reads its files and parses them, nothing else.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [started, used] = [performance.now(), process.cpuUsage()];
const artifacts = ["capability-map", "physical-map"].map((name) => `artifacts/${name}.json`);
const tasks = readdirSync("project-planning/tasks")
  .sort()
  .map((name) => `tasks/${name}`);
const parsed = [...artifacts, ...tasks].map((name) =>
  JSON.parse(readFileSync(join("project-planning", name), "utf8")),
);
const { user, system } = process.cpuUsage(used);
const seconds = { wall: (performance.now() - started) / 1e3, cpu: (user + system) / 1e6 };
if (parsed.length < 3) throw new Error("bug: no task files");
writeFileSync("seconds.json", JSON.stringify(seconds));
