// A time axis without its idle stretches: where nobody worked for long, the axis has a fold of fixed width. Pure.

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Fold extends Span {
  /** On the axis, in its units of milliseconds that are shown. */
  readonly at: number;
}

export interface Axis {
  /** Length in milliseconds that are shown, folds included. */
  readonly length: number;
  readonly folds: readonly Fold[];
  /** Where a time is on the axis, from 0 to `length`. */
  readonly place: (time: number) => number;
}

/** A gap is folded when it is long by itself and long beside the work. */
const longMs = 60_000;
const shareOfWork = 0.08;
/** What a fold takes of the axis, as a share of the work. */
const foldShare = 0.025;

export function foldedAxis(whole: Span, busy: readonly Span[]): Axis {
  const work = merged(busy, whole);
  const worked = work.reduce((sum, { from, to }) => sum + to - from, 0);
  const limit = Math.max(longMs, worked * shareOfWork);
  const width = Math.max(1, worked * foldShare);
  const gaps = gapsOf(whole, work).filter(({ from, to }) => to - from > limit);
  let saved = 0;
  const folds = gaps.map(({ from, to }) => {
    const at = from - whole.from - saved;
    saved += to - from - width;
    return { from, to, at };
  });
  const place = (time: number) => {
    const bound = Math.min(Math.max(time, whole.from), whole.to);
    let at = bound - whole.from;
    for (const fold of folds) {
      if (bound >= fold.to) at -= fold.to - fold.from - width;
      else if (bound > fold.from) at -= (bound - fold.from) * (1 - width / (fold.to - fold.from));
    }
    return at;
  };
  return { length: Math.max(1, whole.to - whole.from - saved), folds, place };
}

/** Spans in order, those that touch as one, none outside of the whole. */
export function merged(spans: readonly Span[], whole: Span): Span[] {
  const found: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const span = { from: Math.max(from, whole.from), to: Math.min(Math.max(from, to), whole.to) };
    const last = found.at(-1);
    if (span.to < span.from) continue;
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else found.push(span);
  }
  return found;
}

function gapsOf(whole: Span, work: readonly Span[]): Span[] {
  const ends = [whole.from, ...work.map(({ to }) => to)];
  const begins = [...work.map(({ from }) => from), whole.to];
  return begins.map((to, at) => ({ from: ends[at] ?? whole.from, to })).filter(({ from, to }) => to > from);
}

/** Steps that read well: 1, 2, 5, 10, 15, 30 s and min, then hours. */
const steps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800,
];

/** Times of the clock to mark, none inside of a fold and none closer than `least` on the axis. */
export function ticks(whole: Span, axis: Axis, least: number): number[] {
  const step = (steps.find((each) => each * 1000 >= least) ?? 2_592_000) * 1000;
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const add = (time: number) => {
    const at = axis.place(time);
    if (at - last < least * 0.8) return;
    found.push(time);
    last = at;
  };
  let from = Math.ceil(whole.from / step) * step;
  for (const fold of [...axis.folds, { from: whole.to, to: whole.to }]) {
    for (let time = from; time <= fold.from; time += step) add(time);
    from = Math.ceil(fold.to / step) * step;
  }
  return found;
}
