// The rig of the page's tests: a project in a temporary folder, its server in this process, and a browser that is no more than
// HTTP: whatever headers a test says, over loopback.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { surfaceFor } from "../../src/cli/page/surface.ts";
import { allCommands } from "../../src/cli/registry.ts";
import type { Input } from "../../src/core/input.ts";
import type { TaskDef } from "../../src/core/run.ts";
import { App } from "../../src/engine/app.ts";
import { type Served, serve } from "../../src/page/http/server.ts";
import type { StaticFiles } from "../../src/page/http/static-files.ts";
import type { ChangeEvent } from "../../src/page/model.ts";
import { planOf } from "../core/plan.ts";

/** Until the client is built, and for tests that are not about it. */
export const placeholder: StaticFiles = new Map([
  ["/index.html", { type: "text/html; charset=utf-8", body: "<!doctype html><title>placeholder</title>" }],
]);

const toEnd: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const end of toEnd.splice(0).reverse()) await end();
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "heddle-page-"));
  toEnd.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export async function openProject(root: string): Promise<App> {
  const app = await App.open({ ...composition, root, by: "operator" });
  toEnd.push(() => app.close());
  return app;
}

/** A plan that is ready, without its documents. */
export async function readyProject(
  plan: string | readonly TaskDef[],
  root = folder(),
  phases: readonly string[] = ["logical", "physical", "definition", "validation", "sequencing", "ready"],
): Promise<App> {
  mkdirSync(join(root, ".heddle/log"), { recursive: true });
  mkdirSync(join(root, "project-planning"), { recursive: true });
  await composition.journals.create(root);
  const app = await openProject(root);
  const override = (to: string): Input => ({ kind: "override", reason: "test", to, digests: {} });
  await app.create("decomposition", () => [
    { kind: "create", targetDir: join(root, "app"), planningDir: join(root, "project-planning") },
    { kind: "load-plan", tasks: typeof plan === "string" ? planOf(plan) : plan },
    ...phases.map(override),
  ]);
  return app;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape are read here, and each test says which
  readonly json: any;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class Page {
  readonly served: Served;
  readonly port: number;
  credentials: Readonly<Record<string, string>> = {};

  constructor(served: Served) {
    this.served = served;
    this.port = "port" in served.place ? served.place.port : 0;
  }

  static async open(app: App, files = placeholder): Promise<Page> {
    const ended = new AbortController();
    const served = await serve({
      surface: surfaceFor(app, { signal: ended.signal, commands: allCommands }),
      files,
    });
    toEnd.push(async () => {
      ended.abort();
      await served.close();
    });
    return new Page(served);
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** What a browser sends with a write of the page's own. */
  get own(): Readonly<Record<string, string>> {
    return {
      origin: `http://${this.host}`,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
    };
  }

  ask(path: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Answered> {
    return new Promise((settle, reject) => {
      const asked = request({ host: "127.0.0.1", port: this.port, path, method, headers }, (answer) => {
        let text = "";
        answer.on("data", (bytes: Buffer) => {
          text += bytes.toString("utf8");
        });
        answer.on("end", () => {
          const isJson = answer.headers["content-type"]?.startsWith("application/json");
          const json = isJson ? JSON.parse(text) : undefined;
          settle({ status: answer.statusCode ?? 0, headers: answer.headers, text, json });
        });
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  async begin(): Promise<this> {
    const token = this.served.link().split("#t=")[1];
    const body = JSON.stringify({ token });
    const { headers, json } = await this.ask("/api/session", { method: "POST", headers: this.own, body });
    const cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    this.credentials = { cookie, "x-heddle-key": json.key };
    return this;
  }

  read(path: string): Promise<Answered> {
    return this.ask(path, { headers: this.credentials });
  }

  order(run: string, order: object): Promise<Answered> {
    const headers = { ...this.own, ...this.credentials };
    const body = JSON.stringify(order);
    return this.ask(`/api/runs/${run}/orders`, { method: "POST", headers, body });
  }

  /** Follows the events; `id` resumes. */
  listen(id?: string): Listener {
    const listener = new Listener(this, id);
    toEnd.push(() => listener.close());
    return listener;
  }
}

export class Listener {
  readonly events: { readonly id: string; readonly change: ChangeEvent }[] = [];
  #text = "";
  readonly #request;

  constructor({ port, credentials }: Page, id?: string) {
    const headers = { ...credentials, ...(id !== undefined && { "last-event-id": id }) };
    this.#request = request({ host: "127.0.0.1", port, path: "/api/events", headers }, (answer) => {
      answer.on("data", (bytes: Buffer) => this.#take(bytes.toString("utf8")));
      answer.on("error", () => {});
    });
    this.#request.on("error", () => {});
    this.#request.end();
  }

  #take(text: string): void {
    this.#text += text;
    const parts = this.#text.split("\n\n");
    this.#text = parts.pop() ?? "";
    for (const part of parts) {
      const [, id = ""] = /^id: (.*)$/m.exec(part) ?? [];
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      if (data !== undefined) this.events.push({ id, change: JSON.parse(data) });
    }
  }

  /** Until an event is as wanted; the test's own time limit ends it otherwise. */
  async until(isWanted: (change: ChangeEvent) => boolean): Promise<{ id: string; change: ChangeEvent }> {
    for (;;) {
      const found = this.events.find(({ change }) => isWanted(change));
      if (found) return found;
      await new Promise((settle) => setTimeout(settle, 10));
    }
  }

  close(): void {
    this.#request.destroy();
  }
}
