// One at a time on this machine, whichever process it is: who holds the turn listens at a name of the kernel's (an abstract socket),
// which is free again the moment its process is gone, however it ended. Linux alone has such names; elsewhere nobody waits.
import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { textDigest } from "./digest.ts";

const patienceMs = 90_000;
const lookMs = 100;

/** Contract: after `patienceMs` the work is done without the turn: whoever holds it must not stop everybody for ever. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const held = process.platform === "linux" ? await hold(name) : undefined;
  try {
    return await work();
  } finally {
    held?.close();
  }
}

async function hold(name: string): Promise<Server | undefined> {
  const path = `\0heddle-${process.getuid?.() ?? ""}-${textDigest(name).slice(0, 40)}`;
  const from = performance.now();
  while (performance.now() - from < patienceMs) {
    const held = await listened(path);
    if (held) return held;
    await pause(lookMs);
  }
  return undefined;
}

function listened(path: string): Promise<Server | undefined> {
  return new Promise((settle) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => settle(undefined));
    server.listen({ path }, () => settle(server.unref()));
  });
}
