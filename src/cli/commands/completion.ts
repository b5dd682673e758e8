// `heddle completion`: shell completion, made from the command objects.
import type { Command, Flag } from "../command.ts";
import { commonFlags } from "../parse.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const completion: Command = {
  name: "completion",
  summary: "print a completion script for your shell",
  group: "keep",
  byHand: true,
  args: [{ name: "shell", about: "a shell", choices: shells }],
  examples: [
    'eval "$(heddle completion bash)"',
    "heddle completion fish > ~/.config/fish/completions/heddle.fish",
  ],
  run: async ({ args: [shell = ""], commands }) => {
    const all = await commands();
    const text = { bash, zsh, fish }[shell as (typeof shells)[number]](all);
    return { text, json: { shell, script: text } };
  },
};

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

/** What may follow each command, as branches of a `case` in a shell. */
function cases(commands: readonly Command[], assign: (list: string) => string): string {
  return commands
    .map(
      (command) =>
        `    "${command.name}") ${assign([...choicesOf(command), ...flagsOf(command)].join(" "))} ;;`,
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
  const flags = commands.flatMap((command) =>
    fishFlags(command.flags ?? {}, `-n '__heddle_begun ${command.name}'`),
  );
  return [
    "# heddle completion for fish",
    fishFunctions,
    ...heads,
    ...tails,
    ...choices,
    ...flags,
    ...fishFlags(commonFlags, ""),
  ].join("\n");
}

function fishFlags(flags: Readonly<Record<string, Flag>>, where: string): string[] {
  return Object.entries(flags).map(([flag, { about, takes, choices }]) => {
    const value = choices ? ` -x -a ${quoted(choices.join(" "))}` : takes === undefined ? "" : " -r";
    return `complete -c heddle ${where} -l ${flag} -d ${quoted(about)}${value}`.replaceAll("  ", " ");
  });
}
