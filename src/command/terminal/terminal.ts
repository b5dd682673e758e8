// What the terminal can show.
import { isatty } from "node:tty";

export interface Terminal {
  readonly live: boolean;
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
}

/** One line per event and no redrawing, as screen readers need it: `--plain` sets this as well. */
export const isPlain = () => (process.env.HEDDLE_PLAIN ?? "") !== "";

export function terminal(): Terminal {
  const live = isatty(1) && process.env.TERM !== "dumb" && !isPlain();
  const columns = live ? process.stdout.columns : Number(process.env.COLUMNS);
  const rows = live ? process.stdout.rows : 0;
  const color = process.env.NO_COLOR ? false : process.env.FORCE_COLOR ? true : live;
  const height = rows > 4 ? rows : 24;
  return { live, width: columns > 20 ? columns : live ? 80 : 10_000, height, color };
}
