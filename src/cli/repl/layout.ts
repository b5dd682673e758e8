// The line a person types, laid out for a window: wrapped by the cells that its characters take, cut to so many rows
// around the cursor.
import { cells } from "../../view/width.ts";
import type { Line } from "./editor.ts";

export interface Laid {
  readonly rows: readonly string[];
  /** Where the cursor is. */
  readonly row: number;
  readonly column: number;
}

export interface Sheet {
  /** Stands before the first row; the others are indented by as much. */
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
}

export function laid(line: Line, { prompt, width, height }: Sheet): Laid {
  const indent = cells(prompt);
  const room = Math.max(4, width - indent);
  const { rows, row, column } = wrapped(line, room);
  const from = Math.max(0, Math.min(row - Math.floor(height / 2), rows.length - height));
  const shown = rows.slice(from, from + height);
  const space = " ".repeat(indent);
  const above = from > 0 ? mark(`↑${from}`, indent) : prompt;
  const below = rows.length - from - shown.length;
  return {
    rows: shown.map((text, at) => {
      if (at === 0) return above + text;
      return (at === shown.length - 1 && below > 0 ? mark(`↓${below}`, indent) : space) + text;
    }),
    row: row - from,
    column: indent + column,
  };
}

const mark = (text: string, width: number) => text.slice(0, Math.max(0, width - 1)).padEnd(width);

function wrapped({ text, at }: Line, room: number): Laid {
  const rows = [""];
  let [used, row, column, offset] = [0, 0, 0, 0];
  const begin = () => {
    rows.push("");
    used = 0;
  };
  for (const character of text) {
    const shown = character === "\t" ? "  " : character;
    const takes = character === "\n" ? 0 : cells(shown);
    if (character !== "\n" && used + takes > room) begin();
    if (offset === at) [row, column] = [rows.length - 1, used];
    if (character === "\n") begin();
    else {
      rows[rows.length - 1] += shown;
      used += takes;
    }
    offset += character.length;
  }
  if (at >= offset) {
    if (used >= room) begin();
    [row, column] = [rows.length - 1, used];
  }
  return { rows, row, column };
}

/** Broken between words, each row indented as the first; a word that is wider than the window, inside. */
export function folded(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const room = Math.max(4, width - indent.length);
  const rows: string[] = [];
  let row = "";
  for (const word of text.slice(indent.length).split(" ")) {
    if (row !== "" && cells(row) + 1 + cells(word) > room) {
      rows.push(row);
      row = "";
    }
    row = row === "" ? word : `${row} ${word}`;
    if (cells(row) <= room) continue;
    const pieces = wrapped({ text: row, at: 0 }, room).rows;
    rows.push(...pieces.slice(0, -1));
    row = pieces.at(-1) ?? "";
  }
  return [...rows, row].map((each) => indent + each);
}
