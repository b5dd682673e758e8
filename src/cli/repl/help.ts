// `/help`: what a person at the prompt needs, from the command objects, and the keys.
import type { Command } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { packs } from "../../packs/packs.ts";
import { folded } from "./layout.ts";

/** In the order in which they are met. Those that this heddle does not have are left out. */
const everyday = [
  "next",
  ...packs.flatMap((pack) => pack.everyday),
  "status",
  "tasks",
  "why",
  "attach",
  "history",
  "report",
  "halt",
  "resume",
  "answer",
  "undo",
  "land",
];

const keys = [
  ["Tab", "completes commands, flags, task and question ids"],
  ["Up, Down", "go through what was typed before"],
  ["Alt-Enter", "begins a new line; pasted lines stay together"],
  ["Ctrl-C", "halts what runs; again: ends it; at an empty prompt: leaves"],
  ["STOP", "halts, too"],
] as const;

export function helpText(commands: readonly Command[]): string {
  const rows = everyday.flatMap((name): (readonly [string, string])[] => {
    const found = commands.find((command) => command.name === name);
    const family = commands.filter((command) => command.name.startsWith(`${name} `));
    if (found) return [[`/${name}`, found.summary]];
    return family.length > 0
      ? [[`/${name} …`, family.map((each) => each.name.split(" ")[1]).join(", ")]]
      : [];
  });
  const own = [
    ["/override", "go on although the rules say no: /override REASON [--to PHASE]"],
    ["/log", "the newest facts"],
    ["/help", "this; /help COMMAND says more"],
    ["/quit", "leave; what runs is halted first"],
  ] as const;
  const width = Math.max(...[...rows, ...own].map(([left]) => left.length), 9);
  const line = ([left, right]: readonly [string, string]) => {
    const [first, ...more] = folded(right, Math.max(20, terminal().width - width - 5));
    return [`  ${left.padEnd(width)}  ${first}`, ...more.map((each) => " ".repeat(width + 4) + each)].join(
      "\n",
    );
  };
  return [
    ...[...rows, ...own].map(line),
    "",
    ...keys.map(line),
    "",
    ...folded(
      "Plain words answer what is asked; otherwise the project says what to do next.",
      terminal().width - 1,
    ),
  ].join("\n");
}
