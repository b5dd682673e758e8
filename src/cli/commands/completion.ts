// `heddle completion`: shell completion, made from the command objects.

import type { Call, Command, Flag, Reply } from "../../command/command.ts";
import { commonFlags } from "../../command/parse.ts";
import { pathsIn } from "../../engine/paths.ts";
import { packs } from "../../packs/packs.ts";

const shells = ["bash", "zsh", "fish"] as const;
/** What a project has: the scripts ask for it when it is needed. */
const lists = ["runs", "tasks", "agents"] as const;
type ListName = (typeof lists)[number];

export const completion: Command = {
  name: "completion",
  summary: "print a completion script for your shell",
  group: "keep",
  byHand: true,
  args: [{ name: "shell", about: "a shell, or what its script asks for", choices: [...shells, ...lists] }],
  examples: [
    'eval "$(heddle completion bash)"',
    "heddle completion fish > ~/.config/fish/completions/heddle.fish",
  ],
  run: async (call) => {
    const [shell = ""] = call.args;
    if (lists.includes(shell as ListName)) return listed(call, shell as ListName);
    const all = await call.commands();
    const text = { bash, zsh, fish }[shell as (typeof shells)[number]](all);
    return { text, json: { shell, script: text } };
  },
};

/** Silent where there is no project: a completion that complains is in the way. */
async function listed(call: Call, name: ListName): Promise<Reply> {
  const found = await namesOf(call, name).catch(() => []);
  return { text: found.join("\n"), json: found };
}

const mostNames = 500;
const withGraph = packs.filter((pack) => pack.hasTasks).map(({ name }) => name);

async function namesOf({ app, root }: Call, name: ListName): Promise<readonly string[]> {
  if (name === "agents") {
    const { offeredNames } = await import("../../orders/agents.ts");
    const { readConfig } = await import("../../orders/config.ts");
    return [...offeredNames(readConfig(pathsIn(root).heddle)), "command:", "scripted:"];
  }
  const opened = await app();
  if (name === "runs")
    return (await opened.journal.runs()).filter(({ archived }) => !archived).map(({ id }) => id);
  return (await opened.preferring(...withGraph)).look((run) =>
    [...run.tasks.all()].slice(0, mostNames).map(({ def }) => def.id),
  );
}

/** What a command's first word, or the word after a flag, is one of. */
function offeredBy(arg: { readonly name: string; readonly about: string } | undefined): ListName | undefined {
  if (arg === undefined) return undefined;
  if (arg.name === "run") return "runs";
  if (arg.name === "agent") return "agents";
  return /\btask(?:'s)? id\b|only this task/.test(arg.about) ? "tasks" : undefined;
}

const ask = (name: ListName) => `$(heddle completion ${name} 2>/dev/null)`;

const flagsOf = (command: Command) =>
  Object.keys({ ...command.flags, ...commonFlags }).map((flag) => `--${flag}`);
const choicesOf = (command: Command) => command.args?.[0]?.choices ?? [];

/** First words, second words by first word, and what may follow each command. */
function words(commands: readonly Command[]) {
  const first = [...new Set(commands.map((command) => command.name.split(" ")[0] ?? ""))];
  const second = first.map((word) => {
    const following = commands
      .map((command) => command.name.split(" "))
      .filter(([head, tail]) => head === word && tail);
    return [word, following.map(([, tail]) => tail ?? "")] as const;
  });
  return { first, second: second.filter(([, following]) => following.length > 0) };
}

function dynamic(command: Command): string[] {
  const name = offeredBy(command.args?.[0]);
  return name === undefined ? [] : [ask(name)];
}

/** What may follow each command, as branches of a `case` in a shell. */
function cases(commands: readonly Command[], assign: (list: string) => string): string {
  return commands
    .map(
      (command) =>
        `    "${command.name}") ${assign([...dynamic(command), ...choicesOf(command), ...flagsOf(command)].join(" "))} ;;`,
    )
    .join("\n");
}

const ofTwoWords = (command: Command) => command.name.includes(" ");

function bash(commands: readonly Command[]): string {
  const { first, second } = words(commands);
  const assign = (list: string) => `words="${list}"`;
  return `# heddle completion for bash
_heddle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases(commands.filter(ofTwoWords), assign)}
    *) case "\${COMP_WORDS[1]}" in
${cases(
  commands.filter((command) => !ofTwoWords(command)),
  assign,
)}
    esac ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${first.join(" ")}"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${second.map(([word, following]) => `      ${word}) words="${following.join(" ")}" ;;`).join("\n")}
    esac
  fi
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --run) words="${ask("runs")}" ;;
    --agent) words="${ask("agents")}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _heddle heddle`;
}

