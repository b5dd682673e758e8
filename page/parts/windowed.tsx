// A list of rows of one height, of which only those in sight exist. Arrow keys, Home and End go through all of them; the
// row with the focus stays, so that the focus is never lost.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { rowsInSight, scrollTo } from "../shape/window.ts";

interface Props<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: T) => string;
  /** Draws what is inside of a row; exactly one element of it takes the focus, with the given `tabIndex`. */
  readonly children: (item: T, tabIndex: 0 | -1) => ComponentChildren;
  readonly class?: string;
  /** Called for keys that lead out of the list, left and right. */
  readonly onAside?: (step: 1 | -1, row: number) => void;
  readonly handle?: (list: ListHandle) => void;
}

export interface ListHandle {
  focus(row: number): void;
}

export function Windowed<T>(props: Props<T>) {
  const { items, rowHeight, label, keyOf, children, onAside, handle } = props;
  const { box, measure, rows, first, focus, setActive } = useWindow(items.length, rowHeight);
  useEffect(() => handle?.({ focus }), [focus]);
  return (
    <div class={`windowed ${props.class ?? ""}`} ref={box} onScroll={measure}>
      <ul
        aria-label={label}
        style={{ height: `${items.length * rowHeight}px` }}
        onKeyDown={(event) => onKey(event, { row: first, last: items.length - 1, focus, onAside })}
        onFocusIn={(event) => {
          const row = (event.target as HTMLElement).closest("[data-row]")?.getAttribute("data-row");
          if (row) setActive(Number(row));
        }}
      >
        {rows.map((row) => {
          const item = items[row];
          if (item === undefined) return null;
          return (
            <li
              key={keyOf(item)}
              data-row={row}
              aria-setsize={items.length}
              aria-posinset={row + 1}
              style={{ top: `${row * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {children(item, row === first ? 0 : -1)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function useWindow(count: number, rowHeight: number) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ scrollTop: 0, height: 600 });
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  const measure = useCallback(() => {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {};
    setSight((now) =>
      now.scrollTop === scrollTop && now.height === clientHeight ? now : { scrollTop, height: clientHeight },
    );
  }, []);
  useEffect(() => {
    const watching = new ResizeObserver(measure);
    if (box.current) watching.observe(box.current);
    return () => watching.disconnect();
  }, []);
  const focus = useCallback(
    (row: number) => {
      const at = Math.max(0, Math.min(count - 1, row));
      const list = box.current;
      if (!list || count === 0) return;
      list.scrollTop = scrollTo(at, { scrollTop: list.scrollTop, height: list.clientHeight, rowHeight });
      setActive(at);
      measure();
      // It may be there already, and then nothing is drawn anew.
      if (!focusRow(list, at)) wanted.current = at;
    },
    [count, rowHeight],
  );
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    if (box.current) focusRow(box.current, wanted.current);
    wanted.current = null;
  });
  const first = Math.min(active, Math.max(0, count - 1));
  const { from, to } = rowsInSight({ ...sight, rowHeight, count });
  const inSight = Array.from({ length: to - from }, (_, at) => from + at);
  const rows = first < from || first >= to ? [...inSight, first] : inSight;
  return { box, measure, rows, first, focus, setActive };
}

function focusRow(list: HTMLElement, row: number): boolean {
  const element = list.querySelector<HTMLElement>(`[data-row="${row}"] [tabindex]`);
  element?.focus({ preventScroll: true });
  return element !== null;
}

interface Keys {
  readonly row: number;
  readonly last: number;
  readonly focus: (row: number) => void;
  readonly onAside: Props<unknown>["onAside"];
}

function onKey(event: KeyboardEvent, { row, last, focus, onAside }: Keys): void {
  const target: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    j: row + 1,
    k: row - 1,
    PageDown: row + 10,
    PageUp: row - 10,
    Home: 0,
    End: last,
  };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const to = target[event.key];
  if (to !== undefined) focus(to);
  else if (onAside && event.key === "ArrowLeft") onAside(-1, row);
  else if (onAside && event.key === "ArrowRight") onAside(1, row);
  else return;
  event.preventDefault();
}
