// A login on a scripted vendor: access tokens that end, a renewal token that is good for one use, and a stand-in for Codex that
// renews its own file with it, as the real one does.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { folder } from "../agents/suite.ts";

export const token = (n: number, seconds: number) =>
  ["{}", JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds, n }), "s"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");

/** `app-server`, as far as heddle speaks with it: it renews when its token has ended, or when it is told to. */
const standIn = `#!${process.execPath}
const fs = require("node:fs"), file = process.env.CODEX_HOME + "/auth.json";
const tell = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
async function renew() {
  const stored = JSON.parse(fs.readFileSync(file, "utf8"));
  const answer = await fetch(process.env.RENEW_AT, { method: "POST", body: stored.tokens.refresh_token });
  if (answer.status !== 200) return;
  const tokens = { ...stored.tokens, ...(await answer.json()) };
  fs.writeFileSync(file + ".new", JSON.stringify({ ...stored, tokens }));
  fs.renameSync(file + ".new", file);
}
const expOf = () => JSON.parse(Buffer.from(JSON.parse(fs.readFileSync(file, "utf8")).tokens.access_token.split(".")[1], "base64url")).exp;
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (process.argv[2] !== "app-server" || process.env.CODEX_API_KEY) process.exit(9);
  if (method === "initialize" && expOf() * 1000 < Date.now() + 300_000) await renew();
  if (method === "getAuthStatus" && params.refreshToken) await renew();
  tell({ id, result: {} });
}).on("close", () => process.exit(0));
`;

export async function scriptedLogin(seconds: number) {
  const home = folder();
  const codexHome = join(home, "codex");
  mkdirSync(codexHome);
  const program = join(home, "codex-stand-in");
  writeFileSync(program, standIn, { mode: 0o755 });
  let [count, access] = [0, token(0, seconds)];
  const file = join(codexHome, "auth.json");
  const tokens = { id_token: "i", access_token: access, refresh_token: "renewal-0", account_id: "acc-1" };
  writeFileSync(file, JSON.stringify({ OPENAI_API_KEY: null, tokens }));
  const used: string[] = [];
  const seen: { readonly authorization: string; readonly account: string; readonly text: string }[] = [];
  const renew = (body: string, response: ServerResponse) => {
    used.push(body);
    // Used twice, everything is revoked: that is what two who renew at once would do to a person.
    if (body !== `renewal-${count}`) return void response.writeHead(401).end();
    access = token(++count, 36_000);
    response.end(JSON.stringify({ access_token: access, refresh_token: `renewal-${count}` }));
  };
  const answer = ({ headers }: IncomingMessage, text: string, response: ServerResponse) => {
    const { authorization = "" } = headers;
    seen.push({ authorization, account: String(headers["chatgpt-account-id"]), text });
    response.writeHead(authorization === `Bearer ${access}` ? 200 : 401, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify({ model: "m", usage: { input_tokens: 10, output_tokens: 1 } }));
  };
  const server = createServer((asked, response) => {
    let body = "";
    asked.on("data", (chunk) => {
      body += chunk;
    });
    asked.on("end", () => (asked.url === "/renew" ? renew(body, response) : answer(asked, body, response)));
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ program, used, seen, file },
    env: { CODEX_HOME: codexHome, RENEW_AT: `${url}/renew`, CHATGPT_BASE_URL: url },
    /** As the vendor does when a person signs out elsewhere. */
    revoke: () => {
      access = "gone";
    },
    stored: () => JSON.parse(readFileSync(file, "utf8")).tokens as typeof tokens,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
