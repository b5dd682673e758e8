// `heddle import tasker`.
import { resolve } from "node:path";
import type { Command } from "../../../command/command.ts";
import { problem, Refused } from "../../../core/problem.ts";
export const importTasker: Command = {
  name: "import tasker",
  summary: "take over a plan of the first implementation, with its statuses, attempts and events",
  group: "keep",
  args: [{ name: "dir", about: "the folder that holds its state.json" }],
  examples: ["heddle import tasker project-planning"],
  run: async ({ root, packs, journals, args: [dir = ""], warn }) => {
    const { importPlan, isBegun } = await import("../import.ts");
    if (await isBegun({ root, packs, journals }))
      throw new Refused([
        problem("project-exists", `there is a heddle project already in ${root}`, {
          hint: "use --dir for another place",
        }),
      ]);
    const app = await importPlan({ root, packs, journals, by: "import", warn }, resolve(dir));
    try {
      const json = await app.look((run) => ({ run: run.id, phase: run.phase, tasks: { ...run.counts } }));
      return { text: `Imported ${json.run} in phase ${json.phase}`, json };
    } finally {
      app.close();
    }
  },
};
