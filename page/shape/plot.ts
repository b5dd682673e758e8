// A timeline as boxes to draw: bars by seat on the folded axis, stages inside of them, and what was planned, brought to
// the pace of this run. Pure.
import type { Bar, TimelinePage } from "../../src/page/model.ts";
import { type Axis, foldedAxis, type Span } from "./fold.ts";

export interface PlottedBar {
  readonly bar: Bar;
  readonly from: number;
  readonly to: number;
  readonly stages: readonly { readonly stage: string; readonly from: number; readonly to: number }[];
  /** Where it would end, had it gone as planned at this run's pace. */
  readonly planned: number | null;
}

export interface Plot {
  readonly whole: Span;
  readonly axis: Axis;
  readonly seats: readonly { readonly name: string; readonly bars: readonly PlottedBar[] }[];
  /** Milliseconds of this run for one planned hour: the median of what is finished. */
  readonly paceMs: number | null;
}

export function plotOf(page: TimelinePage, nowMs: number): Plot {
  const bars = page.seats.flatMap((seat) => seat.bars);
  const endOf = ({ to }: { readonly to: string | null }) => (to === null ? nowMs : Date.parse(to));
  const first = Date.parse(page.from);
  const anyOpen = bars.some(({ to }) => to === null);
  const whole = { from: first, to: Math.max(first + 1, Date.parse(page.to), anyOpen ? nowMs : 0) };
  const busy = bars.map((bar) => ({ from: Date.parse(bar.from), to: endOf(bar) }));
  const axis = foldedAxis(whole, busy);
  const paceMs = paceOf(bars);
  const seats = page.seats.map(({ name, bars: own }) => ({
    name,
    bars: [...own]
      .sort((a, b) => (a.from < b.from ? -1 : 1))
      .map((bar) => {
        const from = Date.parse(bar.from);
        const planned =
          paceMs === null || bar.estimateHours === null ? null : from + bar.estimateHours * paceMs;
        return {
          bar,
          from: axis.place(from),
          to: axis.place(endOf(bar)),
          stages: bar.stages.map((each) => ({
            stage: each.stage,
            from: axis.place(Date.parse(each.from)),
            to: axis.place(endOf(each)),
          })),
          planned: planned === null ? null : axis.place(planned),
        };
      }),
  }));
  return { whole, axis, seats, paceMs };
}

/** Of finished work with an estimate; half of it took longer, half less. */
export function paceOf(bars: readonly Bar[]): number | null {
  const paces = bars
    .flatMap(({ from, to, outcome, estimateHours }) =>
      outcome === "complete" && to !== null && estimateHours
        ? [(Date.parse(to) - Date.parse(from)) / estimateHours]
        : [],
    )
    .sort((a, b) => a - b);
  return paces[Math.floor(paces.length / 2)] ?? null;
}

/** Bars between two places of the axis. Those of one seat do not overlap, so a search by halves finds the first. */
export function barsBetween(bars: readonly PlottedBar[], from: number, to: number): readonly PlottedBar[] {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle]?.to ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const found: PlottedBar[] = [];
  for (let at = low; at < bars.length; at++) {
    const bar = bars[at];
    if (!bar || bar.from > to) break;
    found.push(bar);
  }
  return found;
}
