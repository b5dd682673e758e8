// Before any test runs (vitest's `globalSetup`), once: builds the CLI when it is older than its sources, looks which
// programs there are, and makes the folder of the templates (`templates.ts`).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whatIsThere } from "../look.ts";

/** `HEDDLE_BUILT` says that a planted bug was built on purpose, and must not be built away. */
export async function setup(): Promise<() => void> {
  process.env.HEDDLE_TEST_HAS = await whatIsThere();
  if (!process.env.HEDDLE_BUILT) build();
  const templates = mkdtempSync(join(tmpdir(), "heddle-templates-"));
  process.env.HEDDLE_TEST_TEMPLATES = templates;
  return () => rmSync(templates, { recursive: true, force: true });
}

function build(): void {
  const script = join(import.meta.dirname, "../../scripts/setup.js");
  const { status } = spawnSync(process.execPath, [script], { stdio: "inherit" });
  if (status !== 0) throw new Error("the CLI could not be built: node scripts/setup.js says why");
}
