// `heddle land`.
import { agentFlags } from "../../command/agent-flags.ts";
import { type Command, exits, Usage } from "../../command/command.ts";
import { landFlags, landNow } from "../../command/landing.ts";
import { problem } from "../../core/problem.ts";

export const land: Command = {
  name: "land",
  summary: "bring your checkout to what was integrated, if it is clean and has not moved",
  brief: "bring your checkout, or a branch, to the result",
  group: "run",
  flags: {
    into: landFlags.into,
    merge: { about: "merge with what you have committed since; the merged tree is checked before it lands" },
    unconfined: agentFlags.unconfined,
  },
  examples: ["heddle land", "heddle land --merge", "heddle land --into develop"],
  interruptible: true,
  run: async (call) => {
    if (call.flags.has("merge") && call.flags.has("into"))
      throw new Usage(
        problem("contradiction", "`--merge` is for your checkout, `--into` for another branch"),
      );
    const { landing, text } = await landNow(call, await call.app());
    return { text, json: landing, exit: landing.landed ? exits.done : exits.refused };
  },
};
