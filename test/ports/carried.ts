// `npm run ports -- --carry [files…]`: parts of the execute and plan suites while every order is carried out by a process of its
// own (`heddle carry`) in another folder. It has the order and the repository; one that touches `.heddle` fails (`blind.cjs`).
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** What each effect is carried out in, with a fixer, a reviewer, set-up, a question, a role that stays wrong and one that is killed among them. */
const chosen = [
  "test/execute/run",
  "test/execute/setup",
  "test/execute/inside",
  "test/plan/story",
  "test/plan/roles",
  "test/plan/misbehaving",
  "test/plan/kill.test",
  "test/plan/secrets",
];

export function carried(files: readonly string[]): number {
  const folder = join(root, ".tmp/carried");
  const saw = join(root, ".tmp/carried-saw.txt");
  rmSync(folder, { recursive: true, force: true });
  rmSync(saw, { force: true });
  mkdirSync(folder, { recursive: true });
  const suites = files.length > 0 ? files : chosen;
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", ...suites], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, HEDDLE_CARRY: folder, HEDDLE_BLIND: join(import.meta.dirname, "blind.cjs") },
  });
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(saw)) return status ?? 1;
  console.error(`a process that carried an order out touched the project's own folder:\n`);
  console.error(readFileSync(saw, "utf8").slice(0, 4000));
  return 1;
}
