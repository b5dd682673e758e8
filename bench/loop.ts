// How long the orchestrator's event loop stands still at most while it executes tasks on large repositories: with many
// files, and with large ones. `test/attack/loop-watch.cjs` watches from inside; what the thread waited for a processor
// is taken off, so the figure can be trusted on a busy machine, but a slow disk counts.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, exactly, type Figure } from "./figure.ts";
import { cli, commitAll, project } from "./project.ts";

const program = `#!/bin/sh
echo "$HEDDLE_TASK" > "lib/d\${HEDDLE_TASK#T00}/f\${HEDDLE_TASK#T00}.txt"
echo "{\\"task_id\\": \\"$HEDDLE_TASK\\", \\"status\\": \\"success\\"}" > "$HEDDLE_OUTPUT"
`;

const tasks = 3;
const watcher = join(import.meta.dirname, "../test/attack/loop-watch.cjs");

export const loop: Bench = {
  name: "loop",
  run: async ({ quick }) => {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-bench-loop-")));
    const figures: Figure[] = [];
    const measure = async (name: string, size: { files: number; megabytes?: number }) => {
      const { ms, cpuMs } = await watched(scratch, size);
      figures.push({
        name: `loop: longest stand, ${name}`,
        unit: "ms",
        measured: exactly(ms),
        goal: { most: 100 },
      });
      figures.push({
        name: `loop: most computing in one turn, ${name}`,
        unit: "ms",
        measured: exactly(cpuMs),
      });
    };
    try {
      await measure("2,000 files", { files: 2_000 });
      await measure("50,000 files", { files: 50_000 });
      if (!quick) await measure("1 GB in 25 files", { files: 2_000, megabytes: 1_000 });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    return figures;
  },
};

async function watched(
  scratch: string,
  { files, megabytes = 0 }: { files: number; megabytes?: number },
): Promise<{ ms: number; cpuMs: number }> {
  const root = project(scratch, { tasks, files, program });
  if (megabytes > 0) addLarge(join(root, "app"), megabytes);
  const file = join(root, "watch.json");
  const words = ["--require", watcher, cli, "execute", "--parallel", "2", "--agent", "command:./agent.sh"];
  const child = spawn(process.execPath, [...words, "--json"], {
    cwd: root,
    stdio: "ignore",
    env: { ...process.env, LOOP_WATCH: file },
  });
  const code = await new Promise((settle) => child.on("exit", settle));
  if (code !== 0) throw new Error(`heddle execute ended with ${code} in ${root}`);
  const { longest } = JSON.parse(readFileSync(file, "utf8")) as { longest: { ms: number; cpuMs: number } };
  rmSync(root, { recursive: true, force: true });
  return longest;
}

/** Files of 40 MB, as large as git takes in without complaint; nothing in them can be compressed. */
function addLarge(target: string, megabytes: number): void {
  mkdirSync(join(target, "assets"), { recursive: true });
  for (let n = 0; n < megabytes / 40; n++)
    writeFileSync(join(target, "assets", `${n}.bin`), randomBytes(40_000_000));
  commitAll(target, "grow");
}
