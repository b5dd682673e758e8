// `heddle help`.

import { type Command, Usage } from "../../command/command.ts";
import { toCall } from "../../core/hint.ts";
import { closest, problem } from "../../core/problem.ts";
import { commandHelp, firstScreen, overview, topics } from "../help.ts";

export const help: Command = {
  name: "help",
  summary: "list the commands, or say more about one",
  group: "look",
  args: [{ name: "command", about: "a command's words, or a topic", optional: true, many: true }],
  flags: { all: { about: "list every command" } },
  examples: ["heddle help", "heddle help --all", "heddle help look", "heddle help state start-task"],
  run: async ({ args, flags, commands: all }) => {
    const commands = await all();
    const words = args.join(" ");
    const described = commands.map(({ run: _run, ...rest }) => rest as never);
    if (words === "" || words === "all")
      return {
        text: flags.has("all") || words === "all" ? overview(commands) : firstScreen(commands),
        json: described,
      };
    const topic = topics.find(({ word }) => word === words);
    const found = commands.find((command) => command.name === words);
    if (found)
      return {
        text: commandHelp(found),
        json: described.filter((each: { name: string }) => each.name === words),
      };
    if (topic) {
      const those = commands.filter(topic.has);
      return { text: overview(those), json: those.map(({ name, summary }) => ({ name, summary })) };
    }
    const family = commands.filter((command) => command.name.startsWith(`${words} `));
    if (family.length > 0)
      return { text: overview(family), json: family.map(({ name, summary }) => ({ name, summary })) };
    const meant = closest(
      words,
      commands.map((command) => command.name),
    );
    throw new Usage(
      problem("unknown-command", `\`${words}\` is not a heddle command`, {
        hint: meant ? toCall(`help ${meant}`) : toCall("help"),
      }),
    );
  },
};
