// A part of the terminal that is drawn over: only lines that changed are written, in one go, so that nothing flickers.
// It does not take the whole window: what was printed before stays, and when it is closed it leaves nothing behind.
import { cells } from "../../view/width.ts";
import { put } from "../out.ts";
import { terminal } from "./terminal.ts";

/** Something that lines can be drawn on, again and again. */
export interface Drawing {
  /** How many lines there is room for. */
  readonly height: number;
  draw(lines: readonly string[]): void;
  /** The window changed: what is there is wiped, and the next frame is drawn in full. */
  resized(width: number): void;
  close(): void;
}

const [hideCursor, showCursor] = ["\u001b[?25l", "\u001b[?25h"];
/** The terminal shows what comes between these at once, and does not wrap. Terminals that do not know this ignore it. */
const [begin, end] = ["\u001b[?2026h\u001b[?7l", "\u001b[?7h\u001b[?2026l"];

/** What to write so that `after` stands where `before` stands, with the cursor on the line below. */
export function overdraw(before: readonly string[], after: readonly string[]): string {
  const up = before.length > 0 ? `\u001b[${before.length}A\r` : "\r";
  const lines = after.map((line, at) => (line === before[at] ? "\n" : `${line}\u001b[K\r\n`));
  return `${up}${lines.join("")}${before.length > after.length ? "\u001b[J" : ""}`;
}

/** A narrower window has wrapped what was there. */
export function rowsAt(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line) / width)), 0);
}

export class Screen implements Drawing {
  readonly #write: (text: string) => void;
  #shown: readonly string[] = [];

  constructor(write: (text: string) => void = put) {
    this.#write = write;
  }

  /** The last line stays free for the cursor. */
  get height(): number {
    return terminal().height - 1;
  }

  draw(lines: readonly string[]): void {
    const text = overdraw(this.#shown, lines);
    const start = this.#shown.length === 0 ? hideCursor : "";
    this.#shown = lines;
    this.#write(`${start}${begin}${text}${end}`);
  }

  resized(width: number): void {
    const rows = rowsAt(this.#shown, width);
    if (rows > 0) this.#write(`\u001b[${rows}A\r\u001b[J`);
    this.#shown = [];
  }

  close(): void {
    const wipe = this.#shown.length > 0 ? `\u001b[${this.#shown.length}A\r\u001b[J` : "";
    this.#shown = [];
    this.#write(`${wipe}${showCursor}`);
  }
}
