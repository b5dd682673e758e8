// What an agent may say from inside its attempt beside proposing an end: over the socket (`inside.ts`), as commands and
// as MCP tools. Outside an attempt there is nobody to hear it.

import type { Command } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { Refused } from "../../../engine/app.ts";

const outside = (name: string) => (): never => {
  throw new Refused([
    problem("outside", `\`heddle ${name}\` works inside an attempt only`, {
      hint: [toCall("execute"), " starts attempts; ", { do: "show-status" }, " shows what there is"],
    }),
  ]);
};

export const bundle: Command = {
  name: "attempt bundle",
  summary: "read the bundle of this attempt: the task, its files, its criteria, how to work",
  group: "state",
  byHand: true,
  examples: ["heddle attempt bundle"],
  run: outside("attempt bundle"),
};

export const progress: Command = {
  name: "attempt progress",
  summary: "say what you are at, in one line; people who watch see it at once",
  group: "state",
  byHand: true,
  args: [{ name: "message", about: "what you are at", many: true, text: true }],
  examples: ['heddle attempt progress "the parser is done, now its tests"'],
  run: outside("attempt progress"),
};

export const ask: Command = {
  name: "attempt ask",
  summary: "ask a person what only a person can settle, then stop; the answer starts another attempt",
  group: "state",
  byHand: true,
  args: [{ name: "question", about: "the question", many: true, text: true }],
  flags: { option: { about: "answers to choose from", takes: "TEXT", many: true, text: true } },
  examples: ['heddle attempt ask "Which port?" --option 80 8080'],
  run: outside("attempt ask"),
};
