// Where heddle keeps what exists for moments. TMPDIR if something can be written there; where it is missing, full or
// read-only, the first of the usual places that can be written.
import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";

const usual = ["/tmp", "/var/tmp", "/dev/shm"];
const enoughBytes = 1024 * 1024;
let chosen: string | undefined;

/** Looked for once per process. Where there is none it is TMPDIR after all: whoever needs it says what is wrong with it. */
export function scratchPlace(): string {
  chosen ??= [tmpdir(), process.env.XDG_RUNTIME_DIR ?? "", ...usual].find(isUsable) ?? tmpdir();
  return chosen;
}

/** Only looked at: a folder made to try it would stay when heddle is killed in that moment. */
function isUsable(place: string): boolean {
  if (!place.startsWith("/")) return false;
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    const { bavail, bsize, ffree, files } = statfsSync(place);
    return statSync(place).isDirectory() && bavail * bsize >= enoughBytes && (files === 0 || ffree > 0);
  } catch {
    return false;
  }
}
