// A standard input that stays open: what is written here reaches the program while it runs. For programs that are
// spoken with, line by line.
import type { Writable } from "node:stream";

/** What is said before the program is there waits for it. Never throws: a program that is gone hears nothing. */
export class Talk {
  #waiting = "";
  #stream: Writable | undefined;
  #over = false;

  write(text: string): void {
    if (this.#over) return;
    if (this.#stream) this.#stream.write(text);
    else this.#waiting += text;
  }

  /** Nothing more will come. */
  end(): void {
    this.#over = true;
    this.#stream?.end();
  }

  /** For `launch.ts`: the program's end of it. */
  attach(stream: Writable): void {
    stream.on("error", () => {});
    this.#stream = stream;
    if (this.#waiting !== "") stream.write(this.#waiting);
    this.#waiting = "";
    if (this.#over) stream.end();
  }
}
