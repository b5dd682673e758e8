import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Machines are noisy: what measures time may fail once, not twice.
    retry: 1,
    pool: "forks",
    // One more than the two cores they are made for: many wait for a process or the disk.
    maxWorkers: 3,
    globalSetup: ["test/e2e/build.ts"],
  },
});
