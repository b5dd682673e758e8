// Projects that many tests begin with: made by the real commands once in a run of the tests, and copied from then on. To heddle
// a copy is a project that was moved, as `state.json` and the physical map say: a test that is about these makes its own.
// With `HEDDLE_THOROUGH=1`, and for another build (`HEDDLE_CLI`, whose journal may not lie in the folder), each is made anew.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { thorough } from "../thorough.ts";

const whole = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };

/**
 * Fills the empty folder `root` with what `make` would put there. `like` is everything that `make` depends on but the place.
 *
 * Contract: whoever is the first, or finds no template, runs `make` itself; two who are first at one time both do.
 */
export async function fromTemplate(root: string, like: unknown, make: () => Promise<void>): Promise<void> {
  const shelf = process.env.HEDDLE_TEST_TEMPLATES;
  if (!shelf || thorough || process.env.HEDDLE_CLI) return make();
  const template = join(shelf, createHash("sha256").update(JSON.stringify(like)).digest("hex"));
  if (existsSync(template)) return copy(template, root);
  await make();
  keep(template, root);
}

function keep(template: string, root: string): void {
  mkdirSync(join(template, ".."), { recursive: true });
  const beside = mkdtempSync(`${template}-`);
  cpSync(root, join(beside, "project"), whole);
  try {
    renameSync(beside, template);
  } catch (error) {
    // Another process was the first: its template is as good.
    if (!existsSync(template)) throw error;
  }
}

function copy(template: string, root: string): void {
  cpSync(join(template, "project"), root, whole);
  // Copies are other files to git: without this it would take each of them for a changed one.
  if (existsSync(join(root, "app/.git")))
    execFileSync("git", ["-C", join(root, "app"), "update-index", "-q", "--refresh"]);
}
