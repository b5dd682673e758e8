// Builds the CLI when it is older than its sources, once, before any test runs (vitest's `globalSetup`).
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const script = join(import.meta.dirname, "../../scripts/setup.js");
  const { status } = spawnSync(process.execPath, [script], { stdio: "inherit" });
  if (status !== 0) throw new Error("the CLI could not be built: node scripts/setup.js says why");
}
