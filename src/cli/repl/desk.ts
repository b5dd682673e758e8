// The lower end of the terminal: what goes on, what is asked, and the line that is being typed, drawn over in place.
// What is printed goes above it and stays. The cursor rests inside the frame, so its row is remembered.

import { put } from "../../command/out.ts";
import { type Drawing, rowsAt } from "../../command/terminal/screen.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { cut } from "../../view/width.ts";

export interface Frame {
  readonly lines: readonly string[];
  /** Where the cursor is in it. */
  readonly row: number;
  readonly column: number;
}

const nothing: Frame = { lines: [], row: 0, column: 0 };

/** Shown at once, and not wrapped; terminals that do not know this ignore it. */
const [begin, end] = ["\u001b[?2026h\u001b[?25l\u001b[?7l", "\u001b[?7h\u001b[?25h\u001b[?2026l"];
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : "");

export class Desk {
  readonly #frame: () => Frame;
  readonly #write: (text: string) => void;
  #shown: Frame = nothing;
  #drawings: readonly Pane[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(frame: () => Frame, write: (text: string) => void = put) {
    this.#frame = frame;
    this.#write = write;
  }

  /** What commands draw; of several the newest is shown. */
  get pane(): readonly string[] {
    return this.#drawings.at(-1)?.lines ?? [];
  }

  /** How many lines a command may draw. */
  get room(): number {
    return Math.max(3, terminal().height - 7);
  }

  readonly screen = (): Drawing => {
    const pane = new Pane(this, () => {
      this.#drawings = this.#drawings.filter((each) => each !== pane);
    });
    this.#drawings = [...this.#drawings, pane];
    return pane;
  };

  print(text: string): void {
    const frame = this.#fitting();
    const above = `${this.#wiped()}\u001b[?7h${text.replace(/\n$/, "")}\n\u001b[?7l`;
    this.#shown = nothing;
    this.#write(`${begin}${above}${this.#drawn(frame)}${end}`);
  }

  /** Soon, once for all that changes until then. */
  readonly refresh = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.draw();
    }, 15);
  };

  draw(): void {
    this.#write(`${begin}${this.#drawn(this.#fitting())}${end}`);
  }

  /** A narrower window has wrapped what was there. */
  resized(): void {
    const { width } = terminal();
    const { lines, row, column } = this.#shown;
    const rows = rowsAt(lines.slice(0, row), width) + Math.floor(column / width);
    this.#shown = nothing;
    this.#write(`${up(rows)}\r\u001b[K\r\n\u001b[J${up(1)}`);
    this.draw();
  }

  cleared(): void {
    this.#shown = nothing;
    this.#write("\u001b[2J\u001b[H");
    this.draw();
  }

  /** Wipes the frame; the next one is drawn where the cursor is then. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write(`${this.#wiped()}\u001b[?7h\u001b[?25h`);
    this.#shown = nothing;
  }

  /** Its first line apart: a screen that is cleared at one go from its upper left corner, tmux keeps in its history. */
  #wiped(): string {
    const { lines, row } = this.#shown;
    return `${up(row)}\r\u001b[K${lines.length > 1 ? `\n\u001b[J${up(1)}` : ""}`;
  }

  /** A frame as high as the window would lose its first line, and the place of the cursor with it. */
  #fitting(): Frame {
    const { width, height } = terminal();
    const { lines, row, column } = this.#frame();
    const over = Math.max(0, Math.min(lines.length - (height - 1), row));
    return {
      lines: lines.slice(over, over + height - 1).map((line) => cut(line, width - 1)),
      row: row - over,
      column: Math.min(column, width - 1),
    };
  }

  #drawn(frame: Frame): string {
    const { lines: before, row } = this.#shown;
    const { lines } = frame;
    const text = lines.map((line, at) => (line === before[at] ? "" : `${line}\u001b[K`)).join("\r\n");
    const below = before.length > lines.length ? `\r\n\u001b[J${up(1)}` : "";
    const back = `${up(lines.length - 1 - frame.row)}\r${frame.column > 0 ? `\u001b[${frame.column}C` : ""}`;
    this.#shown = frame;
    return `${up(row)}\r${text}${below}${back}`;
  }
}

class Pane implements Drawing {
  readonly #desk: Desk;
  readonly #closed: () => void;
  lines: readonly string[] = [];

  constructor(desk: Desk, closed: () => void) {
    this.#desk = desk;
    this.#closed = closed;
  }

  get height(): number {
    return this.#desk.room;
  }

  draw(lines: readonly string[]): void {
    this.lines = lines;
    this.#desk.refresh();
  }

  /** The desk is told by itself. */
  resized(): void {}

  close(): void {
    this.#closed();
    this.#desk.refresh();
  }
}
