// A process of the simulation: it can die, stand still and wake up, and has a monotonic clock of its own. What a
// dead process waited for never comes; what a stopped one waited for comes when it wakes.
import type { Holder } from "../../src/core/run-parts.ts";
import type { Clock } from "../../src/host/clock.ts";
import type { Pending, Schedule } from "./schedule.ts";

export type Role = "orchestrator" | "operator";

export class SimProcess {
  readonly role: Role;
  readonly name: string;
  readonly holder: Holder;
  readonly clock: Clock;
  alive = true;
  frozen = false;
  /** The holder that it took for dead, by its start time. */
  thoughtDead: string | null = null;
  /** How often it woke up. */
  wakes = 0;
  /** Called once when it is gone, however it went. */
  ended: ((crashed: boolean) => void) | undefined;
  readonly #schedule: Schedule;
  readonly #deferred: (() => void)[] = [];

  constructor(schedule: Schedule, role: Role, number: number) {
    this.#schedule = schedule;
    this.role = role;
    this.name = `${role}-${number}`;
    // Pids come round again: only the start time tells two processes apart.
    this.holder = {
      pid: 100 + (number % 5),
      startTime: String(number),
      bootId: "boot",
      host: number % 5 === 0 ? "other" : "host",
    };
    const offsetMs = number * 7919.25;
    this.clock = {
      monotonicMs: () => schedule.nowMs + offsetMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  after(delayMs: number, act: () => void): Pending {
    return this.#schedule.after(delayMs, () => {
      if (!this.alive) return;
      if (this.frozen) this.#deferred.push(act);
      else act();
    });
  }

  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  end(crashed: boolean): void {
    if (!this.alive) return;
    this.alive = false;
    this.#deferred.length = 0;
    this.ended?.(crashed);
  }

  thaw(): void {
    this.frozen = false;
    this.wakes++;
    for (const act of this.#deferred.splice(0)) this.after(0, act);
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const pending = this.after(ms, resolve);
      const wake = () => {
        pending.act = null;
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}
