// The attempt's own way to heddle: a Unix socket in a folder that its box can see, and a token that is good for this
// attempt alone. One line in, one line out; what may be said is in `attempt-requests.ts`.
import { chmodSync, mkdtempSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, remove, replaceFile } from "../host/files.ts";
import { packageDir } from "../planning/package.ts";
import { answer, type Of } from "./attempt-requests.ts";

export interface Door {
  readonly path: string;
  /** What the box has to see, and where `heddle` is found. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The kernel's limit for a socket's path. */
const longestPath = 100;
const mostBytes = 256 * 1024;
const mostConnections = 64;

export async function openDoor(of: Of): Promise<Door> {
  const own = join(of.folder.folder, "door");
  const folder = own.length + 2 > longestPath ? mkdtempSync(join(tmpdir(), "heddle-door-")) : own;
  const path = join(folder, "s");
  makeFolder(folder);
  remove(path);
  replaceFile(join(folder, "heddle"), shim());
  chmodSync(join(folder, "heddle"), 0o755);
  const server = createServer((socket) => serve(socket, of));
  server.maxConnections = mostConnections;
  await new Promise<void>((settle, fail) => server.once("error", fail).listen(path, settle));
  return {
    path,
    folder,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
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
  socket.setEncoding("utf8");
  socket.setTimeout(10_000, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (text.length > mostBytes) socket.destroy();
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = "";
    void answer(of, line).then((heard) => socket.end(`${JSON.stringify(heard)}\n`));
  });
}
