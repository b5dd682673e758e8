// Reading one file of a folder that is not trusted. A link may lead to another file of the same folder and nowhere
// else; a pipe or a device is refused before it can block; at most so many bytes are read.
import { join } from "node:path";
import { type Head, isWithin, type Refusal, readBytes } from "../host/handed-in.ts";

export { type Head, isWithin, type Refusal };

/** The first bytes of a file. `root` is a real path; `path` is relative to it. Never throws, never waits. */
export function readHead(root: string, path: string, most: number): Head | Refusal {
  return readBytes(join(root, path), { bytes: most }, { within: root, links: "inside" });
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
