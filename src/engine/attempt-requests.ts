// What an agent may say over its attempt's socket, and what becomes of it. All of it is untrusted: it is looked at
// before it is used, redacted before it is kept, and bounded. A completion is a proposal (X16); a question ends the
// attempt when the agent ends, as one that it prints does; everything else is refused, and the refusal is recorded.
import { timingSafeEqual } from "node:crypto";
import type { AgentEvent } from "../agents/agent.ts";
import type { Input } from "../core/input.ts";
import type { TaskId } from "../core/run.ts";
import { type AttemptFolder, type Question, questionsIn } from "../effects/attempt-folder.ts";
import { append, readIfThere, remove, replaceFile } from "../host/files.ts";
import { type App, Refused } from "./app.ts";

/** The attempt that a socket belongs to. */
export interface Of {
  readonly app: App;
  readonly task: TaskId;
  readonly attempt: number;
  readonly folder: AttemptFolder;
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

const requests: Readonly<Record<string, (of: Of, said: Words) => Promise<Heard> | Heard>> = {
  bundle: ({ folder }) => {
    const bundle = readIfThere(folder.bundle);
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
  log: () => done,
};

const namesTask: ReadonlySet<string> = new Set(["complete-task", "fail-task"]);

export async function answer(of: Of, line: string): Promise<Heard> {
  const said = understood(line);
  if (!said) return { ok: false, message: "that is not a request" };
  const refusal = refused(of, said);
  const request = Object.hasOwn(requests, String(said.what)) ? requests[String(said.what)] : undefined;
  if (refusal === undefined && request) return request(of, said);
  const reason = refusal ?? `\`${shown(said.what)}\` cannot be done from inside an attempt`;
  await record(of, said, reason);
  return { ok: false, message: reason };
}

function understood(line: string): Words | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Words)
      : undefined;
  } catch {
    return undefined;
  }
}

/** As it is told in a sentence: short, and a string whatever it was. */
const shown = (value: unknown) =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")).slice(0, 100);

function refused({ task, folder }: Of, { token, what, task: named }: Words): string | undefined {
  const own = Buffer.from(readIfThere(folder.token) ?? "");
  const given = Buffer.from(typeof token === "string" ? token : "");
  if (own.length === 0 || own.length !== given.length || !timingSafeEqual(own, given))
    return "the token is not that of this attempt";
  if (namesTask.has(String(what)) && named !== task)
    return `this attempt is at ${task}, not at ${shown(named)}`;
  return undefined;
}

async function record(of: Of, said: Words, reason: string): Promise<void> {
  const { app, task, attempt, redact, left } = of;
  if (left.refusals-- <= 0) return;
  const named = said.task === undefined ? "" : shown(said.task);
  const what = redact(`${shown(said.what)} ${named}`.trim()).slice(0, 100);
  await submit(app, { kind: "refuse-proposal", task, attempt, what, reason: redact(reason) });
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
  const question: Question = {
    id: `q${known.length + 1}`,
    text,
    options: wordsOf(options, most.options).map((option) => textOf(of, option, most.line)),
  };
  replaceFile(folder.asked, JSON.stringify([...known, question]));
  tell(of, { kind: "asked", ...question });
  return done;
}

async function propose(of: Of, said: Words, status: "success" | "failed"): Promise<Heard> {
  const { app, task, attempt, folder } = of;
  if (questionsIn(folder).length > 0)
    return { ok: false, message: "a question of yours is open: stop now, the answer starts another attempt" };
  const { summary, ...proposal } = resultOf(of, said, status);
  // The file first: a proposal that was acknowledged must be there after any death.
  replaceFile(folder.proposed, JSON.stringify(proposal));
  const late = await submit(app, { kind: "propose", task, attempt, status, summary: summary.slice(0, 500) });
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

async function submit(app: App, input: Input): Promise<string | undefined> {
  try {
    await app.submit(input);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
