// `heddle carry --machine`: the side of another machine. It says who it is, has what it lacks sent over the same connection,
// carries one order out in a folder of its own, and gives commits back as packs. When the orchestrator says nothing for a
// while, or the connection ends, what was started here is ended: nothing works on for somebody who is gone.
import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonIn } from "../../core/json.ts";
import { isRemote } from "../../core/machines/remote.ts";
import { isProblem, type Problem } from "../../core/problem.ts";
import { clearAllBut } from "../../host/exchange.ts";
import { makePrivateFolder } from "../../host/files.ts";
import type { Repository } from "../../host/git/repository.ts";
import {
  IncomingPack,
  keepShared,
  missingCommits,
  packFor,
  piecesOf,
  sharedCommits,
} from "../../host/packs.ts";
import { distrust } from "../../host/program/programs.ts";
import { carrierHere, type HandIns } from "../carry.ts";
import { type AwayOrder, arrive, byRemote, leave, type MadeCommit, type Transport } from "./away.ts";
import {
  beatMs,
  type Fitting,
  type Lodging,
  type Looking,
  type MachineSaid,
  pieceBytes,
  type Seen,
  silenceMs,
  wireFormat,
} from "./machine-messages.ts";
import { answerIn, type Given, givenIn, type Said, thrownBy, unmarked } from "./messages.ts";
import { Asked } from "./serve.ts";

export interface MachineWire {
  readonly version: string;
  readonly lines: AsyncIterator<string>;
  readonly print: (line: string) => void;
  readonly handIns: HandIns;
  /** Makes the order's agents and boxes out of what is on this machine. */
  readonly fit: (order: AwayOrder, fitting: Fitting) => Promise<AwayOrder | Problem>;
  readonly look: (
    looking: Looking,
    about: { readonly fitting: Fitting; readonly place: string },
  ) => Promise<Seen>;
}

interface First extends Partial<Given> {
  readonly lodging?: Lodging;
  readonly looking?: Looking;
}

/** Whether something came of it. */
export async function serveMachine(wire: MachineWire): Promise<boolean> {
  const { version, lines, print } = wire;
  const say = (said: MachineSaid) => print(JSON.stringify(said));
  say({ kind: "hello", version, wire: wireFormat });
  const beats = setInterval(() => say({ kind: "beat" }), beatMs);
  const gone = new AbortController();
  const silent = new Silence(() => gone.abort());
  try {
    const first = await lines.next();
    silent.heard();
    const given = (first.done ? undefined : jsonIn(first.value)) as First | undefined;
    if (!given?.lodging || first.done) return false;
    if (given.looking && given.fitting) {
      const place = placeOf(given.lodging);
      makePrivateFolder(place);
      say({ kind: "seen", seen: await wire.look(given.looking, { fitting: given.fitting, place }) });
      return true;
    }
    return await carryHere(wire, { line: first.value, lodging: given.lodging, say, gone, silent });
  } finally {
    clearInterval(beats);
    silent.end();
  }
}

