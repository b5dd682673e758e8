// What scripts are made of: what an agent was told, and the answers of a model that uses tools.
import type { Answer, Asked } from "./model.ts";
import type { ToolCall } from "./tools.ts";

/** What the agent was told: who it is, where it stands, what it is to read, where its result belongs. */
export function orderIn({ prompt }: Asked) {
  const find = (pattern: RegExp) => pattern.exec(prompt)?.[1] ?? "";
  const bundle = find(/bundle at (\S+) completely/);
  return {
    role: find(/You are the (\S+) of heddle/),
    bundle,
    workspace: find(/in the workspace (\S+)\.$/m),
    output: find(/write the result to (\S+)\. /),
    /** Whether it has heddle's own tools. */
    hasTools: prompt.includes("complete_task"),
    task: /\/([^/]+)-\d+\/bundle\.json$/.exec(bundle)?.[1] ?? "",
    attempt: Number(/-(\d+)\/bundle\.json$/.exec(bundle)?.[1]),
  };
}

export const use = (...tools: readonly ToolCall[]): Answer => ({ kind: "use", tools });
export const say = (text: string): Answer => ({ kind: "say", text });
export const read = (file_path: string) => ({ name: "Read", input: { file_path } });
export const write = (file_path: string, content: string) => ({
  name: "Write",
  input: { file_path, content },
});
export const bash = (command: string) => ({ name: "Bash", input: { command, description: "a command" } });
export const heddleTool = (name: string, input: object = {}) => ({
  name: `mcp__heddle__${name}`,
  input: { ...input },
});

/** One turn after the other: which comes next is told by how many tools have answered. */
export function inTurn(step: number, turns: readonly (readonly ToolCall[])[], last: string): Answer {
  let before = 0;
  for (const turn of turns) {
    before += turn.length;
    if (step < before) return use(...turn);
  }
  return say(last);
}

export function resultOf(
  task_id: string,
  created: readonly string[],
  modified: readonly string[] = [],
): string {
  return JSON.stringify({ version: "1.0", task_id, status: "success", files: { created, modified } });
}
