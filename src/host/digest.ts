// Digests of files. Only commands that look at artifacts come here: loading `node:crypto` takes milliseconds.
import { createHash, hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { isTurnOver, nextTurn } from "./turns.ts";

export function textDigest(text: string | Uint8Array): string {
  return hash("sha256", text);
}

/** Nothing when it is not a file. A pipe is not waited for. */
export function fileDigest(path: string): string | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(fd).isFile() ? textDigest(readFileSync(fd)) : null;
  } finally {
    closeSync(fd);
  }
}

const smallBytes = 256 * 1024;

/** As `fileDigest`, for a file of any size and for many of them: nothing waits for it. */
export async function digestInTurns(path: string): Promise<string | null> {
  if (isTurnOver()) await nextTurn();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size <= smallBytes) return fileDigest(path);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return null;
    const sum = createHash("sha256");
    const piece = Buffer.allocUnsafe(smallBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return sum.digest("hex");
      sum.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
