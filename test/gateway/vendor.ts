// A vendor on loopback that answers what a test says, and a gateway before it, reached over loopback as a box reaches it.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as listener, type Server } from "node:net";
import { afterEach } from "vitest";
import { type Counted, openPass, type Pass, type Wish } from "../../src/gateway/gateway.ts";

export const key = "sk-ant-the-person's-own-key-0123456789";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export async function vendorThat(reply: Reply) {
  const seen: Seen[] = [];
  const server = createServer((asked, response) => {
    let bytes = 0;
    asked.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    asked.on("error", () => {});
    asked.on("end", () => {
      seen.push({ method: asked.method ?? "", url: asked.url ?? "", headers: asked.headers, bytes });
      reply(asked, response);
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  open.push({ close });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** What most models answer. */
export const answers =
  (usage: object = { input_tokens: 1000, output_tokens: 50 }): Reply =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "message", model: "some-model", usage }));
  };

export interface Behind {
  readonly pass: Pass;
  readonly counted: Counted[];
  readonly port: number;
  readonly token: string;
}

export async function gatewayTo(url: string, more: Partial<Wish> = {}): Promise<Behind> {
  const counted: Counted[] = [];
  const own = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url };
  const pass = openPass(
    {
      routes: [{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }],
      budgets: [],
      costOf: ({ input, output }) => (input + output) / 1e6,
      counted: (each) => counted.push(each),
      ...more,
    },
    own,
  );
  const listening: Server = listener();
  await new Promise<void>((settle) => listening.listen(0, "127.0.0.1", settle));
  const { port } = listening.address() as AddressInfo;
  pass.serve(listening);
  open.push(pass);
  return { pass, counted, port, token: pass.variables.ANTHROPIC_API_KEY ?? "" };
}

export interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  readonly onData?: (chunk: Buffer) => void;
}

export interface Replied {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** As an agent asks; the text is kept to a megabyte. */
export function ask({ port, token }: Pick<Behind, "port" | "token">, asking: Asking = {}): Promise<Replied> {
  const {
    path = "/anthropic/v1/messages",
    method = "POST",
    headers = {},
    body = "{}",
    signal,
    onData,
  } = asking;
  return new Promise((settle, fail) => {
    const all = { "x-api-key": token, "content-type": "application/json", ...headers };
    const asked = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: all,
      agent: false,
      ...(signal && { signal }),
    });
    asked.on("error", fail);
    asked.on("response", (response) => {
      let [text, bytes] = ["", 0];
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < 1024 * 1024) text += chunk.toString("utf8");
        onData?.(chunk);
      });
      response.on("error", () => {});
      response.on("close", () =>
        settle({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          bytes,
          isWhole: response.complete,
        }),
      );
    });
    asked.end(body);
  });
}
