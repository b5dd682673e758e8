import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/order.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Nothing takes that long by itself; on a machine that others use too, it may. What hangs waits for a condition, and `until`
    // names it before this ends.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    // Four more than there are cores: most of the time a test waits for a process, a moment or a back-off.
    maxWorkers: availableParallelism() + 4,
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/e2e/build.ts"],
  },
});
