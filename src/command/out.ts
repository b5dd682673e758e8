// Standard output and error, written at once: creating Node's streams costs more than most commands do.
import { writeSync } from "node:fs";

/** Where what is meant for standard output goes. */
let standardOutput: 1 | 2 = 1;

/** Standard output belongs to a protocol from now on: whatever anybody prints goes to standard error. */
export function keepClean(): void {
  standardOutput = 2;
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

export function print(text: string, fd: 1 | 2 = 1): void {
  put(text.endsWith("\n") || text === "" ? text : `${text}\n`, fd);
}

/** As it is, without an end of line. */
export function put(text: string, fd: 1 | 2 = 1): void {
  let bytes: Uint8Array = Buffer.from(text);
  const target = fd === 1 ? standardOutput : fd;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(target, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") continue;
      // Nobody reads on: the work is done all the same.
      if (code === "EPIPE") return;
      throw error;
    }
  }
}
