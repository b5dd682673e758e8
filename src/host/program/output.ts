// What a program prints: cut into lines of bounded length for those who listen, and kept byte for byte on disk. Any
// bytes will do: what is not UTF-8 is shown with U+FFFD and kept as it came, and a NUL is a character like others.
import { closeSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { type Problem, problem } from "../../core/problem.ts";
import type { RedactedStream } from "./redact.ts";

export interface Line {
  readonly text: string;
  /** There was more of it than `lineBytes`, or the output ended at its limit; the rest was dropped. */
  readonly cut: boolean;
}

const newline = 0x0a;

/** Holds at most `lineBytes`, however long a line gets and however small the pieces are in which it comes. */
export class Lines {
  readonly #lineBytes: number;
  readonly #give: (line: Line) => void;
  #part = Buffer.alloc(0);
  #length = 0;
  #cut = false;

  constructor(lineBytes: number, give: (line: Line) => void) {
    this.#lineBytes = lineBytes;
    this.#give = give;
  }

  push(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const rest = bytes.subarray(start, end);
      if (this.#length === 0 && rest.length <= this.#lineBytes && !this.#cut) this.#emit(rest);
      else {
        this.#add(rest);
        this.#emit(this.#part.subarray(0, this.#length));
      }
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
  }

  /** The last line, when it has no newline. */
  end(cut: boolean): void {
    this.#cut ||= cut;
    if (this.#length > 0) this.#emit(this.#part.subarray(0, this.#length));
  }

  #add(bytes: Buffer): void {
    const room = this.#lineBytes - this.#length;
    const fitting = Math.min(room, bytes.length);
    if (fitting < bytes.length) this.#cut = true;
    if (fitting === 0) return;
    if (this.#length + fitting > this.#part.length) {
      const size = Math.min(this.#lineBytes, Math.max(256, 2 * (this.#length + fitting)));
      const larger = Buffer.allocUnsafe(size);
      this.#part.copy(larger, 0, 0, this.#length);
      this.#part = larger;
    }
    bytes.copy(this.#part, this.#length, 0, fitting);
    this.#length += fitting;
  }

  #emit(bytes: Buffer): void {
    const cut = this.#cut;
    const text = cut ? wholeCharacters(bytes) : bytes.toString("utf8");
    this.#length = 0;
    this.#cut = false;
    // A long line is rare; its room is not kept for the short ones that follow.
    if (this.#part.length > 64 * 1024) this.#part = Buffer.alloc(0);
    this.#give({ text: text.endsWith("\r") ? text.slice(0, -1) : text, cut });
  }
}

/** Without the half of a character at which a line was cut. */
function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** One file of raw output. Its first failure is remembered, and nothing is written after it. Never throws. */
export class KeptOutput {
  readonly #path: string;
  #fd: number | undefined;
  problem: Problem | undefined;

  /** An old file is replaced, not written to; a link or a pipe that lies there stays as it is, and nothing is kept. */
  constructor(path: string) {
    this.#path = path;
    this.#attempt(() => {
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
      this.#fd = openSync(path, "wx", 0o600);
    });
  }

  write(bytes: Buffer): void {
    const fd = this.#fd;
    if (fd === undefined || this.problem) return;
    this.#attempt(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    });
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) this.#attempt(() => closeSync(fd));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      this.problem ??= problem("not-kept", `output could not be kept in \`${this.#path}\` (${code})`, {
        place: { file: this.#path },
      });
    }
  }
}

/** One of a program's two streams on its way: counted by the caller, redacted, kept, cut into lines. */
export class Output {
  readonly #redacted: RedactedStream | undefined;
  readonly #kept: KeptOutput | undefined;
  readonly #lines: Lines;

  constructor(lines: Lines, kept: KeptOutput | undefined, redacted: RedactedStream | undefined) {
    this.#lines = lines;
    this.#kept = kept;
    this.#redacted = redacted;
  }

  push(bytes: Buffer): void {
    this.#pass(this.#redacted ? this.#redacted.push(bytes) : bytes);
  }

  end(cut: boolean): void {
    if (this.#redacted) this.#pass(this.#redacted.end());
    this.#lines.end(cut);
    this.#kept?.close();
  }

  #pass(bytes: Buffer): void {
    this.#kept?.write(bytes);
    this.#lines.push(bytes);
  }
}
