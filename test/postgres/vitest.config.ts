import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/postgres/*.pg.ts"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Each file has a server of its own.
    maxWorkers: 2,
    globalSetup: ["test/e2e/build.ts"],
  },
});
