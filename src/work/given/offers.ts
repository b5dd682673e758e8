// What tasks that are done offer to those that come after them: which files they made, and what each of these has to call.
import { join } from "node:path";
import { type Run, type Task, type TaskId, taskOf } from "../../core/run.ts";
import { digestInTurns } from "../../host/digest.ts";
import { readHandedIn } from "../../host/handed-in.ts";
import { isTurnOver, nextTurn } from "../../host/turns.ts";
import { hasInterface, interfaceOf } from "./interfaces.ts";
/** What all transitive dependencies left behind, nearest first, and which of them did. */
export function pathsBefore(run: Run, task: Task): Map<string, TaskId> {
  const produced = new Map<string, TaskId>();
  const seen = new Set<TaskId>();
  let layer = [...task.def.dependsOn];
  while (layer.length > 0) {
    const following: TaskId[] = [];
    for (const id of layer) {
      if (seen.has(id)) continue;
      seen.add(id);
      const { created, modified, def } = taskOf(run, id);
      for (const path of [...created, ...modified]) if (!produced.has(path)) produced.set(path, id);
      following.push(...def.dependsOn);
    }
    layer = following;
  }
  return produced;
}

/** Plans above this are not read whole for a bundle. */
const mostTasksRead = 5_000;

/** The files that other tasks declare; null where there are too many of them. */
export function pathsOfOthers(run: Run, { def: { id } }: Task): ReadonlySet<string> | null {
  if (run.tasks.size > mostTasksRead) return null;
  const others = [...run.tasks.all()].filter(({ def }) => def.id !== id);
  return new Set(others.flatMap(({ def }) => def.files.map((file) => file.path)));
}

/** What a file that was there before gives to those who build on it. */
export interface Offer {
  readonly interface: readonly string[];
  readonly sum: string;
}

/** Of each path; in turns, for there may be as many as the target has files, and of any size. */
export async function offersOf(target: string, paths: Iterable<string>): Promise<Map<string, Offer>> {
  const offers = new Map<string, Offer>();
  for (const path of paths) {
    if (isTurnOver()) await nextTurn();
    const sum = short(await digestInTurns(join(target, path)));
    offers.set(path, { interface: offered(target, path), sum });
  }
  return offers;
}

function offered(target: string, path: string): string[] {
  if (!hasInterface(path)) return [];
  const inTarget = { within: target, links: "inside" } as const;
  const read = readHandedIn(join(target, path), { most: 1024 * 1024, ...inTarget });
  return "text" in read ? interfaceOf(path, read.text) : [];
}

/** As checksums stand in a bundle. */
export const short = (digest: string | null) => digest?.slice(0, 16) ?? "";
