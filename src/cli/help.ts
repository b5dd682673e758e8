// Help, made from the command objects.
import { type Command, usageLine } from "../command/command.ts";
import { commonFlags } from "../command/parse.ts";

/** What most people ever type, in the order in which they meet it. */
const everyday = [
  ...["doctor", "run", "plan", "execute", "status", "show"],
  ...["why", "answer", "diff", "land", "undo", "runs"],
];

interface Topic {
  readonly word: string;
  readonly title: string;
  readonly has: (command: Command) => boolean;
}

const isOfScripts = ({ name, group }: Command) =>
  group === "state" || /^(?:bundle|attempt|check-output)\b/.test(name);

const ofGroup = (group: Command["group"]) => (command: Command) =>
  command.group === group && !isOfScripts(command);

export const topics: readonly Topic[] = [
  { word: "work", title: "Have work done", has: ofGroup("run") },
  { word: "look", title: "Look at it", has: ofGroup("look") },
  { word: "steer", title: "Steer it", has: ofGroup("steer") },
  { word: "keep", title: "Keep and set up", has: ofGroup("keep") },
  { word: "scripts", title: "State and bundles, for hosts and scripts", has: isOfScripts },
];

export function commandHelp(command: Command): string {
  const { args = [], flags = {}, examples } = command;
  const rows = [
    ...args.map(
      ({ name, about, choices }) =>
        [name.toUpperCase(), choices ? `${about}: ${choices.join(", ")}` : about] as const,
    ),
    ...Object.entries({ ...flags, ...commonFlags }).map(
      ([name, { takes, about, choices }]) =>
        [
          `--${name}${takes ? ` ${takes}` : ""}`,
          choices ? `${about}: ${choices.join(", ")}` : about,
        ] as const,
    ),
  ];
  return [
    `${command.name}: ${command.summary}`,
    "",
    `usage: ${usageLine(command)}`,
    "",
    ...table(rows),
    "",
    "examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

/** One screen. */
export function firstScreen(commands: readonly Command[]): string {
  const rows = everyday.flatMap((name) => {
    const found = commands.find((command) => command.name === name);
    return found ? [[name, found.brief ?? found.summary] as const] : [];
  });
  return [
    "heddle: plans, hands out, checks and merges the work of coding agents",
    "",
    ...table(rows),
    "",
    "heddle help COMMAND says more. heddle help --all lists every command,",
    `heddle help ${topics.map(({ word }) => word).join("|")} those of a topic.`,
    "heddle alone, on a terminal, is a prompt with all of them.",
  ].join("\n");
}

/** All of these, by topic. */
export function overview(commands: readonly Command[]): string {
  const sections = topics.flatMap(({ title, has }) => {
    const rows = commands
      .filter((each) => has(each) && !each.old)
      .map(({ name, summary }) => [name, summary] as const);
    return rows.length > 0 ? ["", `${title}:`, ...table(rows)] : [];
  });
  return [
    "heddle: plans, hands out, checks and merges the work of coding agents",
    ...sections,
    "",
    "heddle help COMMAND says more. heddle alone, on a terminal, is a prompt with all of them.",
  ].join("\n");
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
