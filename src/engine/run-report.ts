// The report of a run that is about documents: what the journal knows of it, and what its artifacts say now.
import type { Json, Run } from "../core/run.ts";
import { wallClock } from "../host/clock.ts";
import { readIfThere } from "../host/files.ts";
import { fileOf } from "../jobs/run-files.ts";
import { type RunReport, type RunReportFiles, runReport } from "../view/run-report.ts";
import type { App } from "./app.ts";

const mostBytes = 24 * 1024;

export async function documentReport(app: App): Promise<RunReport> {
  const { suggest } = await import("./task.ts");
  const { seen } = await suggest(app);
  return runReport(seen, { ...filesOf(seen), entries: await app.history(), writtenAt: wallClock() });
}

function filesOf(run: Run): RunReportFiles {
  const named = Object.keys(run.protocol.artifacts).map(
    (name) => [name, readIfThere(fileOf(run, name))] as const,
  );
  const documents = named.flatMap(([name, text]) => {
    const found = text === undefined ? undefined : documentIn(text);
    return found ? [[name, found] as const] : [];
  });
  const patch = named.find(([name]) => name === "diff")?.[1] ?? null;
  const isLong = patch !== null && patch.length > mostBytes;
  return {
    documents: Object.fromEntries(documents),
    difference: isLong ? `${patch.slice(0, mostBytes)}\n… ${fileOf(run, "diff")} has the rest` : patch,
  };
}

function documentIn(text: string): Readonly<Record<string, Json>> | undefined {
  try {
    const value = JSON.parse(text) as Json;
    const isDocument = value !== null && typeof value === "object" && !Array.isArray(value);
    return isDocument ? (value as Readonly<Record<string, Json>>) : undefined;
  } catch {
    return undefined;
  }
}
