// Bundles of tasks, between the journal and `bundles/`.
import { find, isProblem } from "../core/answer.ts";
import type { TaskId } from "../core/run.ts";
import { replaceFile } from "../host/files.ts";
import { bundlePath, taskBundle } from "../planning/task-bundle.ts";
import { type App, Refused } from "./app.ts";

export { bundlePath, integrityOf } from "../planning/task-bundle.ts";

export async function writeBundle(app: App, id: TaskId): Promise<string> {
  return app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    const made = taskBundle(run, task);
    if ("problems" in made) throw new Refused(made.problems);
    const path = bundlePath(run, id);
    replaceFile(path, `${JSON.stringify(made.bundle, null, 2)}\n`);
    return path;
  });
}
