// What an agent may say over its attempt's socket, and what becomes of it. All of it is untrusted: it is looked at
// before it is used, redacted before it is kept, and bounded. A completion is a proposal (X16); a question ends the
// attempt when the agent ends, as one that it prints does; everything else is refused, and the refusal is recorded.
import { timingSafeEqual } from "node:crypto";
import type { AgentEvent } from "../../agents/agent.ts";
import type { Input } from "../../core/input.ts";
import { recordIn } from "../../core/json.ts";
import type { TaskId } from "../../core/run.ts";
import { append, remove, replaceFile } from "../../host/files.ts";
import { readRecord } from "../../host/handed-in.ts";
import { type AgentQuestion, type AttemptFolder, logOf, questionsIn } from "../attempt-folder.ts";

/** Has an input written down by whoever gave the order; the answer is why that could not be. */
export type Submit = (input: Input) => Promise<string | undefined>;

/** A line for the activity logs. */
export interface Logged {
  readonly level: "INFO" | "WARN" | "ERROR";
  readonly agent: string;
  readonly event: string;
  readonly message: string;
}

/** The attempt that a socket belongs to: at a task, or of a role, which may only log. */
export interface Of {
  readonly submit: Submit;
  readonly log: (line: Logged) => void;
  readonly task: TaskId | null;
  /** Who logs: the role. */
  readonly who: string;
  readonly attempt: number;
  readonly folder: Pick<AttemptFolder, "folder" | "bundle" | "token" | "events" | "asked" | "proposed">;
  readonly now: () => string;
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
  readonly watch: (event: AgentEvent) => void;
  /** How much of it is still written down: an agent that never stops talking must not fill the disk. */
  readonly left: { lines: number; refusals: number };
}

export const mostWritten = { lines: 2000, refusals: 100 } as const;

export type Heard =
  | { readonly ok: true; readonly bundle?: string }
  | { readonly ok: false; readonly message: string };

type Words = Readonly<Record<string, unknown>>;

const most = { questions: 20, options: 20, text: 4000, line: 500, files: 10_000 } as const;

const done: Heard = { ok: true };

type Requests = Readonly<Record<string, (of: Of, said: Words) => Promise<Heard> | Heard>>;

const requests: Requests = {
  bundle: ({ folder }) => {
    const bundle = readRecord(folder.bundle);
    return bundle === undefined ? { ok: false, message: "there is no bundle" } : { ok: true, bundle };
  },
  progress: (of, { message }) => {
    const text = textOf(of, message, most.line);
    if (text === "") return { ok: false, message: "progress is a line of text" };
    if (of.left.lines-- > 0) tell(of, { kind: "said", text });
    return done;
  },
  ask,
  "complete-task": (of, said) => propose(of, said, "success"),
  "fail-task": (of, said) => propose(of, said, "failed"),
  log,
};

const ofRoles: Requests = { log };

const namesTask: ReadonlySet<string> = new Set(["complete-task", "fail-task"]);

export async function answer(of: Of, line: string): Promise<Heard> {
  const said = understood(line);
  if (!said) return { ok: false, message: "that is not a request" };
  const refusal = refused(of, said);
  const known = of.task === null ? ofRoles : requests;
  const request = Object.hasOwn(known, String(said.what)) ? known[String(said.what)] : undefined;
  if (refusal === undefined && request) return request(of, said);
  const reason = refusal ?? `\`${shown(said.what)}\` cannot be done from inside an attempt`;
  await record(of, said, reason);
  return { ok: false, message: reason };
}

/** A request is flat but for lists of words. */
const deepest = 16;

function understood(line: string): Words | undefined {
  return recordIn<Words>(line, { maxDepth: deepest });
}

/** As it is told in a sentence: short, and a string whatever it was. */
const shown = (value: unknown) =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")).slice(0, 100);

function refused({ task, folder }: Of, { token, what, task: named }: Words): string | undefined {
  const own = Buffer.from(readRecord(folder.token) ?? "");
  const given = Buffer.from(typeof token === "string" ? token : "");
  if (own.length === 0 || own.length !== given.length || !timingSafeEqual(own, given))
    return "the token is not that of this attempt";
  if (namesTask.has(String(what)) && named !== task)
    return `this attempt is at ${task}, not at ${shown(named)}`;
  return undefined;
}

