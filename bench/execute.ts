// What heddle itself costs per task: real runs of `heddle execute` with an agent that does next to nothing, in the box,
// with one acceptance command that looks for a folder. CPU of heddle and of everything it started; its memory at the highest; how
// long a run of 1,000 tasks takes to go on after a kill; and what one task more asks of the journal and of the machine.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, exactly, type Figure } from "./figure.ts";
import { childCpuMs, cli, makeTarget, peakMb, project, type Size } from "./project.ts";

const program = `#!/bin/sh
n=$(echo "$HEDDLE_TASK" | tr -dc 0-9 | sed 's/^0*//')
echo "$HEDDLE_TASK" > "lib/d$((n % 20))/f$((n % 20)).txt"
echo "{\\"task_id\\": \\"$HEDDLE_TASK\\", \\"status\\": \\"success\\"}" > "$HEDDLE_OUTPUT"
`;

export const execute: Bench = {
  name: "execute",
  run: async ({ quick }) => {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-bench-execute-")));
    try {
      const few = await measured(scratch, { tasks: quick ? 60 : 200, files: 20 });
      const many = await measured(scratch, { tasks: quick ? 200 : 2_000, files: 20 });
      const large = await measured(scratch, { tasks: quick ? 10 : 40, files: 2_000 });
      const plain = plainly(scratch, { tasks: quick ? 10 : 40, files: 2_000 });
      const recovery = await recovered(scratch, quick ? 200 : 1_000);
      const each = await counted(scratch, quick ? 8 : 24);
      return [
        figure(`cpu per task, 20 files, ${few.tasks} tasks`, few.cpuMs, "ms", { most: 150 }),
        figure(`cpu per task, 20 files, ${many.tasks} tasks`, many.cpuMs, "ms", { most: 150 }),
        figure(`growth of that from ${few.tasks} to ${many.tasks} tasks`, many.cpuMs / few.cpuMs, "x", {
          most: 1.15,
        }),
        figure("cpu per task, 2,000 files, against a shell script", large.cpuMs / plain, "x", { most: 1.5 }),
        figure("cpu per task, 2,000 files", large.cpuMs, "ms"),
        figure("memory of heddle at the highest", Math.max(few.peakMb, many.peakMb), "MB", { most: 200 }),
        figure("transactions per task", each.transactions, "", { most: 25 }),
        figure("facts read per task", each.facts, ""),
        figure("processes started per task", each.processes, ""),
        figure("time per task beside its cpu", each.waitingMs, "ms", { most: 100 }),
        figure(`going on after a kill, ${quick ? 200 : 1_000} tasks`, recovery, "s", { most: 5 }),
      ];
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

const figure = (name: string, value: number, unit: string, goal?: Figure["goal"]): Figure => ({
  name: `execute: ${name}`,
  unit,
  measured: exactly(value),
  ...(goal && { goal }),
});

const words = ["execute", "--parallel", "2", "--agent", "command:./agent.sh", "--json"];

interface Measured {
  readonly tasks: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

async function measured(scratch: string, size: Size): Promise<Measured> {
  const root = project(scratch, { ...size, program });
  const before = childCpuMs();
  const child = spawn(process.execPath, [cli, ...words], { cwd: root, stdio: "ignore" });
  const peak = peakMb(child.pid ?? 0);
  const code = await new Promise((settle) => child.on("exit", settle));
  if (code !== 0) throw new Error(`heddle execute ended with ${code} in ${root}`);
  const cpuMs = (childCpuMs() - before) / size.tasks;
  rmSync(root, { recursive: true, force: true });
  return { tasks: size.tasks, cpuMs, peakMb: peak() };
}

interface Asked {
  readonly transactions: number;
  readonly facts: number;
  readonly processes: number;
  readonly waitingMs: number;
}

/** What one task more asks for, one at a time: the difference between a run of one task and a run of `tasks` more. */
async function counted(scratch: string, tasks: number): Promise<Asked> {
  const [one, all] = [await asked(scratch, 1), await asked(scratch, 1 + tasks)];
  const each = (of: keyof Asked) => (all[of] - one[of]) / tasks;
  return {
    transactions: each("transactions"),
    facts: each("facts"),
    processes: each("processes"),
    waitingMs: each("waitingMs"),
  };
}

const counting = join(import.meta.dirname, "../test/execute/counting.cjs");

async function asked(scratch: string, tasks: number): Promise<Asked> {
  const root = project(scratch, { tasks, files: 20, program });
  const file = join(scratch, "counts.json");
  const alone = words.map((word) => (word === "2" ? "1" : word));
  const [cpuMs, startMs] = [childCpuMs(), performance.now()];
  const child = spawn(process.execPath, ["--require", counting, cli, ...alone], {
    cwd: root,
    stdio: "ignore",
    env: { ...process.env, HEDDLE_COUNTS: file },
  });
  const code = await new Promise((settle) => child.on("exit", settle));
  if (code !== 0) throw new Error(`heddle execute ended with ${code} in ${root}`);
  const waitingMs = performance.now() - startMs - (childCpuMs() - cpuMs);
  rmSync(root, { recursive: true, force: true });
  return { ...(JSON.parse(readFileSync(file, "utf8")) as Omit<Asked, "waitingMs">), waitingMs };
}

/** The same git and bwrap calls, from a shell. */
function plainly(scratch: string, { tasks, files }: Size): number {
  const target = join(scratch, `plain-${files}`);
  makeTarget(target, files);
  const box =
    "bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --die-with-parent --ro-bind / / --dev /dev --proc /proc";
  const script = `set -e
cd ${target}
export GIT_DIR=${target}/.git
tip=$(git rev-parse HEAD)
for n in $(seq ${tasks}); do
  work=${scratch}/w$n; room=${scratch}/r$n; mkdir -p $work $room
  export GIT_INDEX_FILE=${scratch}/i$n
  git --work-tree=$work read-tree -m -u $tip
  ${box} --bind $work $work --chdir $work sh -c "echo $n > lib/d$((n % 20))/f$((n % 20)).txt"
  git --work-tree=$work add -A
  tree=$(git write-tree)
  commit=$(git -c user.name=a -c user.email=a@b.c commit-tree $tree -p $tip -m work)
  GIT_INDEX_FILE=${scratch}/j$n git --work-tree=$room read-tree -m -u $tree
  ${box} --bind $room $room --chdir $room sh -c "test -d lib"
  next=$(git -c user.name=a -c user.email=a@b.c -c core.fsync=all commit-tree $tree -p $tip -m task)
  git -c core.fsync=all update-ref refs/heads/plain $next
  tip=$next
  rm -rf $work $room
done`;
  const before = childCpuMs();
  execFileSync("bash", ["-c", script], { stdio: ["ignore", "ignore", "inherit"] });
  return (childCpuMs() - before) / tasks;
}

/** From the start of another orchestrator until it has begun to work again. */
async function recovered(scratch: string, tasks: number): Promise<number> {
  const root = project(scratch, { tasks, files: 20, program });
  const first = spawn(process.execPath, [cli, ...words], { cwd: root, stdio: "ignore" });
  await merged(root, 5);
  first.kill("SIGKILL");
  await new Promise((settle) => first.on("exit", settle));
  const had = commits(root);
  const start = performance.now();
  const second = spawn(process.execPath, [cli, ...words], { cwd: root, stdio: "ignore" });
  await merged(root, had + 1);
  const seconds = (performance.now() - start) / 1000;
  second.kill("SIGKILL");
  await new Promise((settle) => second.on("exit", settle));
  return seconds;
}

async function merged(root: string, count: number): Promise<void> {
  while (commits(root) < count) await new Promise((settle) => setTimeout(settle, 20));
}

function commits(root: string): number {
  try {
    const args = ["-C", join(root, "app"), "rev-list", "--count", "main..heddle/plan-1"];
    return Number(execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return 0;
  }
}
