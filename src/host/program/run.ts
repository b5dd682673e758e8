// Runs one program that is not ours: starts it, listens, holds it to its limits, ends it and everything it started.
// Every agent, check and set-up command goes through here. The order of a run:
//
//   started? ── line* ── ended
//      │          │        └ after the last process is gone and the last byte is read
//      │          └ the listener is slow: the pipes pause, and with them the program
//      └ missing when nothing was started: no such program, no box, aborted before
import { lstatSync, rmSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { wayInto } from "../box/box.ts";
import { forgetGroup, underWatch } from "./keeper.ts";
import { type Exit, type Launched, launch } from "./launch.ts";
import { LimitWatch } from "./limits.ts";
import { asMark, markName, turnMark } from "./marks.ts";
import { KeptOutput, Lines, Output } from "./output.ts";
import { endMarked, isRunning, signal as send } from "./processes.ts";
import type { Ended, Ending, ProgramEvent, ProgramSpec, StartFailure } from "./program.ts";
import { EventQueue } from "./queue.ts";
import type { Way } from "./sandbox.ts";
import { dropSetIds } from "./set-ids.ts";

const defaultGraceMs = 2000;
/** After SIGKILL, until heddle stops waiting for what even that did not end. */
const patienceMs = 3000;
const drainMs = 1000;

/**
 * Runs `spec` until the program stops or must stop, and streams what it prints.
 *
 * Contract: never throws; yields exactly one `ended` event, and it is the last; after an abort or a crossed limit
 * `ended` is there within the grace and five seconds; leaving the loop early ends the program before the loop is
 * left. No process survives it: in the box none at all, also when heddle is killed with -9; unconfined all that kept
 * their environment or their group, and after a `kill -9` of heddle within a second. Memory stays flat whatever the
 * program prints. Nothing starts before the first `next()`. To be called on the main thread, because a box dies with
 * the thread that made it.
 */
export async function* runProgram(
  spec: ProgramSpec,
  signal: AbortSignal,
): AsyncGenerator<ProgramEvent, void, void> {
  const running = new Running(spec);
  const abort = () => running.end({ kind: "aborted" });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const over = running.work();
  try {
    yield* running.events.drain();
  } finally {
    abort();
    await over;
    signal.removeEventListener("abort", abort);
  }
}

/** As `runProgram`, for those who only want to know how it ended. */
export async function runToEnd(
  spec: ProgramSpec,
  signal: AbortSignal,
  hear: (event: ProgramEvent) => void = () => {},
): Promise<Ended> {
  for await (const event of runProgram(spec, signal)) {
    hear(event);
    if (event.kind === "ended") return event;
  }
  throw new Error("bug: a program's events ended without `ended`");
}

class Running {
  readonly events: EventQueue<ProgramEvent>;
  readonly #spec: ProgramSpec;
  readonly #mark: string;
  readonly #startedAt = performance.now();
  readonly #bytes = { stdout: 0, stderr: 0 };
  readonly #kept: KeptOutput[] = [];
  #lastError = "";
  #live: Launched | undefined;
  #watch: LimitWatch | undefined;
  #killer: NodeJS.Timeout | undefined;
  #why: Ending | undefined;
  #gone = false;
  #giveUp: () => void = () => {};
  readonly #givenUp = new Promise<"given-up">((settle) => {
    this.#giveUp = () => settle("given-up");
  });

  constructor(spec: ProgramSpec) {
    this.#spec = spec;
    this.#mark = asMark(spec.mark ?? crypto.randomUUID());
    this.events = new EventQueue<ProgramEvent>(
      (event) => (event.kind === "line" ? event.text.length : 0),
      (full) => this.#pause(full),
    );
  }

  /** Resolves after `ended` was pushed. Never rejects: what nobody foresaw ends the program as well. */
  async work(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      if (this.#live) await this.#clear(this.#live);
      this.#failed("refused", (error as Error).message);
    }
  }

  async #work(): Promise<void> {
    const way = this.#spec.box === "unconfined" ? "unconfined" : wayInto(this.#spec, this.#spec.box);
    if (way !== "unconfined" && "problem" in way) return this.#failed("no-box", way.problem.message);
    if (this.#why) return this.#finish(this.#why, []);
    const marks = [process.env[markName], underWatch(), turnMark(), this.#mark];
    const live = await launch(this.#spec, way, marks.filter((mark) => mark !== undefined).join(":"));
    if ("reason" in live) return this.#failed(live.reason, live.message);
    this.#live = live;
    this.events.push({ kind: "started", pid: live.pid, startTime: live.startTime, mark: this.#mark });
    const streams = (["stdout", "stderr"] as const).map((from) => this.#listen(from, live[from]));
    if (this.#why) this.#terminate();
    else {
      const family = () => ({ pid: live.pid, first: live.status?.first?.pid });
      this.#watch = new LimitWatch(this.#spec.limits, family, (limit) => this.end({ kind: "limit", limit }));
    }
    const exit = await Promise.race([live.exit, this.#givenUp]);
    const survivors = await this.#clear(live);
    await Promise.race([Promise.all(streams), sleep(drainMs, undefined, { ref: false })]);
    // Whoever still holds a pipe now has escaped; there is nothing to wait for.
    for (const stream of [live.stdout, live.stderr]) stream.destroy();
    await Promise.all(streams);
    if (way !== "unconfined") for (const path of way.phantoms) removePhantom(path);
    await dropSetIds(this.#spec.leaves ?? []);
    this.#finish(this.#why ?? this.#ending(exit, live, way), survivors);
  }

  /** The first reason counts; later ones, and those after the end, change nothing. */
  end(why: Ending): void {
    if (this.#why || this.#gone) return;
    this.#why = why;
    this.#watch?.stop();
    if (this.#live) this.#terminate();
  }

  #terminate(): void {
    const { graceMs = defaultGraceMs } = this.#spec;
    // Nobody to be asked is in the middle of being set up, and has nothing to finish.
    const asked = !isTooMany(this.#why) && this.#ask("SIGTERM") && this.#ask("SIGCONT");
    if (asked) this.#killer = setTimeout(() => this.#kill(), graceMs);
    else this.#kill();
  }

  /** In the box the group of its first process is the program's; bubblewrap itself must not be the one to go. */
  #ask(name: NodeJS.Signals): boolean {
    const { pid = 0, status } = this.#live ?? {};
    if (!status) return send(-pid, name);
    return status.first !== undefined && isRunning(status.first) && send(-status.first.pid, name);
  }

  #kill(): void {
    const { pid = 0, status } = this.#live ?? {};
    if (status?.first && isRunning(status.first)) send(status.first.pid, "SIGKILL");
    send(-pid, "SIGKILL");
    this.#killer = setTimeout(() => this.#giveUp(), patienceMs);
  }

  /** Ends what the program left behind, and says what could not be ended. */
  async #clear(live: Launched): Promise<number[]> {
    this.#gone = true;
    this.#watch?.stop();
    clearTimeout(this.#killer);
    send(-live.pid, "SIGKILL");
    const first = live.status?.first;
    if (first && isRunning(first)) send(first.pid, "SIGKILL");
    const until = performance.now() + patienceMs;
    while (first && isRunning(first) && performance.now() < until) await sleep(1);
    // A box that was ended while it was set up may have left its first process; one that ran to its end has not.
    const certain = live.status?.exitCode !== undefined && !(first && isRunning(first));
    const survivors = certain ? [] : await endMarked(this.#mark, patienceMs);
    forgetGroup(live.pid);
    for (const stream of [live.stdout, live.stderr]) stream.resume();
    return survivors;
  }

  #listen(from: "stdout" | "stderr", stream: Readable): Promise<void> {
    const { limits, keep, redact } = this.#spec;
    const lines = new Lines(limits.lineBytes, ({ text, cut }) => {
      if (from === "stderr") this.#lastError = text;
      this.events.push({ kind: "line", from, text, cut });
    });
    const kept = keep && new KeptOutput(keep[from]);
    if (kept) this.#kept.push(kept);
    const output = new Output(lines, kept, redact?.stream());
    stream.on("data", (chunk: Buffer) => this.#take(from, chunk, output));
    stream.on("error", () => {});
    return new Promise((settle) =>
      stream.once("close", () => {
        output.end(this.#printed > limits.outputBytes);
        settle();
      }),
    );
  }

  get #printed(): number {
    return this.#bytes.stdout + this.#bytes.stderr;
  }

  /** What is beyond the limit is still read, so that the program is not stuck in printing when it is asked to end. */
  #take(from: "stdout" | "stderr", chunk: Buffer, output: Output): void {
    const room = this.#spec.limits.outputBytes - this.#printed;
    this.#bytes[from] += chunk.length;
    this.#watch?.sawOutput();
    if (room > 0) output.push(room < chunk.length ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) this.end({ kind: "limit", limit: "output" });
  }

  #pause(full: boolean): void {
    const live = this.#live;
    if (!live) return;
    // What a dead program left in its pipes is little, and is read whether or not anybody listens.
    const pause = full && !this.#gone;
    this.#watch?.pause(pause);
    for (const stream of [live.stdout, live.stderr]) pause ? stream.pause() : stream.resume();
  }

  #ending(exit: Exit | "given-up", { status }: Launched, way: Way | "unconfined"): Ending {
    if (exit === "given-up") return { kind: "aborted" };
    if (exit.signal) return { kind: "signalled", signal: exit.signal };
    if (!status || way === "unconfined") return { kind: "exited", code: exit.code ?? 0 };
    if (status.exitCode === undefined) return { kind: "failed-to-start", ...way.refusal(this.#lastError) };
    const signal = Object.entries(constants.signals).find(
      ([, n]) => n === Number(status.exitCode) - 128,
    )?.[0];
    if (signal) return { kind: "signalled", signal: signal as NodeJS.Signals };
    const { exitCode: code } = status;
    if (this.#spec.gate && code >= 126 && /^heddle-gate: .*exec: /.test(this.#lastError))
      return {
        kind: "failed-to-start",
        reason: code === 127 ? "not-found" : "not-executable",
        message: this.#lastError.replace(/^.*exec: /, ""),
      };
    return { kind: "exited", code };
  }

  #failed(reason: StartFailure, message: string): void {
    this.#finish(this.#why ?? { kind: "failed-to-start", reason, message }, []);
  }

  #finish(how: Ending, survivors: readonly number[]): void {
    this.#gone = true;
    this.events.push({
      kind: "ended",
      how,
      durationMs: performance.now() - this.#startedAt,
      bytes: this.#bytes,
      problems: this.#kept.flatMap(({ problem }) => problem ?? []),
      survivors,
    });
    this.events.close();
  }
}

/** Whoever multiplies or swells goes on doing so while it is asked politely. */
const isTooMany = (why: Ending | undefined) =>
  why?.kind === "limit" && (why.limit === "processes" || why.limit === "memory");

/** Only the empty file that the box itself made; whatever else lies there is somebody's work. */
function removePhantom(path: string): void {
  try {
    const stat = lstatSync(path);
    if (stat.isFile() && stat.size === 0) rmSync(path);
  } catch {
    // It is gone already.
  }
}
