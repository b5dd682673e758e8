// A small shell that outlives heddle by a moment. It holds the end of a pipe; when heddle dies, however it dies, the
// pipe closes and the shell ends what heddle left running: the groups it was told of, and everything that carries
// heddle's mark. It is what keeps unconfined programs from surviving a `kill -9`, and it closes the few milliseconds
// in which a box is being set up and does not yet die with its parent.
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { signal } from "./processes.ts";

/** Several looks, because a process that is just being started carries no mark yet. */
const script = `
groups=
while read -r word id; do
  case $word in
    start) groups="$groups $id" ;;
    end)
      rest=
      for each in $groups; do [ "$each" = "$id" ] || rest="$rest $each"; done
      groups=$rest ;;
  esac
done
for id in $groups; do kill -9 "-$id"; done
look=0
while [ "$look" -lt 50 ]; do
  found=$(grep -lsaF -e "$1" /proc/[0-9]*/environ)
  [ -z "$found" ] && [ "$look" -ge 3 ] && break
  for file in $found; do file=\${file#/proc/}; kill -9 "\${file%/environ}"; done
  look=$((look + 1))
  sleep 0.05
done
`;

const session = crypto.randomUUID();
let keeper: ChildProcess | undefined;
const groups = new Set<number>();

/** This heddle's own mark, which everything it starts carries. The first call starts the keeper. */
export function underWatch(): string {
  if (keeper === undefined) start();
  return session;
}

/** Ends with heddle if heddle ends first. */
export function watchGroup(group: number): void {
  groups.add(group);
  tell(`start ${group}`);
}

export function forgetGroup(group: number): void {
  groups.delete(group);
  tell(`end ${group}`);
}

function start(): void {
  const child = spawn("/bin/sh", ["-c", script, "heddle-keeper", session], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  keeper = child;
  // Without a shell there is no keeper; boxes still die with heddle, and recovery finds the rest by their marks.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as Socket).unref();
  process.on("exit", () => {
    if (groups.size === 0 && child.pid !== undefined) signal(child.pid, "SIGKILL");
  });
}

function tell(words: string): void {
  keeper?.stdin?.write(`${words}\n`);
}
