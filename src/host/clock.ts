// The clock as a port: run time is monotonic, and the simulation has a clock of its own.
export interface Clock {
  monotonicMs(): number;
  /** Resolves after `ms`, or early when `signal` is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      signal.addEventListener(
        "abort",
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    }),
};

export const wallClock = () => new Date().toISOString();
