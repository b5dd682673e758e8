// Icons, 16 by 16, drawn here. Every state has a shape of its own: colour never says it alone.
import type { ComponentChildren } from "preact";
import type { TaskRow } from "../../src/page/model.ts";

const ring = <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />;
const line = (d: string) => (
  <path
    d={d}
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
);
const onDisk = (d: string) => (
  <path
    d={d}
    fill="none"
    stroke="var(--bg)"
    stroke-width="1.7"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
);
const disk = <circle cx="8" cy="8" r="7" fill="currentColor" />;

const drawn = {
  pending: (
    <circle
      cx="8"
      cy="8"
      r="6.25"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-dasharray="2.2 2"
    />
  ),
  running: (
    <>
      {ring}
      <path d="M8 4a4 4 0 0 1 0 8z" fill="currentColor" />
    </>
  ),
  complete: (
    <>
      {disk}
      {onDisk("M5 8.2l2.1 2.1L11 6.2")}
    </>
  ),
  claimed: (
    <>
      {ring}
      {line("M5.2 8.2l1.9 1.9 3.6-3.8")}
    </>
  ),
  failed: (
    <>
      <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" fill="currentColor" />
      {onDisk("M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6")}
    </>
  ),
  blocked: (
    <>
      <path d="M8 1.2L14.8 8 8 14.8 1.2 8z" fill="none" stroke="currentColor" stroke-width="1.5" />
      {line("M5.7 8h4.6")}
    </>
  ),
  skipped: (
    <>
      {ring}
      {line("M5 11l6-6")}
    </>
  ),
  lost: (
    <>
      {ring}
      {line("M6.3 6.3a1.8 1.8 0 1 1 2.4 2c-.5.2-.7.5-.7 1M8 11.4v.1")}
    </>
  ),
  paused: (
    <>
      {ring}
      {line("M6.5 5.8v4.4M9.5 5.8v4.4")}
    </>
  ),
  halted: <rect x="2" y="2" width="12" height="12" rx="2.5" fill="currentColor" />,
  question: (
    <>
      {disk}
      {onDisk("M6.2 6.2a1.9 1.9 0 1 1 2.5 2c-.5.2-.7.5-.7 1.1M8 11.6v.1")}
    </>
  ),
  inbox: line("M2 9.5l2-6h8l2 6v3.2H2zM2.2 9.5h3.3l1 1.6h3l1-1.6h3.3"),
  runs: line("M3 4h10M3 8h10M3 12h6"),
  cut: line("M3 3l10 10M5.2 8.4A4 4 0 0 1 7 7.4M2.6 5.8A8 8 0 0 1 5 4.3M11 4.4a8 8 0 0 1 2.4 1.4M8 11.6v.1"),
  steel: line("M3 13L13 3M3 13h3.4M3 13V9.6"),
  flag: line("M4 14V2.5h7.5L9.8 5.3l1.7 2.7H4"),
  clock: (
    <>
      {ring}
      {line("M8 4.8V8l2 1.4")}
    </>
  ),
  back: line("M9.5 3.5L5 8l4.5 4.5"),
  forward: line("M6.5 3.5L11 8l-4.5 4.5"),
  play: <path d="M5 3l8 5-8 5z" fill="currentColor" />,
  pause: line("M5.5 4v8M10.5 4v8"),
  plus: line("M8 3.5v9M3.5 8h9"),
  minus: line("M3.5 8h9"),
  fit: line("M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"),
  close: line("M4 4l8 8M12 4l-8 8"),
} satisfies Record<string, ComponentChildren>;

export type IconName = keyof typeof drawn;

/** Its strokes alone, to stand inside of another drawing. */
export const drawnIcon = (name: IconName) => drawn[name];

/** Beside a word that says the same, and therefore hidden from screen readers. */
export function Icon({ name, tone }: { readonly name: IconName; readonly tone?: string }) {
  return (
    <svg
      class={`icon ${tone ? `tone-${tone}` : ""}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {drawn[name]}
    </svg>
  );
}

/** A finished task that nothing proves has an open ring. */
export const iconOf = ({ status, done }: Pick<TaskRow, "status" | "done">): IconName =>
  status === "complete" && done !== "verified" ? "claimed" : status;

export function StatusMark({ row }: { readonly row: Pick<TaskRow, "status" | "done"> }) {
  return (
    <span class={`mark tone-${row.status}`}>
      <Icon name={iconOf(row)} />
      {row.status}
    </span>
  );
}
