// A small shell that outlives heddle by a moment. It holds the end of a pipe; when heddle dies, however it dies, the
// pipe closes and the shell clears away what heddle left: the groups it was told of, everything that carries heddle's
// mark, its passing folders. It is what keeps unconfined programs from surviving a `kill -9`, and it closes the few
// milliseconds in which a box is being set up and does not yet die with its parent. Of containers it also clears away what
// their engine keeps.
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { passingFolders } from "./pipes.ts";
import { signal } from "./processes.ts";

/**
 * The end of the pipe is read only when every copy of its other end is closed, also the one that a forked child holds
 * until its exec: from then on all children carry their marks. Several looks, because they may fork meanwhile. With a
 * process goes its group, in which one without an environment may be; what heddle starts never shares heddle's group.
 */
const script = `
groups=
boxes=
engine=
while read -r word id rest; do
  case $word in
    enter) boxes="$boxes $id"; engine=$rest ;;
    leave)
      rest=
      for each in $boxes; do [ "$each" = "$id" ] || rest="$rest $each"; done
      boxes=$rest ;;
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
  for file in $found; do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    group=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f3)
    [ "\${group:-0}" -gt 1 ] && kill -9 "-$group"
    kill -9 "$pid"
  done
  look=$((look + 1))
  sleep 0.05
done
[ -z "$boxes" ] || "$engine" rm --force $boxes
rm -rf "$2"*
`;

const session = crypto.randomUUID();
let keeper: ChildProcess | undefined;
const groups = new Set<number>();
const boxes = new Set<string>();

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

/** Removed with heddle if heddle ends first. `engine` is podman or docker. */
export function watchBox(engine: string, name: string): void {
  boxes.add(name);
  tell(`enter ${name} ${engine}`);
}

export function forgetBox(name: string): void {
  boxes.delete(name);
  tell(`leave ${name}`);
}

function start(): void {
  const child = spawn("/bin/sh", ["-c", script, "heddle-keeper", session, passingFolders()], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...ofEngines() },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  keeper = child;
  // Without a shell there is no keeper; boxes still die with heddle, and recovery finds the rest by their marks.
  child.on("error", () => {});
  // With no descriptors left there is not even a stream.
  const stdin = child.stdin as Socket | undefined;
  stdin?.on("error", () => {});
  child.unref();
  stdin?.unref();
  process.on("exit", () => {
    if (groups.size === 0 && boxes.size === 0 && child.pid !== undefined) signal(child.pid, "SIGKILL");
  });
}

/** An engine that runs without root finds its containers by these. */
function ofEngines(): NodeJS.ProcessEnv {
  const names = ["HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "DOCKER_CONTEXT"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function tell(words: string): void {
  keeper?.stdin?.write(`${words}\n`);
}
