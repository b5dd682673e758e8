// A line per fact in the activity logs, for people and for programs (C11). The last line
// about this run says how far the log is, so a crash between commit and log loses no line. Best effort (G10).
import type { Entry } from "../core/fact.ts";
import { append } from "../host/files.ts";
import { readEnd } from "../host/handed-in.ts";
import type { Journal } from "../journal/journal.ts";
import { details, isDetail, type Line, lineOf } from "../view/activity.ts";
import { oneLine } from "../view/safe.ts";
import type { RunPlace } from "./outside.ts";

export interface LogFiles {
  readonly text: string;
  readonly json: string;
}

interface Logging {
  /** How far the run is. */
  readonly position: number;
  readonly noTranscript: boolean;
  readonly logs: LogFiles;
}

/** Looks at both files first, and asks for the facts once. */
export async function writeLogs(
  { journal, run, place }: { readonly journal: Journal; readonly run: string; readonly place: RunPlace },
  { position, noTranscript, logs }: Logging,
): Promise<void> {
  const transcript = `${place.planningDir}/transcript.jsonl`;
  const logged = lastLogged(logs.json, run);
  const told = noTranscript ? position : lastLogged(transcript, run);
  const after = Math.min(logged, told);
  if (after >= position) return;
  const entries = (await journal.entries(run, { after, upTo: position, without: details })).filter(
    (entry) => !isDetail(entry),
  );
  const since = (from: number) => entries.filter((entry) => entry.position > from);
  appendLines(
    logs,
    since(logged).map((entry) => ({
      ...lineOf(entry),
      ...{ at: entry.at, agent: entry.by, run, position: entry.position },
    })),
  );
  const lines = since(told).map((entry) => transcriptLine(run, entry));
  if (lines.length > 0) append(transcript, lines.join(""));
}

/** A run's own history beside its view, for people and agents who look at it alone (L1, L10). */
function transcriptLine(run: string, entry: Entry): string {
  const { level, event, message } = lineOf(entry);
  const told = { ts: entry.at, by: entry.by, level, event, message };
  return `${JSON.stringify({ ...told, fact: entry.fact.kind, run, position: entry.position })}\n`;
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

/** Looks back in growing steps: agents may have written many lines of their own since. */
function lastLogged(path: string, run: string): number {
  const marker = `"run":${JSON.stringify(run)},"position":`;
  for (let bytes = 16_384; ; bytes *= 8) {
    const tail = readEnd(path, bytes);
    const found = tail.lastIndexOf(marker);
    if (found >= 0) return Number.parseInt(tail.slice(found + marker.length), 10);
    if (tail.length < bytes / 2) return 0;
  }
}