async function record(of: Of, said: Words, reason: string): Promise<void> {
  const { submit, task, attempt, redact, left } = of;
  if (task === null || left.refusals-- <= 0) return;
  const named = said.task === undefined ? "" : shown(said.task);
  const what = redact(`${shown(said.what)} ${named}`.trim()).slice(0, 100);
  await submit({ kind: "refuse-proposal", task, attempt, what, reason: redact(reason) });
}

const levels = ["INFO", "WARN", "ERROR"] as const;

/** Into the activity logs, and among what the attempt said: for `attach`, the transcript and the report (C11). */
function log(of: Of, { level: named, event: kind, message: said }: Words): Heard {
  const level = levels.find((each) => each === named);
  const [event, message] = [textOf(of, kind, 60), textOf(of, said, most.line)];
  if (!level) return { ok: false, message: `the level is one of ${levels.join(", ")}` };
  if (event === "" || message === "") return { ok: false, message: "an event and a message are needed" };
  if (of.left.lines-- <= 0) return done;
  of.log({
    level,
    agent: of.task === null ? of.who : `${of.who} ${of.task}`,
    event,
    message,
  });
  const line = { at: of.now(), level, event, message };
  append(logOf(of.folder), `${JSON.stringify(line)}\n`);
  tell(of, { kind: "said", text: `[${level}] ${event}: ${message}` });
  return done;
}

/** The file first: a question that was acknowledged must be there after any death. */
function ask(of: Of, { text: said, options }: Words): Heard {
  const { folder } = of;
  const text = textOf(of, said, most.text);
  if (text === "") return { ok: false, message: "a question is a text" };
  const known = questionsIn(folder);
  // The same call once more is the same question.
  if (known.some((question) => question.text === text)) return done;
  if (known.length >= most.questions)
    return { ok: false, message: `${most.questions} questions are enough: stop, and wait for the answers` };
  const question: AgentQuestion = {
    id: `q${known.length + 1}`,
    text,
    options: wordsOf(options, most.options).map((option) => textOf(of, option, most.line)),
  };
  replaceFile(folder.asked, JSON.stringify([...known, question]));
  tell(of, { kind: "asked", ...question });
  return done;
}

async function propose(of: Of, said: Words, status: "success" | "failed"): Promise<Heard> {
  const { submit, attempt, folder } = of;
  const task = of.task ?? "";
  if (questionsIn(folder).length > 0)
    return { ok: false, message: "a question of yours is open: stop now, the answer starts another attempt" };
  const { summary, ...proposal } = resultOf(of, said, status);
  // The file first: a proposal that was acknowledged must be there after any death.
  replaceFile(folder.proposed, JSON.stringify(proposal));
  const late = await submit({ kind: "propose", task, attempt, status, summary: summary.slice(0, 500) });
  if (late === undefined) return done;
  remove(folder.proposed);
  return { ok: false, message: late };
}

function resultOf(of: Of, said: Words, status: "success" | "failed") {
  const head = { version: "1.0", task_id: of.task, status };
  if (status === "success") {
    const [created, modified] = [wordsOf(said.created, most.files), wordsOf(said.modified, most.files)];
    const summary = `${created.length} created, ${modified.length} modified`;
    return { ...head, files: { created, modified }, summary };
  }
  const message = textOf(of, said.error, most.text) || "it gave no reason";
  const category = typeof said.category === "string" ? said.category : "unknown";
  const error = { category, message, retryable: said.retryable !== false };
  return { ...head, error, summary: message };
}

/** For people who watch: kept beside what the agent prints, and shown at once. */
function tell({ folder, now, watch }: Of, event: AgentEvent): void {
  append(folder.events, `${JSON.stringify({ at: now(), ...event })}\n`);
  watch(event);
}

function textOf({ redact }: Of, value: unknown, longest: number): string {
  return typeof value === "string" ? redact(value).trim().slice(0, longest) : "";
}

function wordsOf(value: unknown, longest: number): string[] {
  const words = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return words.slice(0, longest);
}
