// A fresh process validates the plan in the current folder, as `load-tasks` does, loading its own code included.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

const started = performance.now();
const { readTaskFiles } = await import("../src/planning/plan-files.ts");
const places = { planningDir: resolve("project-planning"), targetDir: resolve(".") };
const { checked, hasMap, problems } = readTaskFiles(places);
const seconds = (performance.now() - started) / 1e3;
if (problems.length > 0 || !hasMap || checked.tasks.length === 0)
  throw new Error(`bug: ${problems[0]?.message ?? "nothing was validated"}`);
writeFileSync("seconds.json", JSON.stringify(seconds));
