// A fresh process validates the plan in the current folder, as `load-tasks` does, loading its own code included.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

const [started, used] = [performance.now(), process.cpuUsage()];
const { readTaskFiles } = await import("../src/packs/decomposition/plan-files.ts");
const places = { planningDir: resolve("project-planning"), targetDir: resolve(".") };
const { checked, map, problems } = readTaskFiles(places);
const { user, system } = process.cpuUsage(used);
const seconds = { wall: (performance.now() - started) / 1e3, cpu: (user + system) / 1e6 };
if (problems.length > 0 || !map || checked.tasks.length === 0)
  throw new Error(`bug: ${problems[0]?.message ?? "nothing was validated"}`);
writeFileSync("seconds.json", JSON.stringify(seconds));
