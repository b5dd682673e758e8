// Where Claude Code is. `claude` on a PATH is a link to the program, or a script of the npm package that starts it;
// the program itself is wanted, because a script between would keep a signal from it.
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { isExecutable, locate } from "../host/sandbox.ts";

export interface FoundClaude {
  readonly program: string;
  /** What it needs beside itself. */
  readonly readable: readonly string[];
}

/** `path` is what a person configured; without it the PATH is searched. */
export function findClaude(path: string | undefined, searchPath: string): FoundClaude | Problem {
  const found = path ?? locate("claude", searchPath);
  if (found === undefined)
    return problem("no-claude", "Claude Code (`claude`) is not installed", {
      hint: "npm install -g @anthropic-ai/claude-code",
    });
  if (!isExecutable(found))
    return problem("no-claude", `\`${found}\` is no program that can be started`, {
      hint: '"path" of the agent in .heddle/config.json, or npm install -g @anthropic-ai/claude-code',
    });
  const real = realpathSync(found);
  if (isNative(real)) return { program: real, readable: [] };
  const native = nativeBeside(real);
  if (native !== undefined) return { program: native, readable: [] };
  return { program: real, readable: [dirname(real)] };
}

const magics = ["7f454c46", "cffaedfe", "cafebabe"];

function isNative(path: string): boolean {
  const start = Buffer.alloc(4);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, 4, 0);
  } finally {
    closeSync(file);
  }
  return magics.includes(start.toString("hex"));
}

/** The npm package keeps the program in a package of its own for each platform. */
function nativeBeside(script: string): string | undefined {
  const at = script.lastIndexOf("/@anthropic-ai/claude-code/");
  if (at < 0) return undefined;
  const scope = script.slice(0, at + "/@anthropic-ai".length);
  const platform = `claude-code-${process.platform}-${process.arch}`;
  const inside = join(script.slice(0, at), "@anthropic-ai/claude-code/node_modules/@anthropic-ai");
  return [scope, inside]
    .flatMap((folder) => [join(folder, platform, "claude"), join(folder, `${platform}-musl`, "claude")])
    .filter(isExecutable)
    .map((path) => realpathSync(path))
    .find(isNative);
}
