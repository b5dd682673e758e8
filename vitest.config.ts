import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Machines are noisy: what measures time may fail once, not twice.
    retry: 1,
    pool: "forks",
    maxWorkers: 2,
    globalSetup: ["test/e2e/build.ts"],
  },
});
