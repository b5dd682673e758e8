// Where a task's bundle and result are kept beside the plan, for people and for hosts with a loop of their own.
import { join } from "node:path";
import type { Run, TaskId } from "../core/run.ts";
export function bundlePath(run: Pick<Run, "planningDir">, id: TaskId): string {
  return join(run.planningDir, "bundles", `${id}-bundle.json`);
}

export function resultFile(run: Pick<Run, "planningDir">, id: TaskId): string {
  return join(run.planningDir, "bundles", `${id}-result.json`);
}
