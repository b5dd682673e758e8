// What an executor is told of the base: the commands that judge it, or the project, as they ended before anybody worked.
import type { Run, TaskDef } from "../../core/run.ts";
import { readEnd } from "../../host/handed-in.ts";

const tailBytes = 2000;

export interface BaselineNotes {
  readonly commit: string;
  readonly red_before: readonly {
    command: string;
    exit: number | null;
    note: string | null;
    output: string;
  }[];
  /** They prove nothing about the work: they only must not break. */
  readonly green_before: readonly string[];
}

export function baselineNotes(
  { baseline }: Pick<Run, "baseline">,
  { criteria }: TaskDef,
): BaselineNotes | null {
  if (!baseline || baseline.stops !== null) return null;
  const concerned = baseline.checks.filter(
    ({ command, own }) => own || criteria.some((each) => each.command === command),
  );
  const red = concerned.filter(({ result }) => result === "red" || result === "cannot-run");
  return {
    commit: baseline.commit,
    red_before: red.map(({ command, exit, note, log }) => ({
      command,
      exit,
      note,
      output: [readEnd(`${log}.out`, tailBytes), readEnd(`${log}.err`, tailBytes)].join("\n").trim(),
    })),
    green_before: concerned.filter(({ result }) => result === "green").map(({ command }) => command),
  };
}
