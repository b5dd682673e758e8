import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/page/*.slow.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Each has a browser.
    maxWorkers: 1,
    globalSetup: ["test/e2e/build.ts"],
  },
});
