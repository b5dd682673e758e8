// What is said when a project's history is gone (G6), or was never begun.

import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import { StoreFailure } from "../journal/journal.ts";

/** A view of ours without its journal: the history is gone, and nothing may pretend otherwise. */
export function journalLost(view: string): StoreFailure {
  return new StoreFailure(
    problem("journal-lost", "the journal of this project is gone: .heddle/heddle.db is missing", {
      place: { file: view },
      hint: [
        toCall("restore <backup>"),
        "; or start a new history from the view: ",
        toCall("import tasker project-planning"),
      ],
    }),
  );
}

/** Nothing was begun here; most people begin with tasks or a specification, programs that loop themselves with `init`. */
export const noProject = (root: string) =>
  problem("no-project", `there is no heddle project in ${root}`, {
    hint: [
      ...[toCall('run "<task>"'), ", ", toCall("plan <spec>"), ", or: ", toCall('task new "<brief>"')],
      ...["; for a loop of your own: ", toCall("init <target>")],
    ],
  });
