// A sum over a text, against flipped bytes in stored rows and edits of views: CRC-32 of its UTF-8. Not against
// malice: that is `sha256`. The machine's own is taken where there is one: a loop here costs a one-shot command
// 5 ms, most of it the compiler's (bench/start.ts).

export type Sum = (text: string) => number;

let sum: Sum = crc32;

export function useSum(native: Sum): void {
  sum = native;
}

export function checksum(text: string): number {
  return sum(text);
}

/** Whether a stored sum is that of the text; journals of format 1 hold the sum that was used then. */
export function isSumOf(text: string, stored: number): boolean {
  return stored === sum(text) || stored === firstSum(text);
}

export function crc32(text: string): number {
  remainders ??= Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));
  let crc = -1;
  for (const byte of new TextEncoder().encode(text))
    crc = (crc >>> 8) ^ (remainders[(crc ^ byte) & 255] as number);
  return ~crc >>> 0;
}

let remainders: Int32Array | undefined;

function remainderOf(byte: number): number {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
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
