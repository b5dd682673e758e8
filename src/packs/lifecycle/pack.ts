// Lifecycle as a pack: single tasks, each from its brief to accepted work.

import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import type { Pack } from "../pack.ts";

export const lifecyclePack: Pack = {
  name: "lifecycle",
  protocol: async () => (await import("./protocol.ts")).lifecycle,
  beginsWithBrief: true,
  runsAsTasks: async () => (await import("./commands/task.ts")).list,
  everyday: ["task", "accept", "revert", "redo"],
  commands: [
    {
      load: () => import("./commands/task.ts"),
      commands: {
        "task new": "create",
        "task list": "list",
        "task show": "show",
        "task cancel": "cancel",
        "review plan": "reviewPlan",
        codegen: "codegen",
        review: "review",
        test: "test",
        accept: "accept",
        revert: "revert",
        redo: "redo",
      },
    },
  ],
  land: async (app, merge) => (await import("./accept.ts")).landTask(app, merge),
  noRun: problem("no-task", "there is no task yet", { hint: toCall('task new "<brief>"') }),
};
