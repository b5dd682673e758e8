// Lines for a file that come faster than a file is opened and closed, as those of an agent that prints much: what arrives
// in one turn of the loop is written at once. A full disk or a folder that was moved away must not end the agent at work:
// what could not be written is tried again with the next lines, and what counts is written down elsewhere and fails there.
import { append } from "./files.ts";

/** Enough for one write; more is not held back. */
const mostCharacters = 256 * 1024;
/** What cannot be written is kept up to here. */
const mostKept = 4 * 1024 * 1024;

export class Gathered {
  readonly #path: string;
  #text = "";
  #isAsked = false;

  constructor(path: string) {
    this.#path = path;
  }

  push(line: string): void {
    if (!this.#isAsked) setImmediate(() => this.#write());
    this.#isAsked = true;
    this.#text += line;
    if (this.#text.length > mostCharacters) this.#write();
  }

  /** Everything that can be is in the file. */
  end(): void {
    this.#write();
  }

  #write(): void {
    this.#isAsked = false;
    if (this.#text === "") return;
    try {
      append(this.#path, this.#text);
      this.#text = "";
    } catch {
      if (this.#text.length > mostKept) this.#text = "";
    }
  }
}
