// The least that loading a plan can cost: reads every task file of the project and parses it, nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = "project-planning/tasks";
const tasks = readdirSync(folder)
  .sort()
  .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
if (tasks.length === 0) throw new Error("bug: no task files");
