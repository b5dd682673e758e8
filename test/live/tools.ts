// Scripts call tools by Claude Code's names. Here they become what an agent offered to its model: the same, one of heddle's own
// under the name that the agent gave it, or a command for its shell.
import { dirname } from "node:path";

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What each agent's shell is called, and how it is told a command. */
const shells: Readonly<Record<string, (command: string) => ToolCall["input"]>> = {
  bash: (command) => ({ command, description: "a command" }),
  exec_command: (cmd) => ({ cmd, yield_time_ms: 30_000 }),
  run_shell_command: (command) => ({ command, description: "a command" }),
  shell_command: (command) => ({ command, timeout_ms: 60_000 }),
  shell: (command) => ({ command: ["bash", "-lc", command], timeout_ms: 60_000 }),
};

export function toolFor(call: ToolCall, offered: readonly string[]): ToolCall {
  if (offered.includes(call.name)) return call;
  const own = heddleTool(call);
  if (own !== undefined)
    return { ...call, name: offered.find((name) => name.endsWith(`heddle_${own}`)) ?? call.name };
  const shell = Object.keys(shells).find((name) => offered.includes(name)) ?? "bash";
  return { name: shell, input: shells[shell]?.(commandFor(call)) ?? {} };
}

/** `complete_task` and its like. */
export function heddleTool({ name }: ToolCall): string | undefined {
  return /^mcp__heddle__(\w+)$/.exec(name)?.[1];
}

function commandFor({ name, input }: ToolCall): string {
  const word = (key: string) => String(input[key]);
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  if (name === "Read") return `cat ${quoted(word("file_path"))}`;
  if (name === "Bash") return word("command");
  const path = quoted(word("file_path"));
  // No `$(…)`: Gemini CLI refuses it.
  return `mkdir -p ${quoted(dirname(word("file_path")))} && printf %s ${quoted(word("content"))} > ${path}`;
}
