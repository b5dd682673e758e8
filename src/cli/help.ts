// Help, made from the command objects.
import { type Command, usageLine } from "./command.ts";
import { commonFlags } from "./parse.ts";

const groups: readonly (readonly [Command["group"], string])[] = [
  ["run", "Work"],
  ["look", "Look"],
  ["steer", "Steer"],
  ["keep", "Keep"],
  ["state", "State, for hosts and scripts"],
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

export function overview(commands: readonly Command[]): string {
  const sections = groups.flatMap(([group, title]) => {
    const rows = commands
      .filter((command) => command.group === group)
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
