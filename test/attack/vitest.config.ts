import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/attack/*.attack.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    globalSetup: ["test/e2e/build.ts"],
  },
});
