// `heddle check-output`: an agent checks its own work, with the same eyes that heddle will look with (D17). It needs
// nothing but the bundle, so it works inside the agent's box.

import type { Command } from "../../../command/command.ts";
import { Refused } from "../../../engine/app.ts";
import { readText } from "../../../host/files.ts";

const mostWarnings = 100;

export const checkOutput: Command = {
  name: "check-output",
  summary: "check what a role made, as its bundle asks for it",
  group: "state",
  args: [{ name: "bundle", about: "the path of a planning bundle" }],
  examples: ['heddle check-output "$BUNDLE"'],
  run: async ({ args: [file = ""], warn }) => {
    const { checkFor } = await import("../../../packs/check-bundle.ts");
    const read = readText(file);
    if ("problem" in read) throw new Refused([read.problem]);
    const { path, problems, warnings } = checkFor(file, read.text);
    for (const each of warnings.slice(0, mostWarnings)) warn(each);
    if (problems.length > 0) throw new Refused(problems);
    return { text: `${path} is right`, json: { path, ok: true, warnings } };
  },
};
