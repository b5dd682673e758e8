// Orders carried out by workers, through the queue: bases go to a git remote that both sides reach, and commits come back from there.
// As with a host of ssh's, nothing that a worker says names a file of this machine except where attempts and results are kept, and
// no ref of this repository is written by it.
import { jsonIn } from "../../core/json.ts";
import { demandGit, demandLine } from "../../host/git/git.ts";
import type { Repository } from "../../host/git/repository.ts";
import { dropRefs, putRefs, refsUnder, takeRefs } from "../../host/remote.ts";
import type { Carried, Carrier, Hearing } from "../../work/order.ts";
import { type Away, type AwayOrder, madeBy, type RemoteRefs } from "../../work/wire/away.ts";
import {
  type Fitting,
  type Lodging,
  type Looking,
  type MachineSaid,
  machineSaidIn,
  type Seen,
  wireFormat,
} from "../../work/wire/machine-messages.ts";
import { type Answer, asThrown, type Said } from "../../work/wire/messages.ts";
import type { Conversation } from "./conversation.ts";
import type { Dispatch } from "./dispatch.ts";
import { forMachine } from "./elsewhere.ts";
import { heard, pinMade } from "./heard.ts";
import type { Wrapping } from "./process.ts";
import { isAgents, MachineGone, otherVersion } from "./ssh.ts";

/** What goes to a worker with every order. */
export interface Queued {
  readonly dispatch: Dispatch;
  readonly worker: string;
  readonly remote: Remote;
  readonly lodging: Lodging;
  readonly fitting: Fitting;
  readonly wrapping: Wrapping;
  readonly live: () => Promise<readonly string[]>;
}

type Refused = { readonly kind: "refused"; readonly why: string };

/** The commits of one coordinator on the remote: put there once, and gone when it is done. */
export class Remote {
  readonly address: string;
  readonly #prefix: string;
  readonly #root: string;
  readonly #put = new Map<string, Promise<void>>();
  readonly #repositories = new Set<Repository>();

  constructor(address: string, { project, coordinator }: { project: string; coordinator: string }) {
    this.address = address;
    this.#root = `refs/heddle/${project}/`;
    this.#prefix = `${this.#root}${coordinator}/`;
  }

  refsFor(order: string): RemoteRefs {
    return { bases: `${this.#prefix}base/`, made: `${this.#prefix}made/${order}` };
  }

