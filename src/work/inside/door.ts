// The attempt's own way to heddle: a Unix socket in a folder that its box can see, and a token that is good for this
// attempt alone. One line in, one line out; what may be said is in `requests.ts`.
import { chmodSync, mkdtempSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { makeFolder, remove, replaceFile } from "../../host/files.ts";
import { passingPrefix } from "../../host/underway.ts";
import { packageDir } from "../package.ts";
import { answer, type Heard, type Of } from "./requests.ts";

export interface Door {
  readonly path: string;
  /** What the box has to see, and where `heddle` is found. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The kernel's limit for a socket's path. */
const longestPath = 100;
const mostCharacters = 256 * 1024;
const mostConnections = 64;
/** From the first byte to the last, and for the answer: a request that is never finished holds no place for long. */
const patienceMs = 10_000;

export async function openDoor(of: Of): Promise<Door> {
  const own = join(of.folder.folder, "door");
  const folder = own.length + 2 > longestPath ? mkdtempSync(`${passingPrefix()}door-`) : own;
  const path = join(folder, "s");
  makeFolder(folder);
  remove(path);
  replaceFile(join(folder, "heddle"), shim());
  chmodSync(join(folder, "heddle"), 0o755);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(socket, of);
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((settle, fail) => server.once("error", fail).listen(path, settle));
  return {
    path,
    folder,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        for (const socket of sockets) socket.destroy();
        remove(folder);
      }),
  };
}

/** `heddle`, as it is called from inside. */
function shim(): string {
  const quoted = [process.execPath, join(packageDir(), "dist/heddle.js")].map(
    (path) => `'${path.replaceAll("'", "'\\''")}'`,
  );
  return `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`;
}

function serve(socket: Socket, of: Of): void {
  let text = "";
  let asked = false;
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.once("close", () => clearTimeout(timer));
  socket.on("data", (chunk: string) => {
    // One line is one connection's: what follows it is not even kept.
    if (asked) return;
    text += chunk;
    const end = text.indexOf("\n");
    if (end < 0 && text.length <= mostCharacters) return;
    asked = true;
    const line = text.slice(0, Math.max(end, 0));
    text = "";
    void heard(of, line).then((said) => socket.end(`${JSON.stringify(said)}\n`));
  });
}

/** Whatever an agent says, and whatever becomes of it here: the orchestrator goes on, and the agent is told. */
async function heard(of: Of, line: string): Promise<Heard> {
  try {
    return await answer(of, line);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { ok: false, message: `heddle could not take it down (${code ?? message})` };
  }
}
