// A relay between heddle and its server that loses connections at named points: before a commit reaches the server, after it was done
// and before the answer is back, or for good.
import { connect, createServer, type Server, type Socket } from "node:net";

export type Loss = "question" | "answer";

export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How the next commits are lost, one after another. */
  losses: Loss[] = [];
  lost = 0;
  isOpen = true;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async to(port: number): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const relay = new Relay(server, (server.address() as { port: number }).port);
    server.on("connection", (socket) => relay.#pass(socket, port));
    return relay;
  }

  #pass(socket: Socket, port: number): void {
    if (!this.isOpen) {
      socket.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    let loss: Loss | undefined;
    const cut = () => {
      socket.destroy();
      far.destroy();
    };
    for (const each of [socket, far]) {
      this.#sockets.add(each);
      each.on("error", cut);
      each.on("close", () => {
        this.#sockets.delete(each);
        cut();
      });
    }
    socket.on("data", (data) => {
      // What binds a commit has its name in it, prepared or not.
      if (data.includes("commit\0") && this.losses.length > 0) {
        loss = this.losses.shift();
        this.lost++;
        if (loss === "question") return cut();
      }
      far.write(data);
    });
    far.on("data", (data) => {
      // The server has answered, so it is done; nobody hears of it.
      if (loss === "answer") return cut();
      socket.write(data);
    });
  }

  /** Ends every connection at once, and lets no other be made until it is opened again. */
  shut(): void {
    this.isOpen = false;
    for (const each of this.#sockets) each.destroy();
  }

  close(): void {
    this.shut();
    this.#server.close();
  }
}
