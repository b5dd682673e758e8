// What runs first in a container: a shell that sets the program's environment, opens the way to the gateway, starts the
// program and tells heddle how it ended. It stays process 1, so whatever it leaves behind dies with it, and it ends all of
// them when heddle is gone. The image must bring /bin/sh; behind the gateway also a Node, or one that runs heddle's.
import type { Environment } from "../program/environment.ts";

/** Where heddle's folder for one box is in the box, read-only: its pipes, its socket, the program's environment. */
export const controlPlace = "/run/heddle";

/**
 * Called with the folder to start in, the port of the gate or nothing, the Node to serve it with, and the program. `life` is
 * held open by heddle alone: its end is heddle's. The program gets none of the descriptors.
 */
export const inside = `
c=${controlPlace}
exec 9<"$c/life" 8>"$c/status"
no() { echo "heddle-box: $1: $2" >&2; exit 125; }
. "$c/environment"
where=$1 port=$2 node=$3 forwarder=$4
shift 4
if [ -n "$port" ]; then
  "$node" -e 0 2>/dev/null || node=node
  said=$("$node" -e "$forwarder" "$port" "$c/gate" 2>&1 </dev/null 8>&- 9<&- &)
  [ -z "$said" ] || no gate "$said"
fi
cd "$where" 2>/dev/null || no no-folder "\\\`$where\\\` is not in the box"
found=
case $1 in
  */*) [ -e "$1" ] && found=$1 ;;
  *)
    IFS=:
    for each in $PATH; do
      [ -z "$found" ] && [ -f "$each/$1" ] && [ -x "$each/$1" ] && found=$each/$1
    done
    unset IFS each ;;
esac
[ -n "$found" ] || no not-found "\\\`$1\\\` is not in the image and was not given to the box"
[ -f "$found" ] && [ -x "$found" ] || no not-executable "\\\`$1\\\` cannot be executed"
shift
( read -r gone <&9; kill -9 -1 ) </dev/null >/dev/null 2>&1 8>&- &
unset c where port node forwarder said OLDPWD
# What this shell itself would say about the end is not the program's.
exec 7>&2 2>/dev/null
echo up >&8
( exec "$found" "$@" 2>&7 7>&- 8>&- 9<&- )
code=$?
echo "exit $code" >&8
exit $code
`;

/** Listens on the box's own loopback and passes on to heddle's socket; says nothing when it can, and why when it cannot. */
export const forwarder = `
const net = require("node:net"), fs = require("node:fs");
const [port, path] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true }, (own) => {
  const there = net.connect({ path, allowHalfOpen: true });
  const end = () => { own.destroy(); there.destroy(); };
  own.on("error", end).pipe(there);
  there.on("error", end).pipe(own);
});
server.on("error", (error) => { console.log("heddle's gate: " + error.message); process.exit(1); });
server.listen(Number(port), "127.0.0.1", 1024, () => {
  // Something must be there: Node ends itself when a socket gets one of these numbers.
  for (const fd of [1, 2]) { fs.closeSync(fd); fs.openSync("/dev/null", "r+"); }
});
`;

/** A name that a shell can set. */
export const isSettable = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** The program has exactly these: what the image and the engine set is taken away. */
export function environmentScript(environment: Environment, before: readonly string[]): string {
  const names = before.filter((name) => isSettable(name) && environment[name] === undefined);
  const unset = names.length === 0 ? [] : [`unset ${names.join(" ")}`];
  const set = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return `${[...unset, ...set].join("\n")}\n`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