/** Also as a file `_heddle` in `$fpath`: then the whole text is the function's body at its first call. */
function zsh(commands: readonly Command[]): string {
  const { first, second } = words(commands);
  const assign = (list: string) => `offered=(${list})`;
  return `#compdef heddle
_heddle() {
  local -a plain offered
  plain=(\${words[2,CURRENT-1]:#-*})
  case "$plain[1] $plain[2]" in
${cases(commands.filter(ofTwoWords), assign)}
    *) case "$plain[1]" in
${cases(
  commands.filter((command) => !ofTwoWords(command)),
  assign,
)}
    esac ;;
  esac
  if [[ $#plain -eq 0 ]]; then offered=(${first.join(" ")})
  elif [[ $#plain -eq 1 ]]; then
    case "$plain[1]" in
${second.map(([word, following]) => `      ${word}) offered=(${following.join(" ")}) ;;`).join("\n")}
    esac
  fi
  case "$words[CURRENT-1]" in
    --run) offered=(${ask("runs")}) ;;
    --agent) offered=(${ask("agents")}) ;;
  esac
  compadd -a offered || _files
}
if [[ $funcstack[1] == _heddle ]]; then _heddle "$@"; else compdef _heddle heddle; fi`;
}

/** `__heddle_said`: the words so far are these, flags apart. `__heddle_begun`: they begin so. */
const fishFunctions = `function __heddle_plain
  commandline -opc | string match -v -- '-*'
end
function __heddle_said
  test (string join ' ' (__heddle_plain)) = (string join ' ' heddle $argv)
end
function __heddle_begun
  set -l plain (__heddle_plain)
  test (string join ' ' $plain[1..(math (count $argv) + 1)]) = (string join ' ' heddle $argv)
end`;

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(commands: readonly Command[]): string {
  const { first, second } = words(commands);
  const summary = (name: string) => commands.find((command) => command.name === name)?.summary;
  const heads = first.map((word) => {
    const about = quoted(summary(word) ?? `${word} commands`);
    return `complete -c heddle -f -n __heddle_said -a ${word} -d ${about}`;
  });
  const tails = second.flatMap(([word, following]) =>
    following.map(
      (tail) =>
        `complete -c heddle -f -n '__heddle_said ${word}' -a ${tail} -d ${quoted(summary(`${word} ${tail}`) ?? "")}`,
    ),
  );
  const choices = commands
    .filter((command) => choicesOf(command).length > 0)
    .map(
      (command) =>
        `complete -c heddle -f -n '__heddle_said ${command.name}' -a ${quoted(choicesOf(command).join(" "))}`,
    );
  const found = commands.flatMap((command) => {
    const name = offeredBy(command.args?.[0]);
    if (name === undefined) return [];
    return [
      `complete -c heddle -f -n '__heddle_said ${command.name}' -a '(heddle completion ${name} 2>/dev/null)'`,
    ];
  });
  const flags = commands.flatMap((command) =>
    fishFlags(command.flags ?? {}, `-n '__heddle_begun ${command.name}'`),
  );
  return [
    "# heddle completion for fish",
    fishFunctions,
    ...heads,
    ...tails,
    ...choices,
    ...found,
    ...flags,
    ...fishFlags(commonFlags, ""),
  ].join("\n");
}

function fishFlags(flags: Readonly<Record<string, Flag>>, where: string): string[] {
  return Object.entries(flags).map(([flag, { about, takes, choices }]) => {
    const list = flag === "run" ? "runs" : flag === "agent" ? "agents" : undefined;
    const offered = choices?.join(" ") ?? (list && `(heddle completion ${list} 2>/dev/null)`);
    const value = offered ? ` -x -a ${quoted(offered)}` : takes === undefined ? "" : " -r";
    return `complete -c heddle ${where} -l ${flag} -d ${quoted(about)}${value}`.replaceAll("  ", " ");
  });
}
