// `heddle help`.
import { closest, problem } from "../../core/problem.ts";
import { type Command, Usage } from "../command.ts";
import { commandHelp, overview } from "../help.ts";

export const help: Command = {
  name: "help",
  summary: "list the commands, or say more about one",
  group: "look",
  args: [{ name: "command", about: "a command's words", optional: true, many: true }],
  examples: ["heddle help", "heddle help state start-task"],
  run: async ({ args, commands: all }) => {
    const commands = await all();
    const words = args.join(" ");
    const described = commands.map(({ run: _run, ...rest }) => rest as never);
    if (words === "") return { text: overview(commands), json: described };
    const found = commands.find((command) => command.name === words);
    if (found)
      return {
        text: commandHelp(found),
        json: described.filter((each: { name: string }) => each.name === words),
      };
    const family = commands.filter((command) => command.name.startsWith(`${words} `));
    if (family.length > 0)
      return { text: overview(family), json: family.map(({ name, summary }) => ({ name, summary })) };
    const meant = closest(
      words,
      commands.map((command) => command.name),
    );
    throw new Usage(
      problem("unknown-command", `\`${words}\` is not a heddle command`, {
        hint: meant ? `heddle help ${meant}` : "heddle help",
      }),
    );
  },
};
