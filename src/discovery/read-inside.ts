// Reading one file of a folder that is not trusted. A link may lead to another file of the same folder and nowhere
// else; a pipe or a device is refused before it can block; at most so many bytes are read.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";

export type Refusal = "missing" | "outside" | "irregular" | "too large" | "unreadable" | "binary";

export interface Head {
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

/** The first bytes of a file. `root` is a real path; `path` is relative to it. Never throws, never waits. */
export function readHead(root: string, path: string, most: number): Head | Refusal {
  let fd: number;
  try {
    const real = realpathSync(join(root, path));
    if (!isWithin(root, real)) return "outside";
    fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return "irregular";
    const buffer = Buffer.alloc(Math.min(most, stat.size));
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, length), size: stat.size };
  } catch {
    return "unreadable";
  } finally {
    closeSync(fd);
  }
}

/** A whole text file, if it is one and small enough. */
export function readWhole(root: string, path: string, most: number): { readonly text: string } | Refusal {
  const head = readHead(root, path, most);
  if (typeof head === "string") return head;
  if (head.size > most) return "too large";
  const text = textOf(head.bytes);
  return text === undefined ? "binary" : { text };
}

export function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const text = bytes.toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

export function isWithin(root: string, path: string): boolean {
  const from = relative(root, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`));
}
