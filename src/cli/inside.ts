// Inside an attempt: the box sees neither the journal nor the bundles, so the few commands that an executor may use go
// over the attempt's own socket, with its token (X16). Exit 0 means that the proposal is recorded.
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { type Command, exits, type Reply } from "../command/command.ts";
import type { Parsed } from "../command/parse.ts";
import { toCall } from "../core/hint.ts";
import { jsonIn, recordIn } from "../core/json.ts";
import { problem } from "../core/problem.ts";
import { hintText } from "../view/hint.ts";

type Words = Readonly<Record<string, unknown>>;

const requests: Readonly<Record<string, (parsed: Parsed) => Words>> = {
  "state complete-task": ({ args: [task], flags }) => ({
    what: "complete-task",
    task,
    created: flags.all("created"),
    modified: flags.all("modified"),
  }),
  "state fail-task": ({ args: [task, ...words], flags }) => ({
    what: "fail-task",
    task,
    error: words.join(" "),
    category: flags.one("category"),
    retryable: !flags.has("no-retry"),
  }),
  "attempt bundle": () => ({ what: "bundle" }),
  "attempt progress": ({ args }) => ({ what: "progress", message: args.join(" ") }),
  "attempt ask": ({ args, flags }) => ({ what: "ask", text: args.join(" "), options: flags.all("option") }),
  log: ({ args: [level, , event, ...words] }) => ({ what: "log", level, event, message: words.join(" ") }),
};

const patienceMs = 10_000;

export type Heard =
  | { readonly ok: true; readonly bundle?: string }
  | { readonly ok: false; readonly message: string };

export async function sayInside({ name }: Command, parsed: Parsed, socket: string): Promise<Reply> {
  // What is not allowed is asked for all the same: the orchestrator refuses it, and writes that down.
  const said = requests[name]?.(parsed) ?? { what: name, task: parsed.args[0] };
  const heard = await insideSays(socket, said);
  if (heard.ok) return heardReply(said, heard.bundle);
  const found = problem("refused", heard.message, {
    hint: [toCall("state complete-task"), ", fail-task, attempt bundle, progress, ask and log work here"],
  });
  return {
    text: `error: ${found.message}\nhint: ${hintText(found.hint ?? "")}`,
    json: { ok: false, problems: [found] },
    exit: exits.refused,
  };
}

/** One request with the attempt's token, and its answer. */
export async function insideSays(socket: string, said: Words): Promise<Heard> {
  const file = process.env.HEDDLE_TOKEN_FILE;
  const token = file === undefined ? "" : readFileSync(file, "utf8").trim();
  return exchange(socket, JSON.stringify({ ...said, token }));
}

function heardReply(said: Words, bundle: string | undefined): Reply {
  if (bundle !== undefined) return { text: bundle, json: jsonIn(bundle) };
  const text = saidText(said);
  return { text, json: { ok: true, ...(text !== "" && { message: text }) } };
}

function saidText({ what, task }: Words): string {
  switch (what) {
    case "complete-task":
      return `Task ${task}: proposed as complete; heddle checks it now`;
    case "fail-task":
      return `Task ${task}: reported as failed`;
    case "ask":
      return "The question is recorded. Stop now, without a result: the answer starts another attempt";
    default:
      return "";
  }
}

function exchange(path: string, line: string): Promise<Heard> {
  return new Promise((settle) => {
    let text = "";
    const socket = createConnection(path, () => socket.write(`${line}\n`));
    const fail = (message: string) => settle({ ok: false, message });
    socket.setEncoding("utf8");
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", () => fail("the orchestrator cannot be reached: it may have ended"));
    socket.on("close", () => {
      const heard = recordIn<Heard>(text);
      if (heard) settle(heard);
      else fail("the orchestrator did not answer");
    });
  });
}
