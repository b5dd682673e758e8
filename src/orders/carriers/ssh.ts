// Orders carried out on another machine, by `ssh <host> heddle carry --machine`: one connection per order. Bases go there and
// commits come back as packs over that connection, both sides show signs of life, and an ssh that ends or falls silent is a
// machine that is gone. Nothing that the machine says names a file of this one except where attempts and results are kept,
// and no ref here is written by it.
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Repository } from "../../host/git/repository.ts";
import { IncomingPack, packFor, piecesOf } from "../../host/packs.ts";
import { markName, turnMark } from "../../host/program/marks.ts";
import { ownProgram } from "../../host/program/programs.ts";
import type { Carried, Carrier, Hearing, WorkOrder } from "../../work/order.ts";
import { type Away, type AwayOrder, madeBy } from "../../work/wire/away.ts";
import {
  beatMs,
  type Fitting,
  type Lodging,
  type Looking,
  type MachineSaid,
  machineSaidIn,
  pieceBytes,
  type Seen,
  silenceMs,
  wireFormat,
} from "../../work/wire/machine-messages.ts";
import { asThrown, type Said } from "../../work/wire/messages.ts";
import { forMachine } from "./elsewhere.ts";
import { heard, pinMade } from "./heard.ts";
import type { Wrapping } from "./process.ts";
import { type Reached, sshArguments, whyEnded } from "./ssh-program.ts";

/** The machine is gone, was never there, or cannot do it. */
export class MachineGone extends Error {
  /** Whether an agent's work may be lost with it. */
  readonly begun: boolean;
  constructor(message: string, begun: boolean) {
    super(message);
    this.begun = begun;
  }
}

/** Another heddle would misread what it is told. */
export const otherVersion = ({ name, there, here }: { name: string; there: string; here: string }) =>
  `${name} has heddle ${there}, and this is ${here}: install the same version there (npm install -g heddle@${here})`;

/** To log in and start heddle; a machine that needs longer is too slow to work on. */
const helloMs = 45_000;
const endMs = 10_000;

type Connected = ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** What of the person's environment ssh itself needs: their keys' agent, and where their configuration lies. */
const sshVariables = ["HOME", "USER", "LOGNAME", "PATH", "SSH_AUTH_SOCK", "LANG", "TMPDIR"];

