// The two ends of the gateway's bench, each a process of its own, so that their work is not counted as the gateway's:
// `vendor` answers a short stream, or one that stays open; `client PORT PATH TOKEN COUNT AT-ONCE` asks, and prints how long first
// bytes took; `hold` opens streams and keeps them.
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

const [, , role = "", port = "", path = "", token = "", count = "0", atOnce = "1"] = process.argv;

const usage = { input_tokens: 1000, output_tokens: 1 };
const begins = `data: ${JSON.stringify({ type: "message_start", message: { model: "m", usage } })}\n\n`;
const word = `data: ${JSON.stringify({ type: "content_block_delta", delta: { type: "text_delta", text: "word " } })}\n\n`;
const ends = `data: ${JSON.stringify({ type: "message_delta", usage: { output_tokens: 50 } })}\n\n`;

function vendor(): void {
  const server = createServer((asked, response) => {
    asked.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(begins);
      if (asked.headers["x-hold"] !== undefined) return;
      for (let n = 0; n < 8; n++) response.write(word);
      response.end(ends);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2000) }] });

/** Until the first byte, and until the end. */
function ask(hold: boolean): Promise<number> {
  const began = performance.now();
  return new Promise((settle, fail) => {
    const headers = {
      "x-api-key": token,
      "content-type": "application/json",
      ...(hold && { "x-hold": "1" }),
    };
    const asked = request({ host: "127.0.0.1", port: Number(port), path, method: "POST", headers, agent });
    asked.on("error", fail).on("response", (response) => {
      let firstMs = 0;
      response.on("data", () => {
        firstMs ||= performance.now() - began;
        if (hold) settle(firstMs);
      });
      response.on("end", () => settle(firstMs));
    });
    asked.end(body);
  });
}

async function client(): Promise<void> {
  const times: number[] = [];
  let left = Number(count);
  const work = async () => {
    while (left-- > 0) times.push(await ask(role === "hold"));
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, work));
  times.sort((a, b) => a - b);
  process.send?.({ medianMs: times[Math.floor(times.length / 2)] ?? 0 });
}

if (role === "vendor") vendor();
else await client();
process.on("disconnect", () => process.exit(0));
