// The least that validating a plan can cost: a fresh process reads its files and parses them, nothing else.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const started = performance.now();
const artifacts = ["capability-map", "physical-map"].map((name) => `artifacts/${name}.json`);
const tasks = readdirSync("project-planning/tasks")
  .sort()
  .map((name) => `tasks/${name}`);
const parsed = [...artifacts, ...tasks].map((name) =>
  JSON.parse(readFileSync(join("project-planning", name), "utf8")),
);
const seconds = (performance.now() - started) / 1e3;
if (parsed.length < 3) throw new Error("bug: no task files");
writeFileSync("seconds.json", JSON.stringify(seconds));
