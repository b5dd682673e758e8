// A host without a model: starts `heddle mcp` in a project, lists its tools, and asks where the run stands.
//   node look.mjs /path/to/project [tool] ['{"task":"T001"}']
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [cwd = ".", tool = "status", input = "{}"] = process.argv.slice(2);
const [program, ...words] = (process.env.HEDDLE ?? "heddle").split(" ");
const server = spawn(program, [...words, "mcp"], { cwd, stdio: ["pipe", "pipe", "inherit"] });

const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result, error } = JSON.parse(line);
  waiting.get(id)?.(result ?? { isError: true, content: [{ text: error.message }] });
});

let last = 0;
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((settle) => {
    waiting.set(++last, settle);
    send({ id: last, method, params });
  });

await ask("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "look", version: "1" },
});
send({ method: "notifications/initialized" });
const { tools } = await ask("tools/list", {});
console.log(tools.map(({ name, description }) => `${name}: ${description}`).join("\n"));
const { content, isError } = await ask("tools/call", { name: tool, arguments: JSON.parse(input) });
console.log(content[0].text);
process.exitCode = isError ? 1 : 0;
server.stdin.end();
