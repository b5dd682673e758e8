// Following a file that somebody else writes, line by line. One that is not there yet is empty.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const chunkBytes = 256 * 1024;
/** A line that never ends is told in parts. */
const longestLine = 64 * 1024;

export class Tail {
  readonly #path: string;
  readonly #decoder = new StringDecoder("utf8");
  #offset = 0;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Whole lines that came since the last call. */
  *lines(): Generator<string> {
    for (let text = this.#read(); text !== ""; text = this.#read()) {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      yield* lines;
      if (this.#rest.length > longestLine) yield* this.last();
    }
  }

  /** What has no end of line, once nobody writes any more. */
  *last(): Generator<string> {
    if (this.#rest !== "") yield this.#rest;
    this.#rest = "";
  }

  #read(): string {
    let fd: number;
    try {
      fd = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch {
      return "";
    }
    try {
      if (!fstatSync(fd).isFile()) return "";
      const buffer = Buffer.alloc(chunkBytes);
      const bytes = readSync(fd, buffer, 0, chunkBytes, this.#offset);
      this.#offset += bytes;
      return this.#decoder.write(buffer.subarray(0, bytes));
    } finally {
      closeSync(fd);
    }
  }
}
