// Workspaces that are still there: failed attempts leave theirs for a look. What is in use is never touched, and what
// an attempt was given, said and showed stays when its files go.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../core/fact.ts";
import { toCall } from "../core/hint.ts";
import { closest, problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { type App, Refused } from "../engine/app.ts";
import { isThere } from "../host/files.ts";
import { clearAttempt } from "../orders/clear-attempt.ts";

export interface OpenWorkspace {
  /** `T003-1`: the task and its attempt. */
  readonly name: string;
  readonly task: string;
  readonly attempt: number;
  readonly path: string;
  readonly bytes: number;
  /** When it was last worked in, in milliseconds since 1970. */
  readonly changedMs: number;
  readonly inUse: boolean;
  readonly why: string;
}

export async function workspaces(app: App): Promise<OpenWorkspace[]> {
  const run = await app.run();
  const folder = join(app.paths.heddle, "attempts", run);
  if (!isThere(folder)) return [];
  const kinds = [
    "attempt-failed",
    "task-failed",
    "attempt-lost",
    "attempt-paused",
    "attempt-parked",
  ] as const;
  const entries = await app.history({ kinds });
  const there = readdirSync(folder).filter((name) => isThere(join(folder, name, "work")));
  const found = await app.look((state) =>
    there
      .map((name) => ({ name, parts: /^(.+)-(\d+)$/.exec(name) }))
      .filter(({ parts }) => parts && state.tasks.get(parts[1] ?? ""))
      .map(({ name, parts }) => {
        const about = { task: parts?.[1] ?? "", attempt: Number(parts?.[2]) };
        const path = join(folder, name, "work");
        const inUse = isInUse(state, about);
        const why = inUse ? "it is in use" : whyLeft(state, entries, about);
        return { name, ...about, path, inUse, why };
      })
      .sort((a, b) => (a.task === b.task ? a.attempt - b.attempt : a.task < b.task ? -1 : 1)),
  );
  return found.map((each) => ({ ...each, ...measured(join(folder, each.name)) }));
}

interface AttemptName {
  readonly task: string;
  readonly attempt: number;
}

/** Also when its orchestrator died: the next one takes it over. */
function isInUse(run: Run, { task, attempt }: AttemptName): boolean {
  const found = run.tasks.get(task);
  return found?.state === "running" && found.attempts === attempt;
}

function whyLeft(run: Run, entries: readonly Entry[], { task, attempt }: AttemptName): string {
  for (const { fact } of entries) {
    if (!("attempt" in fact) || !("task" in fact) || fact.task !== task || fact.attempt !== attempt) continue;
    if (fact.kind === "attempt-failed" || fact.kind === "task-failed")
      return `${fact.category}: ${fact.error}`;
    if (fact.kind === "attempt-lost" || fact.kind === "attempt-paused" || fact.kind === "attempt-parked")
      return fact.reason;
  }
  return run.tasks.get(task)?.state === "complete" ? "its work was merged" : "it was given up";
}

/** What it takes on disk. What cannot be looked at counts as nothing. */
function measured(folder: string): { bytes: number; changedMs: number } {
  let [bytes, changedMs] = [0, 0];
  const open = [folder];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    try {
      const stat = lstatSync(path);
      bytes += stat.blocks * 512;
      changedMs = Math.max(changedMs, stat.mtimeMs);
      if (stat.isDirectory()) for (const name of readdirSync(path)) open.push(join(path, name));
    } catch {
      // It went while it was looked at, or may not be read.
    }
  }
  return { bytes, changedMs: Math.round(changedMs) };
}

/** Removes these; each must be there and not in use. All or none. */
export async function removeWorkspaces(app: App, names: readonly string[]): Promise<OpenWorkspace[]> {
  const all = await workspaces(app);
  const chosen = names.map((name) => all.find((each) => each.name === name) ?? unknown(name, all));
  const used = chosen.filter(({ inUse }) => inUse);
  if (used.length > 0)
    throw new Refused(
      used.map(({ name, task }) =>
        problem("in-use", `the workspace \`${name}\` is in use`, { hint: toCall(`attach ${task}`) }),
      ),
    );
  for (const { path } of chosen) await clearAttempt(join(path, ".."));
  return chosen;
}

function unknown(name: string, all: readonly OpenWorkspace[]): never {
  const meant = closest(
    name,
    all.map((each) => each.name),
  );
  throw new Refused([
    problem("no-workspace", `there is no workspace \`${name}\``, {
      hint: meant ? `did you mean \`${meant}\`?` : toCall("workspace ls"),
    }),
  ]);
}