  async offer(repository: Repository, commits: readonly string[]): Promise<void> {
    this.#repositories.add(repository);
    const fresh = [...new Set(commits)].filter((commit) => !this.#put.has(commit));
    if (fresh.length > 0) {
      const refs = fresh.map((commit) => ({ commit, ref: `${this.#prefix}base/${commit}` }));
      const putting = putRefs(repository, this.address, refs);
      for (const commit of fresh) this.#put.set(commit, putting);
      // What did not get there is put there by the next order that needs it.
      putting.catch(() => {
        for (const commit of fresh) this.#put.delete(commit);
      });
    }
    await Promise.all(commits.map((commit) => this.#put.get(commit)));
  }

  /** What was made, once it is the commit that the outcome is about. */
  async take(repository: Repository, { order, commit }: { order: string; commit: string }): Promise<void> {
    const { made } = this.refsFor(order);
    const into = `refs/heddle/incoming/${order}`;
    try {
      await takeRefs(repository, this.address, [{ ref: made, into }]);
      if ((await demandLine(repository, { args: ["rev-parse", "--verify", into] })) !== commit)
        throw new Error("the worker says that it made a commit, and put another one on the remote");
    } finally {
      await demandGit(repository, { args: ["update-ref", "-d", into] });
      await dropRefs(repository, this.address, [made]);
    }
  }

  /** What coordinators left there that are gone. */
  async clear(repository: Repository, there: readonly string[]): Promise<void> {
    const all = await refsUnder(repository, this.address, this.#root);
    const left = all.filter((ref) => !there.includes(ref.slice(this.#root.length).split("/")[0] ?? ""));
    await dropRefs(repository, this.address, left);
  }

  async close(): Promise<void> {
    for (const repository of this.#repositories)
      await dropRefs(repository, this.address, await refsUnder(repository, this.address, this.#prefix)).catch(
        () => {},
      );
  }
}

/** Carries orders out on one worker. */
export function queueCarrier(queued: Queued): Carrier {
  return {
    carry: async (given, hearing, signal) => {
      const { order, away } = forMachine(given, queued.wrapping);
      const { dispatch, worker, wrapping } = queued;
      await offered(queued, order, away);
      const id = dispatch.newOrder();
      const line = await lineFor(queued, { order, away, id });
      const attempt = `${queued.lodging.project}/${order.folder.folder.split("/").slice(-2).join("/")}`;
      const conversation = await dispatch.give(worker, { id, line, attempt });
      const carried = await during(queued, { conversation, signal }, () =>
        converse(queued, { conversation, order, hearing }),
      );
      await wrapping.after(order, carried);
      return carried;
    },
  };
}

async function offered(
  { remote, worker }: Queued,
  { repository }: AwayOrder,
  { commits }: Away,
): Promise<void> {
  try {
    await remote.offer(repository, commits);
  } catch (error) {
    throw new MachineGone(
      `${worker}: the git remote does not take commits: ${(error as Error).message}`,
      false,
    );
  }
}

/** The remote is named as it is: it is no place of this project. */
async function lineFor(
  { wrapping, fitting, lodging, live, remote }: Queued,
  { order, away, id }: { readonly order: AwayOrder; readonly away: Away; readonly id: string },
): Promise<string> {
  const given = {
    order,
    distrusted: [],
    away: { ...away, origin: "" },
    fitting,
    lodging,
    live: await live(),
  };
  const there = jsonIn(wrapping.there(JSON.stringify(given))) as { away: Away };
  const through = { ...there.away, origin: remote.address, refs: remote.refsFor(id) };
  return JSON.stringify({ ...there, away: through });
}

/** After an abort the worker is told to stop, and is given some time to say that it has. */
async function during<T>(
  { dispatch }: Pick<Queued, "dispatch">,
  { conversation, signal }: { readonly conversation: Conversation; readonly signal: AbortSignal },
  talk: () => Promise<T>,
): Promise<T> {
  const stop = () => {
    void dispatch.further(conversation, { lines: [], stop: true });
    setTimeout(() => conversation.end("it did not stop"), endMs).unref();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await talk();
  } finally {
    signal.removeEventListener("abort", stop);
    await dispatch.over(conversation);
  }
}

const endMs = 12_000;

interface Exchange {
  readonly conversation: Conversation;
  readonly order: AwayOrder;
  readonly hearing: Hearing;
}

async function converse(queued: Queued, { conversation, order, hearing }: Exchange): Promise<Carried> {
  const { wrapping, dispatch, worker, remote } = queued;
  const answer = (each: Answer) => dispatch.further(conversation, { lines: [JSON.stringify(each)] });
  let begun = false;
  for (;;) {
    const line = await conversation.next();
    if (line === undefined) {
      const mayHaveBegun = begun || (conversation.isTaken && isAgents(order));
      throw new MachineGone(`${worker}: ${conversation.why}`, mayHaveBegun);
    }
    const said = machineSaidIn(wrapping.back(line)) as MachineSaid | Said | Refused | undefined;
    if (!said || heard(said, { hearing, wrapping, answer })) continue;
    if (said.kind === "hello") demandVersion(queued, said);
    else if (said.kind === "refused") throw new MachineGone(`${worker}: ${said.why}`, false);
    else if (said.kind === "begins") begun = isAgents(order);
    else if (said.kind === "failed") throw asThrown(said.failed);
    else if (said.kind === "carried") {
      await takeMade(remote, { order, carried: said.carried, id: conversation.id });
      return said.carried;
    }
  }
}

function demandVersion(
  { worker, dispatch }: Pick<Queued, "worker" | "dispatch">,
  { version, wire }: Extract<MachineSaid, { kind: "hello" }>,
): void {
  if (version !== dispatch.version || wire !== wireFormat)
    throw new MachineGone(otherVersion({ name: worker, there: version, here: dispatch.version }), false);
}

async function takeMade(
  remote: Remote,
  { order, carried, id }: { readonly order: AwayOrder; readonly carried: Carried; readonly id: string },
): Promise<void> {
  const made = madeBy(order, carried.outcome);
  if (!made) return;
  await remote.take(order.repository, { order: id, commit: made.commit });
  await pinMade(order.repository, made);
}

/** What a worker says of itself; throws `MachineGone` where it says nothing. */
export async function lookAtWorker(
  queued: Pick<Queued, "dispatch" | "worker" | "fitting" | "lodging">,
  looking: Looking,
  signal: AbortSignal,
): Promise<Seen> {
  const { dispatch, worker, fitting, lodging } = queued;
  const there = dispatch.versionOf(worker);
  if (there !== undefined && there !== dispatch.version)
    throw new MachineGone(otherVersion({ name: worker, there, here: dispatch.version }), false);
  const line = JSON.stringify({ looking, fitting, lodging });
  const conversation = await dispatch.give(worker, { id: dispatch.newOrder(), line });
  return during(queued, { conversation, signal }, async () => {
    for (;;) {
      const text = await conversation.next();
      if (text === undefined) throw new MachineGone(`${worker}: ${conversation.why}`, false);
      const said = machineSaidIn(text) as MachineSaid | Refused | undefined;
      if (said?.kind === "hello") demandVersion(queued, said);
      if (said?.kind === "refused") throw new MachineGone(`${worker}: ${said.why}`, false);
      if (said?.kind === "seen") return said.seen;
    }
  });
}
