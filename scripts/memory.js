// A /tmp of memory for the tests, theirs alone: root may mount one where nobody else sees it. The disk's own waiting and
// the making of thousands of small files on it are a fifth of the tests' time. Where that cannot be, they run on the disk.
import { spawnSync } from "node:child_process";
import { totalmem } from "node:os";
import { delimiter } from "node:path";

const place = "/tmp";
/** What all tests together need at one time is a tenth of this; a tmpfs takes half of the memory at most. */
const enough = 6 * 1024 ** 3;

/** A repository that lies in /tmp itself is kept where it is. */
const script = `set -e
root=$1
shift
case "$root" in ${place}/*) mount --rbind "$root" /mnt ;; esac
mount -t tmpfs -o mode=1777 tmpfs ${place}
case "$root" in ${place}/*) mkdir -p "$root"; mount --move /mnt "$root" ;; esac
cd "$root"
exec "$@"`;

/** The words of a command, or what runs it so. */
export function inMemory(root, words) {
  const around = ["unshare", "--mount", "sh", "-c", script, "sh", root];
  const possible = isRoot() && hasRoom() && !usesPlace(root);
  return possible && run([...around, "true"]) === 0 ? [...around, ...words] : words;
}

const isRoot = () => process.platform === "linux" && process.getuid() === 0;

function hasRoom() {
  const limit = process.constrainedMemory();
  return Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) >= enough;
}

/** Programs or settings that lie there would be gone. */
function usesPlace(root) {
  const places = Object.values(process.env).flatMap((value) => value.split(delimiter));
  return [...places, process.execPath].some((path) => isIn(place, path) && !isIn(root, path));
}

const isIn = (folder, path) => path === folder || path.startsWith(`${folder}/`);

const run = ([program, ...args]) => spawnSync(program, args, { stdio: "ignore" }).status;
