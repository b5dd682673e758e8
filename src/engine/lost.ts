// What is said where there is no project, and when a project's history is gone (G6).

import { toCall } from "../core/hint.ts";
import { problem, Refused } from "../core/problem.ts";
import { StoreFailure } from "../journal/journal.ts";

export function noProject(root: string): Refused {
  return new Refused([
    problem("no-project", `there is no heddle project in ${root}`, {
      hint: [toCall('run "<task>"'), ", ", toCall("plan <spec>"), ", or: ", toCall("init <target>")],
    }),
  ]);
}

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
