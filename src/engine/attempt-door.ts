// The attempt's own way to heddle: a Unix socket in a folder that its box can see, and a token that is good for this
// attempt alone. What comes through is a proposal (X16); everything else is refused, and the refusal is recorded.
import { timingSafeEqual } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Input } from "../core/input.ts";
import type { TaskId } from "../core/run.ts";
import type { AttemptFolder } from "../effects/attempt-folder.ts";
import { makeFolder, readIfThere, remove, replaceFile } from "../host/files.ts";
import { packageDir } from "../planning/package.ts";
import { type App, Refused } from "./app.ts";

/** What may be said from inside. */
export interface Said {
  readonly token: string;
  readonly what: "complete-task" | "fail-task" | "log";
  readonly task?: TaskId;
  readonly created?: readonly string[];
  readonly modified?: readonly string[];
  readonly error?: string;
  readonly category?: string;
  readonly retryable?: boolean;
  readonly level?: string;
  readonly event?: string;
  readonly message?: string;
}

export type Heard = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface Door {
  readonly path: string;
  /** What the box has to see, and where `heddle` is found. */
  readonly folder: string;
  close(): Promise<void>;
}

interface Of {
  readonly app: App;
  readonly task: TaskId;
  readonly attempt: number;
  readonly folder: AttemptFolder;
}

/** The kernel's limit for a socket's path. */
const longestPath = 100;
const mostBytes = 256 * 1024;

export async function openDoor(of: Of): Promise<Door> {
  const own = join(of.folder.folder, "door");
  const folder = own.length + 2 > longestPath ? mkdtempSync(join(tmpdir(), "heddle-door-")) : own;
  const path = join(folder, "s");
  makeFolder(folder);
  remove(path);
  replaceFile(join(folder, "heddle"), shim());
  chmodSync(join(folder, "heddle"), 0o755);
  const server = createServer((socket) => serve(socket, of));
  await new Promise<void>((settle, fail) => server.once("error", fail).listen(path, settle));
  return {
    path,
    folder,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        remove(folder);
      }),
  };
}

/** `heddle`, as it is called from inside. */
function shim(): string {
  const quoted = [process.execPath, join(packageDir(), "dist/heddle.js")].map(
    (path) => `'${path.replaceAll("'", "'\\''")}'`,
  );
  return `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`;
}

function serve(socket: Socket, of: Of): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.setTimeout(10_000, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (text.length > mostBytes) socket.destroy();
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = "";
    void answer(of, line).then((heard) => socket.end(`${JSON.stringify(heard)}\n`));
  });
}

async function answer(of: Of, line: string): Promise<Heard> {
  let said: Said;
  try {
    said = JSON.parse(line) as Said;
  } catch {
    return { ok: false, message: "that is not a request" };
  }
  const refusal = refused(of, said);
  if (refusal === undefined) return take(of, said);
  await record(of, said, refusal);
  return { ok: false, message: refusal };
}

function refused({ task, folder }: Of, said: Said): string | undefined {
  const [own, given] = [Buffer.from(readIfThere(folder.token) ?? ""), Buffer.from(String(said.token))];
  if (own.length === 0 || own.length !== given.length || !timingSafeEqual(own, given))
    return "the token is not that of this attempt";
  if (!["complete-task", "fail-task", "log"].includes(said.what))
    return `\`${said.what}\` cannot be done from inside an attempt`;
  if (said.what !== "log" && said.task !== task) return `this attempt is at ${task}, not at ${said.task}`;
  return undefined;
}

async function record({ app, task, attempt }: Of, said: Said, reason: string): Promise<void> {
  const what = `${said.what} ${said.task ?? ""}`.trim().slice(0, 100);
  await submit(app, { kind: "refuse-proposal", task, attempt, what, reason });
}

async function take({ app, task, attempt, folder }: Of, said: Said): Promise<Heard> {
  if (said.what === "log") return { ok: true };
  const status = said.what === "complete-task" ? "success" : "failed";
  // The file first: a proposal that was acknowledged must be there after any death.
  replaceFile(folder.proposed, JSON.stringify(resultOf(task, said)));
  const summary =
    said.error ?? `${said.created?.length ?? 0} created, ${said.modified?.length ?? 0} modified`;
  const late = await submit(app, { kind: "propose", task, attempt, status, summary: summary.slice(0, 500) });
  if (late === undefined) return { ok: true };
  remove(folder.proposed);
  return { ok: false, message: late };
}

function resultOf(
  task: TaskId,
  { what, created = [], modified = [], error, category, retryable = true }: Said,
) {
  if (what === "complete-task")
    return { version: "1.0", task_id: task, status: "success", files: { created, modified } };
  const failure = { category: category ?? "unknown", message: error ?? "it gave no reason", retryable };
  return { version: "1.0", task_id: task, status: "failed", error: failure };
}

async function submit(app: App, input: Input): Promise<string | undefined> {
  try {
    await app.submit(input);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
