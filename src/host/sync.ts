// Asks the disk to keep a file, or the names in a folder, through a power cut.
import { closeSync, fsyncSync, openSync } from "node:fs";

export function sync(path: string | Buffer): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
