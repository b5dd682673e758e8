// The demo: scripted agents take the place of planning roles and of coding agents. State, rules, journal, scheduling and recovery are the real ones.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { checksum } from "../core/checksum.ts";
import type { Outcome } from "../core/input.ts";
import { problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { type App, type AppOptions, Refused } from "./app.ts";
import { createProject } from "./create.ts";
import { drive } from "./drive.ts";
import { openApp } from "./open.ts";
import { type AgentEvent, runPlanning, storeSpec } from "./plan.ts";
import type { Carriers } from "./world.ts";

export interface Demo {
  readonly root: string;
  readonly slots: number;
  readonly speed: number;
  readonly signal: AbortSignal;
  readonly changed: (run: Run) => void;
  readonly watch: (role: string, event: AgentEvent) => void;
}

/** Beside `dist/` in the package, and beside `src/` in the repository. */
const example = ["../examples/notes/", "../../examples/notes/"]
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((place) => isThere(place));

export async function openDemo({ root, warn }: Pick<Demo, "root"> & Pick<AppOptions, "warn">): Promise<App> {
  makeFolder(root);
  const options = { root, by: "demo", ...(warn && { warn }) };
  if (isThere(join(root, ".heddle/heddle.db"))) return openApp(options);
  return createProject({ ...options, target: "app", force: false });
}

export async function runDemo(app: App, demo: Demo): Promise<void> {
  const { signal, slots, changed } = demo;
  if (!example)
    throw new Refused([
      problem("no-example", "the example is not part of this installation", {
        hint: "npm install -g heddle",
      }),
    ]);
  if (await app.look((run) => run.halt !== null)) await app.submit({ kind: "resume", stopFile: false });
  await plan(app, demo, example);
  if (!signal.aborted) await drive({ app, slots, signal, carriers: scripted(demo), changed });
}

/** The real planning, with roles that do what the example's script says. */
async function plan(app: App, { signal, changed, watch }: Demo, folder: string): Promise<void> {
  if (await app.look((run) => run.phase === "executing" || run.phase === "complete")) return;
  await storeSpec(app, { spec: { path: join(folder, "spec.md") }, replaceSpec: false });
  const agent = `scripted:${join(folder, "script.json")}`;
  await runPlanning({ app, agent, unconfined: false, until: "ready", signal, changed, watch });
}

/** One task fails at its first try, so that a retry is seen. */
const failsOnce = "T004";

function scripted({ root, speed }: Demo): Carriers {
  const work =
    (label: string, baseMs: number) =>
    async (effect: { task: string; attempt: number }, stop: AbortSignal): Promise<Outcome> => {
      const done = join(root, ".heddle/demo", `${effect.task}-${effect.attempt}-${label}`);
      const ms = (baseMs + (checksum(`${effect.task}${label}`) % baseMs)) / speed;
      if (!isThere(done)) await sleep(ms, undefined, { signal: stop }).catch(() => {});
      if (stop.aborted)
        return { ok: false, error: "ended", category: "runtime", subcategory: null, retryable: true };
      makeFolder(join(root, ".heddle/demo"));
      replaceFile(done, "");
      if (label === "checks" && effect.task === failsOnce && effect.attempt === 1)
        return {
          ok: false,
          error: "its own test is red (scripted)",
          category: "test",
          subcategory: null,
          retryable: true,
        };
      return { ok: true };
    };
  return { "run-agent": work("agent", 700), "run-checks": work("checks", 250) };
}
