// Which rows of a long list are drawn: those in sight and a few around them. Pure.

export interface Sight {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows around what is in sight, so that a quick scroll meets no gap. */
const around = 6;

export function rowsInSight({ scrollTop, height, rowHeight, count }: Sight): { from: number; to: number } {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const last = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight);
  const to = Math.min(count, last + around);
  return { from: Math.max(0, Math.min(first - around, to)), to };
}

/** Where to scroll so that a row is whole in sight; the same place when it is already. */
export function scrollTo(row: number, { scrollTop, height, rowHeight }: Omit<Sight, "count">): number {
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < scrollTop) return top;
  return bottom > scrollTop + height ? bottom - height : scrollTop;
}
