// Effect `write-log`: a line per fact in the activity logs, for people and for programs (C11). The last line
// about this run says how far the log is, so a crash between commit and log loses no line. Best effort (G10).
import type { Run } from "../core/run.ts";
import { append, readTail } from "../host/files.ts";
import type { Since } from "../journal/journal.ts";
import { details, isDetail, type Line, lineOf } from "../view/activity.ts";
import { oneLine } from "../view/safe.ts";

export interface LogFiles {
  readonly text: string;
  readonly json: string;
}

export function writeLog(run: Run, since: Since, files: LogFiles): void {
  const logged = lastLogged(files.json, run.id);
  if (logged >= run.position) return;
  const entries = since(logged, details).filter((entry) => !isDetail(entry));
  appendLines(
    files,
    entries.map((entry) => ({
      ...lineOf(entry),
      at: entry.at,
      agent: entry.by,
      run: run.id,
      position: entry.position,
    })),
  );
}

export interface LogLine extends Line {
  readonly at: string;
  readonly agent: string;
  readonly run?: string;
  readonly position?: number;
}

export function appendLines(files: LogFiles, lines: readonly LogLine[]): void {
  if (lines.length === 0) return;
  append(files.text, lines.map((line) => `${textLine(line)}\n`).join(""));
  append(
    files.json,
    lines
      .map(
        ({ at, level, agent, event, message, ...rest }) =>
          `${JSON.stringify({ at, level, agent, event, message, ...rest })}\n`,
      )
      .join(""),
  );
}

function textLine({ at, level, agent, event, message }: LogLine): string {
  return `[${at}] [${level}] [${oneLine(agent)}] ${oneLine(event)}: ${oneLine(message)}`;
}

/** A run's own history beside its view, for people and agents who look at it alone (L1, L10). */
export function writeTranscript(run: Run, since: Since): void {
  const path = `${run.planningDir}/transcript.jsonl`;
  const logged = lastLogged(path, run.id);
  if (logged >= run.position) return;
  const lines = since(logged, details)
    .filter((entry) => !isDetail(entry))
    .map((entry) => {
      const { level, event, message } = lineOf(entry);
      const told = { ts: entry.at, by: entry.by, level, event, message };
      return `${JSON.stringify({ ...told, fact: entry.fact.kind, run: run.id, position: entry.position })}\n`;
    });
  if (lines.length > 0) append(path, lines.join(""));
}

/** Looks back in growing steps: agents may have written many lines of their own since. */
function lastLogged(path: string, run: string): number {
  const marker = `"run":${JSON.stringify(run)},"position":`;
  for (let bytes = 16_384; ; bytes *= 8) {
    const tail = tailOf(path, bytes);
    const found = tail.lastIndexOf(marker);
    if (found >= 0) return Number.parseInt(tail.slice(found + marker.length), 10);
    if (tail.length < bytes / 2) return 0;
  }
}

function tailOf(path: string, bytes: number): string {
  try {
    return readTail(path, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