function connect(machine: Reached): Connected {
  const own = sshVariables.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  const marks = [process.env[markName], turnMark()].filter((mark) => mark !== undefined);
  const env = { ...Object.fromEntries(own), ...(marks.length > 0 && { [markName]: marks.join(":") }) };
  // Away from the terminal's Ctrl-C: this process decides what ends.
  const child = spawn(ownProgram("ssh"), sshArguments(machine), {
    cwd: "/",
    env,
    stdio: "pipe",
    detached: true,
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  return child;
}

/** One connection, from its hello to its end. */
class Link {
  readonly child: Connected;
  readonly #machine: Reached;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<number | null>;
  readonly #watch: NodeJS.Timeout;
  #heardMs = performance.now();
  #limitMs = helloMs;
  #errors = "";
  #why: string | undefined;
  begun = false;

  constructor(machine: Reached, signal: AbortSignal) {
    this.#machine = machine;
    this.child = connect(machine);
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.#ended = new Promise((resolve) => {
      this.child.once("close", (code) => resolve(code)).once("error", () => resolve(127));
    });
    this.child.stderr.on("data", (chunk: Buffer) => {
      if (this.#errors.length < 8192) this.#errors += chunk.toString("utf8");
    });
    this.#watch = setInterval(() => this.#beat(), beatMs);
    signal.addEventListener("abort", () => this.stop(), { once: true });
    if (signal.aborted) this.stop();
  }

  #beat(): void {
    this.send({ beat: true });
    if (performance.now() - this.#heardMs <= this.#limitMs) return;
    this.#why = `it said nothing for ${Math.round(this.#limitMs / 1000)} s`;
    this.child.kill("SIGKILL");
  }

  /** The next thing that it says; nothing at its end. Signs of life are only noticed. */
  async next(): Promise<MachineSaid | Said | undefined> {
    for (;;) {
      const line = await this.#lines.next();
      if (line.done) return undefined;
      this.#heardMs = performance.now();
      const said = this.back(line.value);
      if (said && said.kind !== "beat") return said;
    }
  }

  back: (line: string) => MachineSaid | Said | undefined = machineSaidIn;

  /** A machine that runs another heddle would misread what it is told. What a shell prints before is no hello. */
  async hello(): Promise<void> {
    const said = await this.next();
    const { name, version } = this.#machine;
    if (said === undefined) throw await this.gone();
    if (said.kind !== "hello") throw new MachineGone(`${name} answers, but not as heddle does`, false);
    if (said.version !== version || said.wire !== wireFormat)
      throw new MachineGone(otherVersion({ name, there: said.version, here: version }), false);
    this.#limitMs = silenceMs;
  }

  send(message: object): void {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async sendPieces(file: string): Promise<void> {
    for await (const piece of piecesOf(file, pieceBytes))
      if (!this.child.stdin.write(`${JSON.stringify({ piece })}\n`)) await this.#drained();
    this.send({ packed: true });
  }

  #drained(): Promise<unknown> {
    return Promise.race([new Promise((resolve) => this.child.stdin.once("drain", resolve)), this.#ended]);
  }

  /** Its input ends, and with it what it works on; one that does not end by itself is ended. */
  stop(): void {
    this.child.stdin.end();
    setTimeout(() => this.child.kill("SIGKILL"), endMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.stop();
    await this.#ended;
  }

  /** Why it ended, as a sentence. */
  async gone(): Promise<MachineGone> {
    const code = await this.#ended;
    return new MachineGone(
      `${this.#machine.name}: ${this.#why ?? whyEnded(code, this.#errors, this.#machine)}`,
      this.begun,
    );
  }
}

/** What goes to every machine with every order. */
export interface Sending {
  readonly machine: Reached;
  readonly lodging: Lodging;
  readonly fitting: Fitting;
  readonly wrapping: Wrapping;
  /** Where packs are made. */
  readonly scratch: string;
  /** Attempts that are worked on there: the others' folders may go. */
  readonly live: () => Promise<readonly string[]>;
}

/** Carries orders out over ssh. */
export function sshCarrier(sending: Sending): Carrier {
  return {
    carry: async (given, hearing, signal) => {
      const { order, away } = forMachine(given, sending.wrapping);
      const link = new Link(sending.machine, signal);
      try {
        await link.hello();
        const carried = await converse(link, { order, away, hearing, sending });
        await sending.wrapping.after(order, carried);
        return carried;
      } finally {
        await link.close();
      }
    },
  };
}

interface Exchange {
  readonly order: AwayOrder;
  readonly away: Away;
  readonly hearing: Hearing;
  readonly sending: Sending;
}

/** Orders whose loss costs what an agent did. */
export const isAgents = ({ kind }: WorkOrder) => kind === "run-agent" || kind === "repair-result";

async function converse(link: Link, { order, away, hearing, sending }: Exchange): Promise<Carried> {
  const { wrapping, lodging, fitting } = sending;
  const { repository } = order;
  const given = {
    order,
    distrusted: [],
    away: { ...away, origin: "" },
    fitting,
    lodging,
    live: await sending.live(),
  };
  link.child.stdin.write(`${wrapping.there(JSON.stringify(given))}\n`);
  link.back = (line) => machineSaidIn(wrapping.back(line));
  const incoming = new IncomingPack(
    repository.objects,
    `${sending.machine.name}-${order.kind}-${link.child.pid}`,
  );
  let packed: string | undefined;
  try {
    for (;;) {
      const said = await link.next();
      if (said === undefined) throw await link.gone();
      if (heard(said, { hearing, wrapping, answer: (answer) => link.send(answer) })) continue;
      if (said.kind === "needs") await sendCommits(link, { said, repository, sending });
      else if (said.kind === "begins") link.begun = isAgents(order);
      else if (said.kind === "piece") incoming.add(Buffer.from(said.piece, "base64"));
      else if (said.kind === "packed") packed = said.commit;
      else if (said.kind === "failed") throw asThrown(said.failed);
      else if (said.kind === "carried") {
        await takeMade({ order, carried: said.carried, incoming, packed });
        return said.carried;
      }
    }
  } finally {
    incoming.drop();
  }
}

async function takeMade({
  order,
  carried,
  incoming,
  packed,
}: {
  readonly order: AwayOrder;
  readonly carried: Carried;
  readonly incoming: IncomingPack;
  readonly packed: string | undefined;
}): Promise<void> {
  const made = madeBy(order, carried.outcome);
  if (!made) return;
  if (packed !== made.commit) throw new Error("the machine says that it made a commit, and did not send it");
  await incoming.take(order.repository, [made.commit]);
  await pinMade(order.repository, made);
}

async function sendCommits(
  link: Link,
  {
    said,
    repository,
    sending,
  }: {
    readonly said: Extract<MachineSaid, { kind: "needs" }>;
    readonly repository: Repository;
    readonly sending: Sending;
  },
): Promise<void> {
  const folder = join(sending.scratch, `pack-${process.pid}-${link.child.pid}`);
  try {
    const { commits, known } = said;
    await link.sendPieces(await packFor(repository, { commits, known, folder }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a machine says of itself; throws `MachineGone` where it says nothing. */
export async function lookAt(
  { machine, fitting, lodging }: Pick<Sending, "machine" | "fitting" | "lodging">,
  looking: Looking,
  signal: AbortSignal,
): Promise<Seen> {
  const link = new Link(machine, signal);
  try {
    await link.hello();
    link.send({ looking, fitting, lodging });
    for (;;) {
      const said = await link.next();
      if (said === undefined) throw await link.gone();
      if (said.kind === "seen") return said.seen;
    }
  } finally {
    await link.close();
  }
}
