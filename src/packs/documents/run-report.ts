// The report of a run that is about documents: what the journal knows of it, and what its artifacts say now.
import { recordIn } from "../../core/json.ts";
import type { Json, Run } from "../../core/run.ts";
import type { App } from "../../engine/app.ts";
import { wallClock } from "../../host/clock.ts";
import { readIfThere } from "../../host/files.ts";
import { type RunReport, type RunReportFiles, runReport } from "../../view/report/run-report.ts";
import { fileOf } from "./run-files.ts";

const mostBytes = 24 * 1024;

export async function documentReport(app: App): Promise<RunReport> {
  const { suggest } = await import("./runs.ts");
  const { seen } = await suggest(app);
  return runReport(seen, { ...filesOf(seen), entries: await app.history(), writtenAt: wallClock() });
}

export function filesOf(run: Run): RunReportFiles {
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
  return recordIn<Readonly<Record<string, Json>>>(text);
}