/** Aborts what goes on when nothing was heard for too long. */
class Silence {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(over: () => void) {
    this.#over = over;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#over, silenceMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

interface Visit {
  readonly line: string;
  readonly lodging: Lodging;
  readonly say: (said: MachineSaid) => void;
  readonly gone: AbortController;
  readonly silent: Silence;
}

/** Only names that heddle makes itself: this becomes a path. */
const isProjectName = (name: string) => /^[0-9a-f]{16,64}$/.test(name);

function placeOf({ project, folder }: Lodging): string {
  if (!isProjectName(project)) throw new Error("the order names no project");
  const { XDG_STATE_HOME } = process.env;
  const state = XDG_STATE_HOME?.startsWith("/") ? XDG_STATE_HOME : join(homedir(), ".local/state");
  return join(folder ?? join(state, "heddle/carried"), project);
}

async function carryHere(wire: MachineWire, visit: Visit): Promise<boolean> {
  const { lines, print, handIns } = wire;
  const { say, gone, silent } = visit;
  let place = "";
  const tell = (said: Said) => print(unmarked(said, place));
  try {
    place = placeOf(visit.lodging);
    makePrivateFolder(place);
    const given = givenIn(visit.line, place);
    if (isProblem(given)) throw Object.assign(new Error(given.message), { problem: given });
    const { order, away, fitting } = given;
    if (!away || !fitting || !("repository" in order))
      throw new Error("this order can only be carried out at home");
    distrust(place);
    await clearAllBut(join(place, "attempts"), given.live ?? []);
    const asked = new Asked(tell);
    const packs = new Packs(say, gone.signal);
    void hear(lines, { asked, packs, silent }).finally(() => {
      asked.end();
      gone.abort();
    });
    const transport = away.refs && isRemote(away.origin) ? byRemote(away, away.refs) : packs.transport(place);
    const arrived = await arrive(order, away, { place, transport });
    const here = await wire.fit(arrived, fitting);
    if (isProblem(here)) throw Object.assign(new Error(here.message), { problem: here });
    say({ kind: "begins" });
    const carried = await carrierHere(handIns).carry(here, asked.hearing, gone.signal);
    // What was ended because nobody listens any more is not given back: there is nobody to give it to.
    if (gone.signal.aborted) return false;
    for (const kept of await leave(here as AwayOrder, carried, transport)) tell({ kind: "kept", kept });
    tell({ kind: "carried", carried });
    return true;
  } catch (error) {
    tell({ kind: "failed", failed: thrownBy(error) });
    return false;
  }
}

interface Ears {
  readonly asked: Asked;
  readonly packs: Packs;
  readonly silent: Silence;
}

async function hear(lines: AsyncIterator<string>, { asked, packs, silent }: Ears): Promise<void> {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    silent.heard();
    const said = jsonIn(line.value) as { piece?: string; packed?: boolean } | undefined;
    if (typeof said?.piece === "string") packs.add(said.piece);
    else if (said?.packed === true) packs.end();
    else {
      const answer = answerIn(line.value);
      if (answer) asked.hear(answer);
    }
  }
}

/** Commits over the connection: what is lacking comes in pieces, and so does what was made. */
class Packs {
  readonly #say: (said: MachineSaid) => void;
  readonly #signal: AbortSignal;
  #incoming: IncomingPack | undefined;
  #arrived: (() => void) | undefined;
  #failed: ((error: unknown) => void) | undefined;

  constructor(say: (said: MachineSaid) => void, signal: AbortSignal) {
    this.#say = say;
    this.#signal = signal;
  }

  add(piece: string): void {
    try {
      this.#incoming?.add(Buffer.from(piece, "base64"));
    } catch (error) {
      this.#failed?.(error);
    }
  }

  end(): void {
    this.#arrived?.();
  }

  transport(place: string): Transport {
    return {
      fetch: (repository, commits) => this.#fetch(repository, commits),
      give: (repository, made) => this.#give(repository, made, join(place, `outgoing-${process.pid}`)),
    };
  }

  async #fetch(repository: Repository, commits: readonly string[]): Promise<void> {
    const missing = await missingCommits(repository, commits);
    if (missing.length === 0) return;
    const pack = new IncomingPack(repository.objects, "base");
    this.#incoming = pack;
    const whole = new Promise<void>((resolve, reject) => {
      this.#arrived = resolve;
      this.#failed = reject;
      this.#signal.addEventListener("abort", () => reject(new Error("the connection ended")), { once: true });
    });
    this.#say({ kind: "needs", commits: missing, known: await sharedCommits(repository) });
    try {
      await whole;
      await pack.take(repository, missing);
    } finally {
      pack.drop();
      this.#incoming = undefined;
    }
    for (const commit of missing) await keepShared(repository, commit);
  }

  async #give(repository: Repository, { commit }: MadeCommit, folder: string): Promise<void> {
    const known = await sharedCommits(repository);
    try {
      const file = await packFor(repository, { commits: [commit], known, folder });
      for await (const piece of piecesOf(file, pieceBytes)) this.#say({ kind: "piece", piece });
      this.#say({ kind: "packed", commit });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
