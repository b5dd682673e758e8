// What happened, line by line: the last lines for a person, and a hash of all of them to prove that a seed is
// one history. No line holds a wall-clock time.

export class Trace {
  /** Lines kept for the report of a failure. */
  readonly #kept = 40;
  readonly #lines: string[] = [];
  readonly #print: boolean;
  #low = 0x811c9dc5;
  #high = 0x41c6ce57;

  constructor(print: boolean) {
    this.#print = print;
  }

  note(nowMs: number, text: string): void {
    const line = `${nowMs.toFixed(0).padStart(7)} ms  ${text}`;
    for (let at = 0; at < line.length; at++) {
      const code = line.charCodeAt(at);
      this.#low = Math.imul(this.#low ^ code, 0x01000193);
      this.#high = Math.imul(this.#high ^ code, 1597334677) ^ (this.#high >>> 13);
    }
    this.#lines.push(line);
    if (this.#lines.length > this.#kept * 2) this.#lines.splice(0, this.#kept);
    if (this.#print) console.log(line);
  }

  get hash(): string {
    return [this.#low, this.#high].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
  }

  last(): readonly string[] {
    return this.#lines.slice(-this.#kept);
  }
}
