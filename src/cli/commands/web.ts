// `heddle web`: the project on a page in the browser (U4), served on this machine alone until Ctrl-C.
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, type Command, exits, isJson, type Reply, Usage } from "../../command/command.ts";
import { numberOf } from "../../command/parse.ts";
import { besideName } from "../../command/web-beside.ts";
import { isProblem, problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import type { Served, Serving } from "../../page/http/server.ts";

export const web: Command = {
  name: "web",
  summary: "show the project on a page in the browser, and steer it there, until Ctrl-C",
  brief: "see and steer the runs in the browser",
  group: "look",
  byHand: true,
  flags: {
    port: { about: "the port on loopback; a free one unless said", takes: "N" },
    "no-open": { about: "print the link, and open no browser" },
    listen: { about: "a socket file of yours instead of a port: unix:PATH", takes: "unix:PATH" },
  },
  examples: [
    "heddle web",
    "heddle web --port 4600 --no-open          # from elsewhere: ssh -L 4600:127.0.0.1:4600 host",
    "heddle web --listen unix:/run/user/1000/heddle.sock    # on a machine that others use too",
  ],
  interruptible: true,
  run: async (call) => {
    const isBeside = process.env[besideName] !== undefined;
    const ended = isBeside ? untilInputEnds(call.signal) : call.signal;
    const listen = listenIn(call);
    const { readPage } = await import("../../page/http/static-files.ts");
    const files = readPage();
    if (isProblem(files)) throw new Refused([files]);
    if (isBeside) await projectThere(call, ended);
    if (ended.aborted) return { json: undefined };
    const app = await call.app();
    // All runs are shown; one that is named and is not there is a mistake all the same.
    if (call.flags.one("run") !== undefined) await app.run();
    const { serve } = await import("../../page/http/server.ts");
    const { surfaceFor } = await import("../page/surface.ts");
    const served = await serve({
      ...{ surface: surfaceFor(app, { signal: ended, commands: call.commands }), files, listen },
      failed: (error) =>
        call.warn(problem("page", `the page could not be answered: ${String((error as Error)?.message)}`)),
    });
    try {
      return await shown(call, served, { ended, isBeside });
    } finally {
      await served.close();
    }
  },
};

function listenIn({ flags }: Call): NonNullable<Serving["listen"]> {
  const [where, port] = [flags.one("listen"), flags.one("port")];
  if (where !== undefined) {
    const [, path] = /^unix:(.+)$/.exec(where) ?? [];
    const hint = "--listen unix:PATH; a port on loopback is `--port N`";
    if (path === undefined)
      throw new Usage(
        problem("bad-listen", `the page listens on loopback or on a socket file, not at \`${where}\``, {
          hint,
        }),
      );
    if (port !== undefined)
      throw new Usage(problem("contradiction", "`--port` and `--listen` are both given", { hint }));
    return { socket: resolve(path) };
  }
  if (port === undefined) return {};
  const wanted = numberOf(port, "--port", { least: 1, whole: true });
  if (wanted > 65_535)
    throw new Usage(problem("bad-port", `\`${port}\` is no port`, { hint: "--port 4600" }));
  return { port: wanted };
}

interface Showing {
  readonly ended: AbortSignal;
  readonly isBeside: boolean;
}

async function shown(call: Call, served: Served, { ended, isBeside }: Showing): Promise<Reply> {
  const { flags, say, stream } = call;
  const isForPrograms = isJson(call) || isBeside;
  const link = served.link();
  if (isForPrograms) stream(JSON.stringify({ page: link, ...served.place }));
  else {
    say(`page: ${link}`);
    if ("socket" in served.place) say(tunnel(served.place.socket));
  }
  const again = () => say(`page: ${served.link()}`);
  const isAsked = !isForPrograms && process.stdin.isTTY === true;
  if (isAsked) {
    say("The link is good once. Enter prints another, Ctrl-C ends the page.");
    process.stdin.on("data", again);
  }
  const { hasScreen, openBrowser } = await import("../page/browser.ts");
  const isOpened = !flags.has("no-open") && !isJson(call) && "port" in served.place && hasScreen();
  const clear = isOpened ? openBrowser(served.link()) : () => {};
  await new Promise<void>((settle) => {
    if (ended.aborted) settle();
    ended.addEventListener("abort", () => settle(), { once: true });
  });
  clear();
  if (isAsked) {
    process.stdin.off("data", again);
    process.stdin.pause();
  }
  return { json: undefined, exit: isBeside ? exits.done : exits.interrupted };
}

const tunnel = (socket: string) =>
  `It listens at ${socket}: ssh -L 4600:${socket} host, then open the link with localhost:4600 in it.`;

/** The command beside which it runs holds the other end. */
function untilInputEnds(signal: AbortSignal): AbortSignal {
  const ended = new AbortController();
  process.stdin.on("end", () => ended.abort());
  process.stdin.on("error", () => ended.abort());
  process.stdin.resume();
  return AbortSignal.any([signal, ended.signal]);
}

/** A plan or a mission makes its project first. */
async function projectThere({ journals, root }: Call, signal: AbortSignal): Promise<void> {
  const hasRun = async () => (await journals.has(root)) && (await beganIn(root));
  while (!signal.aborted && !(await hasRun())) await sleep(200, undefined, { signal }).catch(() => {});
}

async function beganIn(root: string): Promise<boolean> {
  const { App } = await import("../../engine/app.ts");
  const { composition } = await import("../composition.ts");
  const app = await App.open({ ...composition, root, by: "page" });
  try {
    return (await app.journal.runs()).length > 0;
  } finally {
    app.close();
  }
}
