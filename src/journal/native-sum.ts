// CRC-32 as Node itself has it. `node:zlib` would load all of Node's streams with it, 2 ms of a one-shot command, so
// the binding beneath it is asked first; a Node that no longer shows it answers by the module.
type Crc32 = (text: string, from?: number) => number;

let crc32: Crc32 | undefined;

export function nativeSum(text: string): number {
  crc32 ??= bound() ?? process.getBuiltinModule("node:zlib").crc32;
  return crc32(text, 0);
}

function bound(): Crc32 | undefined {
  try {
    const { binding } = process as unknown as { binding?: (name: string) => { crc32?: Crc32 } };
    return binding?.("zlib").crc32;
  } catch {
    return undefined;
  }
}
