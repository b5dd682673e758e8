import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/machines/*.slow.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Each has an orchestrator, its machines and their agents.
    maxWorkers: 2,
    globalSetup: ["test/e2e/build.ts"],
  },
});
