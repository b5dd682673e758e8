// What a task's own file says of it beside its name.
import { recordIn } from "../core/json.ts";
import { type Run, type Task, taskFile } from "../core/run.ts";
import { readText } from "../host/files.ts";

/** The file that a person may edit; null where a task is none of its plan's own. */
export function sourceOf(
  run: Pick<Run, "planningDir" | "protocol">,
  { def }: Pick<Task, "def">,
): string | null {
  if (run.protocol.own?.tasksAreFiles !== true) return null;
  const read = readText(taskFile(run, def), 1024 * 1024);
  return "text" in read ? read.text : null;
}

/** Null where it says no more than the name does. */
export function descriptionOf(run: Pick<Run, "planningDir">, { def }: Pick<Task, "def">): string | null {
  const read = readText(taskFile(run, def), 1024 * 1024);
  const found = "text" in read ? recordIn(read.text)?.description : undefined;
  return typeof found === "string" && found !== def.name ? found : null;
}
