// On a Node that is too old: starts heddle with the one that is installed beside it, or says what to type. The process that
// a person sees and the one that works live and die together: signals are passed on, and a pipe between the two tells the
// one that works when the other is gone, however it ended.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { constants } from "node:os";
import { dirname, join } from "node:path";

/** The descriptor of the pipe, named in a variable that the one that works takes away at once. */
const tether = 3;
const tetherName = "HEDDLE_TETHER";

/** The platform's own Node is an optional dependency (`optionalDependencies` in package.json): npm installs the one that fits. */
function nodeBeside(): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const { resolve } = createRequire(import.meta.url);
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      const program = join(dirname(resolve(`${name}/package.json`)), "bin/node");
      if (existsSync(program)) return program;
    } catch {
      // Not installed: the next name, or the sentence below.
    }
  }
  return undefined;
}

function sayWhatIsMissing(reason: string): void {
  console.error(
    `error: heddle needs Node 24.16 or newer, and this is Node ${process.versions.node}; ${reason}\n` +
      "hint: install a newer Node from https://nodejs.org, or: npm install -g heddle --include=optional",
  );
  process.exitCode = 1;
}

export function startAgain(words: readonly string[]): void {
  const node = nodeBeside();
  if (node === undefined) {
    sayWhatIsMissing("no newer one is installed beside heddle");
    return;
  }
  const child = spawn(node, [process.argv[1] ?? "", ...words], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, [tetherName]: String(tether) },
  });
  // A terminal sends Ctrl-C to both, and twice means something else; anybody else sends it to this one alone.
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on("SIGINT", () => {
    if (!isTerminal) child.kill("SIGINT");
  });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.stdio[tether]?.on("error", () => {});
  // Built for another C library, as on Alpine.
  child.on("error", ({ message }) =>
    sayWhatIsMissing(`the one beside heddle does not start here (${message})`),
  );
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + (constants.signals[signal] ?? 15) : (code ?? 1);
  });
}

/** For the one that works: ends it, with everything that it keeps, as soon as the one that a person sees is gone. */
export function endWithParent(): void {
  delete process.env[tetherName];
  const pipe = new Socket({ fd: tether, readable: true, writable: false });
  const end = () => process.kill(process.pid, "SIGKILL");
  pipe.on("error", end);
  pipe.on("end", end);
  pipe.resume();
  pipe.unref();
}
