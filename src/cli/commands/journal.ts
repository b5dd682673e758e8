// `heddle journal move`: takes the project's journal from a file to a server, and back.
import { type Command, Usage } from "../../command/command.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";

export const move: Command = {
  name: "journal move",
  summary:
    "move the journal to a Postgres server, or back into a file; what was left stays as a backup that refuses writes",
  brief: "move the journal to a Postgres server, or back",
  group: "keep",
  byHand: true,
  flags: { to: { about: "postgres://user@host:5432/database?project=name, or sqlite", takes: "WHERE" } },
  examples: [
    "heddle journal move --to postgres://heddle@db.example.org/heddle?project=shop",
    "heddle journal move --to sqlite",
  ],
  run: async ({ root, packs, journals, flags }) => {
    const to = flags.one("to");
    if (to === undefined)
      throw new Usage(
        problem("no-place", "say where the journal goes", {
          hint: [
            toCall("journal move --to postgres://<user>@<host>:5432/<database>"),
            ", or: ",
            toCall("journal move --to sqlite"),
          ],
        }),
      );
    const { moveJournal } = await import("../../keep/move-journal.ts");
    const moved = await moveJournal({ root, packs, journals }, to);
    const lines = [
      `Moved ${moved.facts} fact${moved.facts === 1 ? "" : "s"} from ${moved.from} to ${moved.to}; both have the same chain.`,
      "The journal that was left is a backup, and refuses writes.",
    ];
    return { text: lines.join("\n"), json: moved };
  },
};
