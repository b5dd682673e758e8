// Changes as server-sent events. One reader of the journal serves every page, and reads only while one is open. What a page was told is
// kept as positions, never as events that wait: one that is slow, or slept, is told once what it is behind by.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChangeEvent } from "../model.ts";
import type { Project } from "../project.ts";
import { safeHeaders } from "./answer.ts";

const beatMs = 20_000;
/** A process that was killed and a file that was edited write nothing: they are looked at. */
const lookMs = 1000;
/** Nobody looks for so long: what was loaded is let go. */
const keepMs = 60_000;

interface Client {
  readonly response: ServerResponse;
  /** By run: what this page knows. */
  readonly told: Map<string, number>;
  /** Runs that it must be told of, as soon as it has read what it was sent. */
  readonly behind: Set<string>;
  isBusy: boolean;
}

/** `plan-1@42,task-1@7` */
function positionsIn(id: string): Map<string, number> {
  const pairs = id.split(",").flatMap((part) => {
    const [, run, position] = /^([\w.-]{1,100})@(\d{1,15})$/.exec(part) ?? [];
    return run === undefined ? [] : [[run, Number(position)] as const];
  });
  return new Map(pairs);
}

export class Events {
  readonly #project: Project;
  readonly #clients = new Set<Client>();
  readonly #seen = new Map<string, string>();
  #following: AbortController | undefined;
  #letGo: NodeJS.Timeout | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  get size(): number {
    return this.#clients.size;
  }

  async connect(request: IncomingMessage, response: ServerResponse, seen: string): Promise<void> {
    response.writeHead(200, { ...safeHeaders, "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const known = positionsIn(String(request.headers["last-event-id"] ?? seen));
    // Busy until it is known what it knows.
    const client: Client = { response, told: new Map(), behind: new Set(), isBusy: true };
    response.on("drain", () => this.#drained(client));
    response.on("close", () => this.#leave(client));
    // From here on nothing is missed: whatever is written is told to every client that is in the set.
    this.#clients.add(client);
    await this.#follow();
    for (const { id, archived, position } of await this.#project.runs()) {
      const from = known.get(id);
      if (archived && (from === undefined || from === position)) continue;
      client.told.set(id, from ?? position);
      if (from === undefined || from !== position) client.behind.add(id);
    }
    if (client.behind.size === 0) response.write(": level\n\n");
    client.isBusy = false;
    await this.#tell(client);
  }

  close(): void {
    clearTimeout(this.#letGo);
    this.#following?.abort();
    for (const { response } of this.#clients) response.end();
  }

  #leave(client: Client): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
    this.#letGo = setTimeout(() => this.#project.letGo(), keepMs);
    this.#letGo.unref();
  }

  /** Begins to follow the journal, with the first page. */
  async #follow(): Promise<void> {
    clearTimeout(this.#letGo);
    if (this.#following) return;
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    const { journal } = this.#project.surface.app;
    const changes = journal.changes(signal)[Symbol.asyncIterator]();
    const first = changes.next();
    void this.#take(first, changes);
    this.#every(beatMs, signal, () => this.#beat());
    this.#every(lookMs, signal, () => void this.#lookBeside());
    // The iterator has taken its first look when it is asked; what comes after that is told.
    await new Promise(setImmediate);
    this.#seen.clear();
    for (const { id, archived } of await this.#project.runs()) if (!archived) await this.#noted(id);
  }

  async #take(
    first: Promise<IteratorResult<{ readonly run: string }>>,
    changes: AsyncIterator<{ readonly run: string }>,
  ): Promise<void> {
    for (let next = await first; !next.done; next = await changes.next()) await this.#changed(next.value.run);
  }

  #every(ms: number, signal: AbortSignal, work: () => void): void {
    const timer = setInterval(work, ms);
    signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  async #changed(run: string): Promise<void> {
    await this.#project.live(run).catch(() => undefined);
    await this.#noted(run);
    for (const client of this.#clients) {
      client.behind.add(run);
      await this.#tell(client);
    }
  }

  /** Whether something beside the journal is not as it was when pages were told last. Noted before they are told, never after. */
  async #noted(id: string): Promise<boolean> {
    // A run that cannot be read is not told of: its protocol is broken, or the journal was taken away.
    const live = await this.#project.loaded(id).catch(() => undefined);
    if (!live) return false;
    const now = JSON.stringify(await this.#project.beside(live.run));
    const before = this.#seen.get(id);
    this.#seen.set(id, now);
    return before !== undefined && before !== now;
  }

  #beat(): void {
    for (const { response, isBusy } of this.#clients) if (!isBusy) response.write(": beat\n\n");
  }

  /** What changed beside the journal: the same position, another page. The journal is not asked. */
  async #lookBeside(): Promise<void> {
    for (const id of this.#seen.keys()) if (await this.#noted(id)) await this.#changed(id);
  }

  #drained(client: Client): void {
    client.isBusy = false;
    void this.#tell(client);
  }

  /** One after the other, and nothing while it has not read what it was sent. */
  async #tell(client: Client): Promise<void> {
    for (const run of client.behind) {
      if (client.isBusy || client.response.closed) return;
      client.isBusy = true;
      client.behind.delete(run);
      const event = await this.#eventFor(run, client.told.get(run));
      client.isBusy = false;
      if (event && !this.#write(client, event)) client.isBusy = true;
    }
  }

  async #eventFor(run: string, since: number | undefined): Promise<ChangeEvent | undefined> {
    try {
      return await this.#project.change(run, since ?? 0);
    } catch {
      return undefined;
    }
  }

  #write({ response, told }: Client, event: ChangeEvent): boolean {
    told.set(event.run, event.position);
    const id = Array.from(told, ([run, position]) => `${run}@${position}`).join(",");
    return response.write(`id: ${id}\nevent: change\ndata: ${JSON.stringify(event)}\n\n`);
  }
}
