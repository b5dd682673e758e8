// Processes and what they cost. The counting itself is done by `wait4.py`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface Command {
  readonly cwd: string;
  /** Arguments of the Node that runs the bench. */
  readonly args: readonly string[];
}

export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** Runs the commands one after the other. Every one must succeed: what fails early would look fast. */
export function costsOf(commands: readonly Command[]): Cost[] {
  const lines = commands.map(({ cwd, args }) => JSON.stringify([cwd, process.execPath, ...args]));
  const { stdout, status } = spawnSync("python3", [join(import.meta.dirname, "wait4.py")], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    env: environment(),
  });
  const rows = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { wall: number; cpu: number; rss: number; code: number });
  const failed = rows.findIndex((row) => row.code !== 0);
  const command = commands[failed < 0 ? rows.length : failed];
  if (command || status !== 0)
    throw new Error(`\`node ${command?.args.join(" ")}\` failed in ${command?.cwd}`);
  return rows.map(({ wall, cpu, rss }) => ({ wallMs: wall * 1000, cpuMs: cpu * 1000, rssMb: rss / 1024 }));
}

/** Without what npm and vitest put there: it changes how Node starts. */
function environment(): NodeJS.ProcessEnv {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "USER"];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.includes(name)));
}
