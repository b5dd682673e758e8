// `heddle worker`: this machine takes orders from the queue in a project's Postgres. It opens no project, and sees no journal.
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { type Command, exits, Usage } from "../../../command/command.ts";
import { version } from "../../../command/version.ts";
import { toCall } from "../../../core/hint.ts";
import { isRemote } from "../../../core/machines/remote.ts";
import { problem, Refused } from "../../../core/problem.ts";

export const worker: Command = {
  name: "worker",
  summary:
    "work on tasks of projects whose journal is in Postgres: take orders from the queue there, until you end it",
  group: "run",
  interruptible: true,
  byHand: true,
  flags: {
    queue: {
      about: "the database, as postgres://user@host:5432/database; HEDDLE_QUEUE unless said otherwise",
      takes: "ADDRESS",
    },
    name: { about: "its name in every view; the machine's own unless said otherwise", takes: "NAME" },
    slots: { about: "attempts at once; 2 unless said otherwise", takes: "N" },
    labels: { about: "what it has that tasks may ask for by their tags: gpu,arm", takes: "WORDS" },
    remote: { about: "the git remote, where it is reached in another way from here", takes: "REMOTE" },
    folder: { about: "where it works; in the account's state folder unless said otherwise", takes: "DIR" },
    prepare: { about: "make the queue and the two database roles, and end; needs a user who may" },
  },
  examples: [
    "heddle worker --queue postgres://w1@db.example.org/heddle --slots 4 --labels gpu",
    "heddle worker --prepare --queue postgres://owner@db.example.org/heddle",
  ],
  run: async ({ flags, say, stream }) => {
    const address = flags.one("queue") ?? process.env.HEDDLE_QUEUE;
    if (address === undefined)
      throw new Usage(
        problem("no-queue", "a worker takes its orders from a database, and none is named", {
          hint: toCall("worker --queue postgres://<user>@<host>:5432/<database>"),
        }),
      );
    if (flags.has("prepare")) {
      const { prepareQueue } = await import("../../../queue/prepare.ts");
      const made = await prepareQueue(address);
      return { text: made.text, json: made, exit: made.roles ? exits.done : exits.warned };
    }
    const name = named(flags.one("name") ?? hostname().split(".")[0] ?? "worker");
    const [drain, stop] = [new AbortController(), new AbortController()];
    const end = () => (drain.signal.aborted ? stop.abort() : drain.abort());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, end);
    const { work } = await import("../../../queue/worker.ts");
    try {
      const refused = await work({
        ...{
          address,
          name,
          version,
          slots: slotsIn(flags.one("slots")),
          labels: labelsIn(flags.one("labels")),
        },
        ...{ folder: folderIn(flags.one("folder"), name), remote: remoteIn(flags.one("remote")) },
        ...{ say: flags.has("json") ? say : stream, drain: drain.signal, stop: stop.signal },
      });
      if (refused !== undefined)
        throw new Refused([problem("name-taken", refused, { hint: toCall(`worker --name ${name}-2`) })]);
      return { json: { name, left: true } };
    } finally {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, end);
    }
  },
};

const bad = (message: string, hint: string) => new Usage(problem("bad-worker", message, { hint }));

function named(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,40}$/.test(name)) return name;
  throw bad(`\`${name}\` cannot be a worker's name`, "letters, digits, `.`, `_` and `-`, at most 41");
}

function slotsIn(text = "2"): number {
  const slots = Number(text);
  if (Number.isInteger(slots) && slots >= 1 && slots <= 256) return slots;
  throw bad(`\`${text}\` is no number of slots`, "a number from 1 to 256");
}

function labelsIn(text = ""): string[] {
  const labels = text.split(",").flatMap((each) => each.trim() || []);
  const wrong = labels.find((label) => !/^[A-Za-z0-9][\w.-]*$/.test(label));
  if (wrong === undefined) return labels;
  throw bad(`\`${wrong}\` cannot be a label`, "words of letters, digits, dots and dashes: gpu,arm");
}

function remoteIn(text: string | undefined): string | undefined {
  if (text === undefined || isRemote(text)) return text;
  throw bad(`\`${text}\` is no git remote`, "a folder, or an address of ssh or https without a password");
}

/** Each worker has its own: two on one machine clear up after themselves only. */
function folderIn(text: string | undefined, name: string): string {
  const { XDG_STATE_HOME } = process.env;
  const state = XDG_STATE_HOME?.startsWith("/") ? XDG_STATE_HOME : join(homedir(), ".local/state");
  const folder = text ?? join(state, "heddle/workers", name);
  if (folder.startsWith("/")) return folder;
  throw bad(`\`${folder}\` is not an absolute path`, "--folder /var/lib/heddle");
}
