// git's index file, read without a process: which paths are known, and what their files looked like when git last saw
// them. Only files that git wrote for heddle come here, always in version 2 or 3. Paths are bytes, kept as latin1.
import { readFile, stat } from "node:fs/promises";
import { isTurnOver, nextTurn } from "../turns.ts";

export interface IndexEntry {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly inode: number;
  readonly modified: bigint;
  readonly changed: bigint;
}

export interface IndexFile {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** When it was written: a file touched at that moment or later may have changed unseen. */
  readonly written: bigint;
}

export const modes = { link: 0o120000, gitlink: 0o160000 } as const;

export async function readIndex(file: string, hashBytes: number): Promise<IndexFile> {
  const bytes = await readFile(file);
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 3)
    throw new Error(`bug: ${file} is not an index that heddle had git write`);
  const entries = new Map<string, IndexEntry>();
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (isTurnOver()) await nextTurn();
    const flags = bytes.readUInt16BE(at + 40 + hashBytes);
    const nameAt = at + 42 + hashBytes + ((flags & 0x4000) === 0 ? 0 : 2);
    const nameEnd = bytes.indexOf(0, nameAt);
    const path = bytes.toString("latin1", nameAt, nameEnd);
    entries.set(path, {
      path,
      changed: time(bytes, at),
      modified: time(bytes, at + 8),
      inode: bytes.readUInt32BE(at + 20),
      mode: bytes.readUInt32BE(at + 24),
      size: bytes.readUInt32BE(at + 36),
    });
    at += ((nameEnd - at + 8) >> 3) << 3;
  }
  return { entries, written: (await stat(file, { bigint: true })).mtimeNs };
}

const time = (bytes: Buffer, at: number) =>
  BigInt(bytes.readUInt32BE(at)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(at + 4));
