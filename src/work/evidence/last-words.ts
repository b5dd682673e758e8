// What a red check printed last, and the file that has all of it: people see what agents see (X25).
import { isExcused } from "../../core/baseline.ts";
import type { Check, Evidence } from "../../core/run-parts.ts";
import { isThere } from "../../host/files.ts";
import { readEnd } from "../../host/handed-in.ts";
import { withoutEscapes } from "../../view/safe.ts";

export interface LastWords {
  readonly command: string;
  readonly exit: number | null;
  readonly note: string | null;
  readonly lines: readonly string[];
  /** A file that is there; nothing when its attempt was cleared away. */
  readonly log: string | null;
  /** The file of the other stream, where both have something. */
  readonly beside: string | null;
}

const tailBytes = 8000;

export function lastWords(evidence: Evidence | null, most = 10): LastWords[] {
  const red = (evidence?.checks ?? []).filter((check) => !check.ok && !isExcused(check));
  return red.map(({ command, exit, note, log }) => ({ command, exit, note, ...tailOf(log, most) }));
}

/**
 * Errors stand on either stream: npm says on standard error that a script failed, and the test runner says on standard output
 * which test. Where both have something, both are shown, half of the lines each.
 */
export function tailOf(log: Check["log"], most: number): Pick<LastWords, "lines" | "log" | "beside"> {
  const [errors, others] = [linesOf(`${log}.err`), linesOf(`${log}.out`)];
  const mostErrors = Math.min(errors.length, Math.max(most - others.length, Math.ceil(most / 2)));
  const lines = [...last(others, most - mostErrors), ...last(errors, mostErrors)];
  const files = [
    ...(errors.length > 0 ? [`${log}.err`] : []),
    ...(others.length > 0 || (errors.length === 0 && isThere(`${log}.out`)) ? [`${log}.out`] : []),
  ];
  return { lines, log: files[0] ?? null, beside: files[1] ?? null };
}

const last = (lines: readonly string[], most: number) => (most <= 0 ? [] : lines.slice(-most));

function linesOf(file: string): string[] {
  const text = isThere(file) ? withoutEscapes(readEnd(file, tailBytes)).trimEnd() : "";
  return text === "" ? [] : text.split(/\r?\n/);
}

/** As lines below what they are about. */
export function lastWordsText(words: readonly LastWords[]): string[] {
  return words.flatMap(({ command, exit, note, lines, log, beside }) => [
    `\`${command}\` ${note ?? `exited with code ${exit}`}${lines.length > 0 ? ":" : ""}`,
    ...lines.map((line) => `  | ${line}`),
    ...(log === null ? [] : [`  whole log: ${log}${beside === null ? "" : ` and ${beside}`}`]),
  ]);
}
