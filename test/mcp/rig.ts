// A client of `heddle mcp` for the tests: the real process, line by line. Everything that the server prints must be a
// message; anything else fails the test that sees it.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach } from "vitest";
import { type Options, type Project, start } from "../e2e/rig.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape are read here, and each test says which
type Document = any;

const open: ChildProcess[] = [];
afterEach(() => {
  for (const child of open.splice(0)) child.kill("SIGKILL");
});

export interface Told {
  readonly document: Document;
  readonly isError: boolean;
  readonly texts: readonly string[];
}

export class Client {
  readonly child: ChildProcess;
  /** Every message, in the order of arrival. */
  readonly messages: Document[] = [];
  stderr = "";
  #text = "";
  #last = 0;
  readonly #waiting = new Map<unknown, (message: Document) => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    open.push(child);
    child.stdin?.on("error", () => {});
    child.stderr?.on("data", (bytes: Buffer) => {
      this.stderr += bytes;
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
  }

  static in(project: Project, options: Options = {}): Client {
    return new Client(start(["mcp"], { cwd: project.root, ...options }));
  }

  #hear(text: string): void {
    this.#text += text;
    const lines = this.#text.split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Document;
      for (const each of Array.isArray(message) ? message : [message]) {
        this.messages.push(each);
        this.#waiting.get(each.id ?? null)?.(each);
      }
    }
  }

  raw(bytes: string | Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  send(message: object): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }

  /** The next message with this id. */
  answerTo(id: unknown): Promise<Document> {
    return new Promise((settle) => this.#waiting.set(id, settle));
  }

  request(method: string, params: object = {}, id: string | number = ++this.#last): Promise<Document> {
    const answer = this.answerTo(id);
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  async begin(protocolVersion = "2025-06-18"): Promise<Document> {
    const clientInfo = { name: "rig", version: "1" };
    const { result } = await this.request("initialize", { protocolVersion, clientInfo, capabilities: {} });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return result;
  }

  async tools(): Promise<Document[]> {
    return (await this.request("tools/list")).result.tools;
  }

  async names(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  async call(name: string, input: object = {}): Promise<Told> {
    const { result, error } = await this.request("tools/call", { name, arguments: input });
    if (!result) throw new Error(error.message);
    const texts = result.content.map(({ text }: { text: string }) => text);
    return { document: JSON.parse(texts[0]), isError: result.isError, texts };
  }

  async close(): Promise<number | null> {
    this.child.stdin?.end();
    const [code] = this.child.exitCode === null ? await once(this.child, "close") : [this.child.exitCode];
    return code as number | null;
  }
}
