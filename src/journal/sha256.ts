// SHA-256 in plain JavaScript. The chain of facts and the digest of a view are short texts, and loading
// `node:crypto` for them is the largest fixed cost of a one-shot command (bench/start.ts measures it).

const primes = firstPrimes(64);
const K = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const H = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const W = new Uint32Array(64);
const encoder = new TextEncoder();

export function sha256(text: string): string {
  const state = H.slice();
  const bytes = pad(encoder.encode(text));
  const words = new DataView(bytes.buffer);
  for (let offset = 0; offset < bytes.length; offset += 64) compress(state, words, offset);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function compress(state: Uint32Array, words: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) W[i] = words.getUint32(offset + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15] as number;
    const y = W[i - 2] as number;
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    W[i] = ((W[i - 16] as number) + s0 + (W[i - 7] as number) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (W[i] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = ((state[i] as number) + (sums[i] as number)) | 0;
}

function rotate(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  return padded;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}

/** The first 32 bits of the fractional part. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}
