// The loopback of a box without a network, served from outside: a moment of Node in the box listens there, hands what
// listens to heddle, and is gone before the program starts. So nothing of heddle's stays in the box, the program is
// started by exactly the same process, and there is no path, no socket file and no network that another box could reach.
import type { ChildProcess } from "node:child_process";
import type { Server } from "node:net";

export interface Gate {
  readonly port: number;
  /** Takes over what listens on the box's loopback; called once, before the program starts. */
  readonly serve: (listening: Server) => void;
}

/** Gives what listens away over its parent's channel, and waits until it has arrived. */
const opener = `
const server = require("node:net").createServer();
server.on("error", (error) => { console.error("heddle's gate: " + error.message); process.exit(1); });
server.listen(Number(process.argv[1]), "127.0.0.1", 1024, () => process.send("gate", server));
process.once("message", () => process.exit(0));
process.once("disconnect", () => process.exit(1));
`;

/** A shell runs the opener, closes the channel, and becomes the program: no descriptor and no variable of heddle's is left. */
export function throughGate(
  argv: readonly [string, ...string[]],
  { port }: Gate,
  channel: number,
): [string, ...string[]] {
  const script = [
    `NODE_CHANNEL_FD=${channel} NODE_CHANNEL_SERIALIZATION_MODE=json NODE_OPTIONS= "$1" -e "$2" "$3" || exit 126`,
    `exec ${channel}>&-`,
    "shift 3",
    'exec "$@"',
  ].join("\n");
  return ["/bin/sh", "-c", script, "heddle-gate", process.execPath, opener, String(port), ...argv];
}

export function openGate(child: ChildProcess, { serve }: Gate): void {
  child.once("message", (_word, listening) => {
    if (listening) serve(listening as Server);
    // Gone meanwhile: there is nobody to be told.
    child.send("arrived", () => {});
  });
}
