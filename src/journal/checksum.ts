// A sum over a text, against flipped bytes in stored rows and edits of views: CRC-32 of its UTF-8, by Node's own code. It
// does not guard against malice: the chain's SHA-256 does. `node:zlib` would load all of Node's streams with it, 2 ms of a
// one-shot command, so the binding beneath it is asked first; a Node that no longer shows it answers by the module.

type Crc32 = (text: string, from?: number) => number;

let crc32: Crc32 | undefined;

export function checksum(text: string): number {
  crc32 ??= bound() ?? process.getBuiltinModule("node:zlib").crc32;
  return crc32(text, 0);
}

/** Whether a stored sum is that of the text; journals of format 1 hold the sum that was used then. */
export function isSumOf(text: string, stored: number): boolean {
  return stored === checksum(text) || stored === firstSum(text);
}

function bound(): Crc32 | undefined {
  try {
    const { binding } = process as unknown as { binding?: (name: string) => { crc32?: Crc32 } };
    return binding?.("zlib").crc32;
  } catch {
    return undefined;
  }
}

export function firstSum(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}
