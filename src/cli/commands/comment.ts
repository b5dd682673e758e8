// `heddle comment`: what the next attempt at a task should know, as a whole or about one line of its diff.
import { type Command, Usage } from "../../command/command.ts";
import { problem } from "../../core/problem.ts";
import type { Comment } from "../../page/comment.ts";
import { comment } from "../comment.ts";

export const commentCommand: Command = {
  name: "comment",
  summary: "tell the next attempt at a task something, or comment on a line of its diff",
  brief: "tell the next attempt at a task something",
  group: "steer",
  args: [
    { name: "task", about: "a task id" },
    { name: "text", about: "what it should know", many: true, text: true },
  ],
  flags: { at: { about: "the line of the diff that it is about", takes: "PATH:LINE", text: true } },
  examples: [
    'heddle comment T007 "use the parser that is there"',
    'heddle comment T007 --at src/parse.ts:12 "this leaks the file"',
  ],
  run: async ({ app, args: [task = "", ...words], flags }) => {
    const text = words.join(" ");
    const at = placeIn(flags.one("at"));
    await comment(await app(), { task, text, at });
    return { text: `${task}: the next attempt will be told.`, json: { task, text, at } };
  },
};

function placeIn(word: string | undefined): Comment["at"] {
  if (word === undefined) return null;
  const [, path, line] = /^(.+):(\d{1,9})$/s.exec(word) ?? [];
  if (path !== undefined) return { path, line: Number(line) };
  throw new Usage(problem("bad-place", `\`${word}\` names no line`, { hint: "--at src/parse.ts:12" }));
}
