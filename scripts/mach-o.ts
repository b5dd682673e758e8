// Signs a program for macOS without a Mac: Apple's processors start only what is signed, and packing takes Node's own signature
// away. An ad-hoc signature names nobody: it is the digests of the file's pages, in the form that Apple's open sources
// (xnu, cs_blobs.h) and Go's linker use.
import { createHash } from "node:crypto";

const commandSegment = 0x19;
const commandSignature = 0x1d;
const headerSize = 32;
const pageSize = 4096;
const hashSize = 32;
const directorySize = 88;
const blobHeaderSize = 20;

interface Segment {
  /** Where its load command is. */
  readonly at: number;
  readonly fileAt: number;
  readonly fileSize: number;
}

interface Layout {
  readonly segments: ReadonlyMap<string, Segment>;
  /** Where the load commands end, and how far they may grow: the first section's bytes follow. */
  readonly end: number;
  readonly room: number;
}

function layoutOf(file: Buffer): Layout {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error("it is no 64-bit program for macOS");
  const segments = new Map<string, Segment>();
  let [at, room] = [headerSize, Number.POSITIVE_INFINITY];
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const kind = file.readUInt32LE(at);
    if (kind === commandSignature) throw new Error("it is signed already");
    if (kind === commandSegment) {
      const name = file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "");
      const [fileAt, fileSize] = [
        Number(file.readBigUInt64LE(at + 40)),
        Number(file.readBigUInt64LE(at + 48)),
      ];
      segments.set(name, { at, fileAt, fileSize });
      for (let section = 0; section < file.readUInt32LE(at + 64); section++) {
        const bytesAt = file.readUInt32LE(at + 72 + section * 80 + 48);
        if (bytesAt > 0) room = Math.min(room, bytesAt);
      }
    }
    at += file.readUInt32LE(at + 4);
  }
  return { segments, end: at, room };
}

export function adHocSigned(program: Buffer, name: string): Buffer {
  const { segments, end, room } = layoutOf(program);
  const [text, last] = [segments.get("__TEXT"), segments.get("__LINKEDIT")];
  if (!text || !last || last.fileAt + last.fileSize !== program.length || end + 16 > room)
    throw new Error("there is no place for a signature in it");
  const signatureAt = Math.ceil(program.length / 16) * 16;
  const identity = Buffer.from(`${name}\0`);
  const pages = Math.ceil(signatureAt / pageSize);
  const size = blobHeaderSize + directorySize + identity.length + pages * hashSize;
  const file = Buffer.alloc(signatureAt + size);
  program.copy(file);
  file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
  file.writeUInt32LE(file.readUInt32LE(20) + 16, 20);
  for (const [place, value] of [commandSignature, 16, signatureAt, size].entries())
    file.writeUInt32LE(value, end + place * 4);
  const linkedSize = signatureAt + size - last.fileAt;
  file.writeBigUInt64LE(BigInt(Math.ceil(linkedSize / 0x4000) * 0x4000), last.at + 32);
  file.writeBigUInt64LE(BigInt(linkedSize), last.at + 48);
  writeSignature(file, { signatureAt, size, identity, pages, textSize: text.fileSize });
  return file;
}

interface Signature {
  readonly signatureAt: number;
  readonly size: number;
  readonly identity: Buffer;
  readonly pages: number;
  readonly textSize: number;
}

/** One blob in a list of one: the code directory. Its numbers are big-endian, unlike those of the file around it. */
function writeSignature(file: Buffer, { signatureAt, size, identity, pages, textSize }: Signature): void {
  const adHoc = 0x2;
  const hashesAt = directorySize + identity.length;
  const words = [0xfade0cc0, size, 1, 0, blobHeaderSize];
  words.push(
    0xfade0c02,
    size - blobHeaderSize,
    0x20400,
    adHoc,
    hashesAt,
    directorySize,
    0,
    pages,
    signatureAt,
  );
  // The digests' size, SHA-256, no platform, and the page's size as a power of two.
  words.push((hashSize << 24) | (2 << 16) | 12, 0, 0, 0, 0);
  // The limit in 64 bits where it does not fit; the text from 0 to its size; that it is a main program.
  words.push(0, 0, 0, 0, 0, textSize, 0, 1);
  for (const [place, word] of words.entries()) file.writeUInt32BE(word >>> 0, signatureAt + place * 4);
  const directory = signatureAt + blobHeaderSize;
  identity.copy(file, directory + directorySize);
  for (let page = 0; page < pages; page++) {
    const bytes = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, signatureAt));
    createHash("sha256")
      .update(bytes)
      .digest()
      .copy(file, directory + hashesAt + page * hashSize);
  }
}
