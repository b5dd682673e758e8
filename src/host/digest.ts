// Digests of files. Only commands that look at artifacts come here: loading `node:crypto` is dear.
import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";

export function textDigest(text: string | Uint8Array): string {
  return hash("sha256", text);
}

/** Nothing when it is not a file. */
export function fileDigest(path: string): string | null {
  if (!existsSync(path) || !statSync(path).isFile()) return null;
  return textDigest(readFileSync(path));
}
