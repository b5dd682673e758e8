// A server of its own for the page: the built files, pages that were made up, changes pushed by hand, and a line that can be
// cut. It refuses nothing but what the real one would: see src/page for that.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { ChangeEvent, Order, OrderReply, RunPage, TaskRow } from "../../src/page/model.ts";
import { reportFile } from "../../src/page/report-file.ts";
import {
  at,
  coveragePage,
  madeRuns,
  moneyPage,
  projectPage,
  reportOf,
  summaryPage,
  taskPage,
  timelinePage,
} from "./made.ts";

const dist = join(import.meta.dirname, "../../dist/page");
const types: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

export class StandIn {
  runs = new Map<string, RunPage>();
  /** Every page goes through it: a test makes its texts hostile here. */
  through: <T>(page: T) => T = (page) => page;
  orders: { readonly run: string; readonly order: Order }[] = [];
  reply: (order: Order) => OrderReply = () => ({ ok: true, position: 43, said: "Done." });
  lastIds: (string | undefined)[] = [];
  tokens: string[] = [];
  /** Of every request that needs one. */
  keys: string[] = [];
  isOver = false;
  transcript = ["I read the specification.", "I write src/list.js."];
  #streams = new Set<ServerResponse>();
  #sockets = new Set<Socket>();
  #sent: { id: number; text: string }[] = [];
  #server = createServer((request, response) => this.#answer(request, response));
  #isCut = false;

  constructor(runs: readonly RunPage[] = madeRuns()) {
    for (const run of runs) this.runs.set(run.id, run);
    this.#server.on("connection", (socket) => {
      if (this.#isCut) return socket.destroy();
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  giveBack(): void {
    this.#isCut = false;
  }

  /** Moves a run on by one position. */
  push(run: string, rows: readonly TaskRow[], more: Partial<RunPage> = {}): void {
    const page = this.runs.get(run);
    if (!page) throw new Error(`bug: there is no ${run}`);
    const fresh = new Map(rows.map((row) => [row.id, row]));
    const tasks = page.tasks.map((row) => fresh.get(row.id) ?? row);
    const counts = { pending: 0, running: 0, complete: 0, failed: 0, blocked: 0, skipped: 0 };
    for (const { status } of tasks) counts[status]++;
    const position = page.position + 1;
    const next = { ...page, ...more, tasks, counts, position, last: position };
    this.runs.set(run, next);
    const { tasks: _, ...rest } = next;
    const change: ChangeEvent = { run, position, since: page.position, page: rest, tasks: rows };
    this.#sent.push({ id: this.#sent.length + 1, text: JSON.stringify(this.through(change)) });
    for (const stream of this.#streams) this.#write(stream, this.#sent.length);
  }

  #write(stream: ServerResponse, id: number): void {
    stream.write(`id: ${id}\nevent: change\ndata: ${this.#sent[id - 1]?.text}\n\n`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://x");
    response.setHeader("content-security-policy", policy);
    response.setHeader("x-content-type-options", "nosniff");
    if (url.pathname.startsWith("/api/") && url.pathname !== "/api/session") {
      this.keys.push(request.headers["x-heddle-key"]?.toString() ?? url.searchParams.get("key") ?? "");
      if (this.isOver) return void response.writeHead(401).end("{}");
    }
    if (url.pathname === "/api/events") return void this.#stream(request, response);
    if (request.method === "POST") return void this.#take(request, response, url.pathname);
    if (!url.pathname.startsWith("/api/")) return void this.#file(response, url.pathname);
    const page = this.#page(url);
    response.statusCode = page === null ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(page === null ? { problem: "There is no such page.", hint: null } : this.through(page)),
    );
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers["last-event-id"]?.toString();
    this.lastIds.push(last);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 100\n\n");
    // One more than was missed: a page must show nothing twice.
    for (let id = Math.max(1, Number(last ?? this.#sent.length + 1)); id <= this.#sent.length; id++)
      this.#write(response, id);
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }

  async #take(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Order & { token?: string };
    if (path === "/api/session") {
      this.tokens.push(body.token ?? "");
      const isRight = body.token === "right";
      response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify(isRight ? { key: "the-key" } : { ok: false, problem: "no", hint: null }));
      return;
    }
    this.orders.push({ run: path.split("/")[3] ?? "", order: body });
    const reply = this.reply(body);
    response.writeHead(reply.ok ? 200 : 409, { "content-type": "application/json" });
    response.end(JSON.stringify(reply));
  }

  #file(response: ServerResponse, path: string): void {
    if (path === "/report.html")
      return void response.setHeader("content-type", "text/html").end(reportHtml(this.runs.get("plan-1")));
    const name = path === "/" ? "index.html" : path.slice(1);
    try {
      response.setHeader("content-type", types[name.split(".").at(-1) ?? ""] ?? "text/plain");
      response.end(readFileSync(join(dist, name)));
    } catch {
      response.writeHead(404).end();
    }
  }

  #page(url: URL): object | null {
    const [, , what, name = "", part, task = "", , attempt] = url.pathname.split("/").map(decodeURIComponent);
    if (what === "project") return projectPage([...this.runs.values()]);
    const now = this.runs.get(name);
    if (what !== "runs" || !now) return null;
    const moment = url.searchParams.get("at");
    const run = moment === null ? now : then(now, Number(moment));
    if (attempt !== undefined) return this.#transcript(Number(url.searchParams.get("after")));
    switch (part) {
      case undefined:
        return run;
      case "tasks":
        return taskPage(run, task);
      case "timeline":
        return timelinePage(run);
      case "money":
        return moneyPage(run);
      case "coverage":
        return coveragePage(run);
      case "report":
        return summaryPage(run);
      case "moments":
        return {
          last: run.position,
          moments: [0, 5, 12, 20, 31, 42].map((position) => ({
            position,
            at: at(position * 10),
            text: `Event ${position} happened`,
          })),
        };
      default:
        return null;
    }
  }

  #transcript(after: number): object {
    const lines = this.transcript.slice(after).map((text) => ({ kind: "says", text }));
    return { lines, next: this.transcript.length, live: true };
  }
}

/** Earlier, fewer tasks were done. */
function then(run: RunPage, position: number): RunPage {
  const done = Math.floor(position / 10);
  const tasks = run.tasks.map(
    (row, index): TaskRow => ({ ...row, status: index < done ? "complete" : "pending" }),
  );
  const counts = { ...run.counts, pending: 0, running: 0, complete: 0, failed: 0, blocked: 0, skipped: 0 };
  for (const { status } of tasks) counts[status]++;
  return { ...run, tasks, counts, position, inbox: [], actions: [], at: at(position * 10) };
}

/** The page with the data inside of it, as a report has it. */
export function reportHtml(run: RunPage | undefined, through: StandIn["through"] = (page) => page): string {
  if (!run) throw new Error("bug: there is no run to report");
  const read = (name: string) => readFileSync(join(dist, name), "utf8");
  const files = ["index.html", "page.css", "page.js"].map(
    (name) => [`/${name}`, { type: "", body: read(name) }] as const,
  );
  return reportFile(new Map(files), { data: through(reportOf(run)), text: "# the same <b>in words</b>" });
}

if (process.argv[1] === import.meta.filename) console.log(await new StandIn().start());
