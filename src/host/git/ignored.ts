// Which paths a set of .gitignore files leaves out, asked of git itself: one `check-ignore` process answers batch after
// batch. It reads rules from a folder that is given, and the repository's own `info/exclude`; nothing else.
import { spawn } from "node:child_process";
import { ownProgram } from "../program/programs.ts";
import { type GitDirectory, GitFailed, gitArguments, gitEnvironment, gitProblem } from "./git.ts";

export interface Ignored {
  /** Of `paths` (latin1, a folder with a slash at its end) those that are ignored. */
  ask(paths: readonly string[]): Promise<Set<string>>;
  close(): void;
}

const call = { args: ["check-ignore", "-z", "--stdin", "--verbose", "--non-matching", "--no-index"] };

/** Source, line, pattern and path: what git says for each question. */
const fieldsPerAnswer = 4;

export function startIgnored(at: GitDirectory, rules: string): Ignored {
  const whole = { ...call, workTree: rules };
  const child = spawn(ownProgram("git"), gitArguments(at, whole), {
    cwd: rules,
    env: gitEnvironment(whole),
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let waiting: { hear(chunk: string): void; fail(error: Error): void } | undefined;
  let error = "";
  let failure: Error | undefined;
  child.stdout?.setEncoding("latin1");
  child.stdout?.on("data", (chunk: string) => waiting?.hear(chunk));
  child.stderr?.on("data", (chunk: Buffer) => {
    error += chunk.toString("utf8").slice(0, 4096);
  });
  child.stdin?.on("error", () => {});
  const end = (code: number) => {
    const result = { code, error, out: Buffer.alloc(0), cut: false };
    failure ??= new GitFailed(gitProblem("check-ignore", result, at.gitDir));
    waiting?.fail(failure);
  };
  child.on("error", () => end(127));
  child.on("close", (code) => end(code ?? 128));
  return {
    ask: (paths) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        if (paths.length === 0) return resolve(new Set());
        let heard = "";
        let ends = 0;
        waiting = {
          fail: reject,
          hear: (chunk) => {
            heard += chunk;
            for (let i = 0; i < chunk.length; i++) if (chunk.charCodeAt(i) === 0) ends++;
            if (ends === paths.length * fieldsPerAnswer) resolve(ignoredAmong(heard));
          },
        };
        child.stdin.write(Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"));
      }),
    close: () => {
      waiting = undefined;
      child.stdin.end();
    },
  };
}

/** The last pattern that matches decides, and one that begins with `!` takes a path back in. */
function ignoredAmong(answer: string): Set<string> {
  const parts = answer.split("\0");
  const ignored = new Set<string>();
  for (let i = 0; i + 3 < parts.length; i += fieldsPerAnswer) {
    const pattern = parts[i + 2] ?? "";
    if (pattern !== "" && !pattern.startsWith("!")) ignored.add((parts[i + 3] ?? "").slice("./".length));
  }
  return ignored;
}
