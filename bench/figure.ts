// A figure: what was measured, what it should be, and whether it is. One is missed only when the whole 95 % interval
// lies on the wrong side of the goal: what noise can explain is no miss.
import type { Estimate } from "./statistics.ts";

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly measured: Estimate;
  readonly goal?: { readonly most: number } | { readonly least: number };
}

export type Verdict = "met" | "missed" | "";

/** What one file of the bench gives: figures, and anything worth saying beside them. */
export interface Bench {
  readonly name: string;
  readonly run: (options: { readonly quick: boolean }) => readonly Figure[] | Promise<readonly Figure[]>;
}

export const exactly = (value: number): Estimate => ({ value, low: value, high: value });

export function verdictOf({ goal, measured }: Figure): Verdict {
  if (!goal) return "";
  const missed = "most" in goal ? measured.low > goal.most : measured.high < goal.least;
  return missed ? "missed" : "met";
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${short(figure.measured.value)} ${figure.unit}`,
    figure.measured.low === figure.measured.high
      ? ""
      : `${short(figure.measured.low)}..${short(figure.measured.high)}`,
    goalText(figure.goal),
    verdictOf(figure),
  ]);
  const all = [["figure", "measured", "95 %", "goal", ""], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function goalText(goal: Figure["goal"]): string {
  if (!goal) return "";
  return "most" in goal ? `<= ${short(goal.most)}` : `>= ${short(goal.least)}`;
}

function short(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en-US");
  return Number(value.toPrecision(3)).toString();
}
