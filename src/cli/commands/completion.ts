// `heddle completion`: shell completion, made from the command objects.
import type { Command } from "../command.ts";
import { commonFlags } from "../parse.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const completion: Command = {
  name: "completion",
  summary: "print a completion script for your shell",
  group: "keep",
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

function cases(commands: readonly Command[]): string {
  return commands
    .map(
      (command) =>
        `    "${command.name}") words="${[...choicesOf(command), ...flagsOf(command)].join(" ")}" ;;`,
    )
    .join("\n");
}

function bash(commands: readonly Command[]): string {
  const { first, second } = words(commands);
  return `# heddle completion for bash
_heddle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases(commands.filter((command) => command.name.includes(" ")))}
    *) case "\${COMP_WORDS[1]}" in
${cases(commands.filter((command) => !command.name.includes(" ")))}
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

function zsh(commands: readonly Command[]): string {
  return `#compdef heddle
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const { first, second } = words(commands);
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const lines = first.map((word) => {
    const about = commands.find((command) => command.name === word)?.summary ?? `${word} commands`;
    return `complete -c heddle -f -n __fish_use_subcommand -a ${word} -d ${quoted(about)}`;
  });
  const tails = second.flatMap(([word, following]) =>
    following.map((tail) => {
      const about = commands.find((command) => command.name === `${word} ${tail}`)?.summary ?? "";
      const where = `'__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${following.join(" ")}'`;
      return `complete -c heddle -f -n ${where} -a ${tail} -d ${quoted(about)}`;
    }),
  );
  const flags = commands.flatMap((command) => {
    const where = quoted(
      command.name
        .split(" ")
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join("; and "),
    );
    return Object.entries(command.flags ?? {}).map(
      ([flag, { about }]) => `complete -c heddle -n ${where} -l ${flag} -d ${quoted(about)}`,
    );
  });
  return ["# heddle completion for fish", ...lines, ...tails, ...flags].join("\n");
}
