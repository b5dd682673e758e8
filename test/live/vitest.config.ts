import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/live/*.live.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
    // A real agent takes a core while it starts.
    maxWorkers: 1,
    globalSetup: ["test/e2e/build.ts"],
  },
});
