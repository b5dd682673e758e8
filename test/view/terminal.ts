// A terminal as far as heddle's screen needs one: lines, a cursor, moving up, wiping to the end of line and screen.
export class Terminal {
  readonly lines: string[] = [""];
  #row = 0;
  #column = 0;
  cursor = true;
  /** Sequences that it was sent, without text. */
  readonly sequences: string[] = [];

  write(text: string): void {
    for (const [part] of text.matchAll(/\u001b\[[?\d;]*[A-Za-z]|[\s\S]/gu)) {
      if (part.length > 1 && part.startsWith("\u001b")) this.#obey(part);
      else if (part === "\n") this.#down();
      else if (part === "\r") this.#column = 0;
      else this.#put(part);
    }
  }

  get shown(): string {
    return this.lines.join("\n").trimEnd();
  }

  #down(): void {
    this.#row++;
    this.lines[this.#row] ??= "";
  }

  #put(character: string): void {
    const line = [...(this.lines[this.#row] ?? "").padEnd(this.#column)];
    line[this.#column++] = character;
    this.lines[this.#row] = line.join("");
  }

  #obey(sequence: string): void {
    this.sequences.push(sequence);
    const count = Number(/\d+/.exec(sequence)?.[0] ?? 1);
    const rest = () => [...(this.lines[this.#row] ?? "")].slice(0, this.#column).join("");
    if (sequence.endsWith("A")) this.#row = Math.max(0, this.#row - count);
    if (sequence.endsWith("K") || sequence.endsWith("J")) this.lines[this.#row] = rest();
    if (sequence.endsWith("J")) this.lines.length = this.#row + 1;
    if (sequence === "\u001b[?25l") this.cursor = false;
    if (sequence === "\u001b[?25h") this.cursor = true;
  }
}
