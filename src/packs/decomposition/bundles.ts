// Bundles of tasks, between the journal and `bundles/`.
import { find, isProblem } from "../../core/answer.ts";
import { headOf } from "../../core/apply.ts";
import type { Run, Task, TaskId } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { replaceFile } from "../../host/files.ts";
import { offersOf, pathsBefore, pathsOfOthers } from "../../work/given/offers.ts";
import { bundlePath } from "../../work/task-files.ts";
import type { Bundle } from "./artifacts/bundle.ts";
import { type Integrity, integrityOf, taskBundle } from "./task-bundle.ts";

export { bundlePath } from "../../work/task-files.ts";

export async function writeBundle(app: App, id: TaskId): Promise<string> {
  const { head, task, madeBy, others } = await app.look((run) => {
    const found = find(run, id);
    if (isProblem(found)) throw new Refused([found]);
    const others = pathsOfOthers(run, found);
    return { ...copied(run, found), madeBy: pathsBefore(run, found), others };
  });
  const offers = await offersOf(head.targetDir, madeBy.keys());
  const made = taskBundle(head, task, { madeBy, others, offers });
  if ("problems" in made) throw new Refused(made.problems);
  const path = bundlePath(head, id);
  replaceFile(path, `${JSON.stringify(made.bundle, null, 2)}\n`);
  return path;
}

const copied = <T extends Task | undefined>(run: Run, task: T) => ({
  head: structuredClone(headOf(run)),
  task: structuredClone(task),
});

/** Compares a bundle with what it was made from, as that is now (X5). */
export async function integrityNow(
  app: App,
  bundle: Pick<Bundle, "task_id" | "checksums">,
): Promise<Integrity> {
  const { head, task } = await app.look((run) => copied(run, run.tasks.get(bundle.task_id)));
  return integrityOf(head, task, bundle);
}
