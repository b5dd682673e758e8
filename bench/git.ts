// What the git layer costs per task, from the workspace to the moved branch: CPU of this process and of every git it
// started, how many those were, and how long a workspace and a snapshot take as the repository grows.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isProblem, type Problem } from "../src/core/problem.ts";
import { commitTree, mergeOnto, moveBranch } from "../src/host/git/integrate.ts";
import { openBranch, openRepository, type Repository } from "../src/host/git/repository.ts";
import { makeWorkspace, removeWorkspace, snapshot } from "../src/host/git/workspace.ts";
import { type Bench, exactly, type Figure } from "./figure.ts";

const branch = "heddle/bench";
const author = { name: "heddle", email: "heddle@localhost" };

export const git: Bench = {
  name: "git",
  run: async ({ quick }) => {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-bench-git-")));
    try {
      const figures: Figure[] = [];
      for (const files of quick ? [20, 2_000] : [20, 2_000, 5_000, 50_000])
        figures.push(...(await measure(scratch, files, files > 2_000 ? 1 : 20)));
      return figures;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

async function measure(scratch: string, files: number, tasks: number): Promise<Figure[]> {
  const target = join(scratch, `target-${files}`);
  makeTarget(target, files);
  const repo = good(await openRepository({ target, privateDir: `${target}-private`, exclude: [] }));
  const { start } = good(await openBranch(repo, "bench"));
  const place = (name: string) => join(scratch, `${files}-${name}`);
  let tip = start;
  const processes = await counted(scratch, async () => {
    tip = (await task(repo, { folder: place("counted"), index: place("counted.index"), tip })).tip;
  });
  const times = { workspaceMs: 0, snapshotMs: 0 };
  const before = cpuMs();
  for (let n = 0; n < tasks; n++) {
    const done = await task(repo, { folder: place(`${n}`), index: place(`${n}.index`), tip });
    tip = done.tip;
    times.workspaceMs += done.workspaceMs / tasks;
    times.snapshotMs += done.snapshotMs / tasks;
  }
  const cpu = (cpuMs() - before) / tasks;
  const alone = plainly(target, { folder: place("plain"), tip, tasks });
  const name = `git: ${files.toLocaleString("en-US")} files`;
  return [
    {
      name: `${name}, CPU per task`,
      unit: "ms",
      measured: exactly(cpu),
      ...(files === 20 ? { goal: { most: 75 } } : {}),
    },
    {
      name: `${name}, CPU against a shell script`,
      unit: "x",
      measured: exactly(cpu / alone),
      ...ratioGoal(files),
    },
    { name: `${name}, git processes per task`, unit: "", measured: exactly(processes) },
    { name: `${name}, a workspace`, unit: "ms", measured: exactly(times.workspaceMs) },
    { name: `${name}, a snapshot`, unit: "ms", measured: exactly(times.snapshotMs) },
  ];
}

/** At 20 files there is little but processes, and their number is the price of not trusting the workspace. */
const ratioGoal = (files: number) => (files === 2_000 ? { goal: { most: 1.5 } } : {});

/** The same steps as anybody would type them, trusting what is in the folder. */
function plainly(target: string, o: { folder: string; tip: string; tasks: number }): number {
  const script = [
    `export GIT_DIR=${target}/.git GIT_WORK_TREE=${o.folder} GIT_INDEX_FILE=${o.folder}.index`,
    `mkdir ${o.folder} && cd ${o.folder} && git read-tree -m -u ${o.tip}`,
    "echo changed > d0/f0.ts && echo added > added.ts && git add --all && tree=$(git write-tree)",
    `git diff-tree -r --raw --numstat ${o.tip} $tree > /dev/null`,
    `commit=$(echo bench | git -c user.name=x -c user.email=x@x commit-tree $tree -p ${o.tip})`,
    `git update-ref refs/heads/plain $commit && cd / && rm -rf ${o.folder} ${o.folder}.index`,
  ].join("\n");
  const before = cpuMs();
  for (let n = 0; n < o.tasks; n++) execFileSync("sh", ["-ec", script]);
  return (cpuMs() - before) / o.tasks;
}

/** One file changed, one added, onto the tip, as one commit. */
async function task(repo: Repository, o: { folder: string; index: string; tip: string }) {
  const began = performance.now();
  good(await makeWorkspace(repo, { ...o, base: o.tip }));
  const made = performance.now();
  writeFileSync(join(o.folder, "d0/f0.ts"), `changed in ${o.folder}\n`);
  writeFileSync(join(o.folder, "added.ts"), `added in ${o.folder}\n`);
  const ready = performance.now();
  const { tree } = good(await snapshot(repo, { ...o, base: o.tip, protect: [], declared: [] }));
  const snapshotMs = performance.now() - ready;
  const message = "T001: bench";
  const at = "2026-01-01T00:00:00Z";
  const theirs = await commitTree(repo, { tree, parents: [o.tip], message, author, at });
  const merged = await mergeOnto(repo, { base: o.tip, theirs, onto: o.tip });
  if (!merged.ok) throw new Error(merged.detail);
  const moved = await moveBranch(repo, { branch, from: o.tip, to: theirs });
  if (moved !== "moved") throw new Error(`the branch did not move: ${JSON.stringify(moved)}`);
  good(await removeWorkspace(o));
  return { tip: theirs, workspaceMs: made - began, snapshotMs };
}

function makeTarget(target: string, files: number): void {
  const run = (...args: string[]) =>
    execFileSync("git", [
      "-C",
      target,
      "-c",
      "user.name=x",
      "-c",
      "user.email=x@x",
      "-c",
      "core.fsync=none",
      ...args,
    ]);
  mkdirSync(target);
  run("init", "--quiet");
  writeFileSync(join(target, ".gitignore"), "node_modules/\n");
  for (let n = 0; n < files; n++) {
    const file = join(target, `d${n % 100}/f${n}.ts`);
    if (n < 100) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export const n${n} = ${n};\n`.repeat(40));
  }
  run("-c", "core.bigFileThreshold=1", "add", "--all");
  run("commit", "--quiet", "--message", "first");
}

/** How many gits `work` starts, by a git of ours that counts. */
async function counted(scratch: string, work: () => Promise<void>): Promise<number> {
  const folder = mkdtempSync(join(scratch, "counting-"));
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(folder, "git"), `#!/bin/sh\necho "$*" >> ${folder}/calls\nexec ${real} "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  await work();
  process.env.PATH = PATH;
  return readFileSync(join(folder, "calls"), "utf8").trim().split("\n").length;
}

/** Of this process and of the children it has waited for, whose time the kernel counts in hundredths of a second. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync("/proc/self/stat", "utf8");
  const after = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [childUser, childSystem] = [Number(after[13]), Number(after[14])];
  return (user + system) / 1000 + (childUser + childSystem) * 10;
}

function good<T>(answer: T | Problem): T {
  if (isProblem(answer)) throw new Error(`${answer.message} (${answer.hint})`);
  return answer;
}
