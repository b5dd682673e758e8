// Projects to execute in the benches, and what running processes cost.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { planFiles } from "../test/e2e/plan-files.ts";
import { planning } from "../test/e2e/planning-steps.ts";

export const cli = join(import.meta.dirname, "../dist/heddle.js");
const makeReady = join(import.meta.dirname, "make-ready.ts");

export interface Size {
  readonly tasks: number;
  readonly files: number;
}

/** One in phase `ready`; its agent is `agent.sh` in its folder. */
export function project(
  scratch: string,
  { tasks, files, program }: Size & { readonly program: string },
): string {
  const root = join(scratch, `${tasks}-${files}-${Math.random().toString(36).slice(2)}`);
  makeTarget(join(root, "app"), files);
  // Twenty files in turn: the repository does not grow, and tasks that share a file follow one another.
  const after = (n: number) => (n > 20 ? [n - 20] : []);
  const more = (n: number) => ({
    files: [
      { path: `lib/d${n % 20}/f${n % 20}.txt`, action: "modify", layer: "domain", purpose: "its part" },
    ],
    acceptance_criteria: [{ criterion: "nothing is wrong", verification: "test -d lib" }],
  });
  for (const [path, text] of planFiles({ tasks, more, after }, join(root, "app")))
    write(join(root, path), text);
  const steps = JSON.stringify([["init", "app"], ...planning]);
  execFileSync(process.execPath, [makeReady, root, steps], { stdio: "ignore" });
  write(join(root, "agent.sh"), program);
  chmodSync(join(root, "agent.sh"), 0o755);
  write(join(root, ".heddle/config.json"), JSON.stringify({ land: "never" }));
  return root;
}

export function makeTarget(target: string, files: number): void {
  for (let n = 0; n < files; n++) write(join(target, `lib/d${n % 40}/f${n}.txt`), `file ${n}\n`);
  execFileSync("git", ["-C", target, "init", "-q", "-b", "main"], { stdio: "ignore" });
  commitAll(target, "begin");
}

export function commitAll(target: string, message: string): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", target, ...args], { stdio: "ignore" });
  git("-c", "core.compression=0", "add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", message);
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Of all children that have ended, and of theirs: user and system time, from the kernel's account. */
export function childCpuMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Looks at a process until it is gone, and tells the most memory that it ever had. */
export function peakMb(pid: number): () => number {
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, 50);
  return () => {
    clearInterval(look);
    return most;
  };
}

function residentMb(pid: number): number {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
