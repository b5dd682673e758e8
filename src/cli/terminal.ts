// What the terminal can show.
import { isatty } from "node:tty";

export interface Terminal {
  readonly live: boolean;
  readonly width: number;
  readonly color: boolean;
}

export function terminal(): Terminal {
  const live = isatty(1) && process.env.TERM !== "dumb";
  const columns = live ? process.stdout.columns : Number(process.env.COLUMNS);
  const color = process.env.NO_COLOR ? false : process.env.FORCE_COLOR ? true : live;
  return { live, width: columns > 20 ? columns : live ? 80 : 10_000, color };
}
