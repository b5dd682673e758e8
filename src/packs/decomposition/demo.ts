// The demo: the example is planned and executed by scripted agents. They are our own code and need no box; everything
// else is real: planning, journal, workspaces, acceptance commands, merges, recovery.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "../../agents/scripted.ts";
import { ownRecord } from "../../core/json.ts";
import { problem } from "../../core/problem.ts";
import { type App, type AppOptions, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { openApp } from "../../engine/open.ts";
import { wallClock } from "../../host/clock.ts";
import { isThere, makeFolder, replaceFile } from "../../host/files.ts";
import { identity, runGitNow } from "../../host/git/git.ts";
import { createProject } from "./create.ts";
import { execute, type Landed } from "./execute.ts";
import { type AgentEvent, runPlanning, storeSpec } from "./plan.ts";

export interface Demo {
  readonly root: string;
  readonly slots: number;
  readonly speed: number;
  readonly signal: AbortSignal;
  readonly stopNow: AbortSignal;
  readonly changed: Changed;
  readonly watch: (who: string, event: AgentEvent) => void;
}

/** Beside `dist/` in the package, and beside `src/` in the repository. */
const example = ["../examples/notes/", "../../../examples/notes/"]
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((place) => isThere(place));

function exampleFolder(): string {
  if (example) return example;
  throw new Refused([
    problem("no-example", "the example is not part of this installation", {
      hint: "npm install -g heddle",
    }),
  ]);
}

export async function openDemo(given: Omit<AppOptions, "by">): Promise<App> {
  const { root, journals } = given;
  makeFolder(root);
  const options = { ...given, by: "demo" };
  if (await journals.has(root)) return openApp(options);
  makeRepository(join(root, "app"));
  return createProject({ ...options, target: "app", force: false });
}

/** The target is a repository with one commit, as a person's would be. */
function makeRepository(target: string): void {
  if (isThere(target)) return;
  makeFolder(target);
  replaceFile(join(target, ".gitignore"), "node_modules/\n");
  const you = { name: "You", email: "you@example.org" };
  const steps = [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["commit", "--quiet", "--message", "Begin"],
  ];
  for (const args of steps) gitIn(target, args, identity(you, wallClock()));
}

function gitIn(target: string, args: readonly string[], environment = {}): string {
  const call = { args, workTree: target, environment };
  const { code, out, error } = runGitNow({ gitDir: join(target, ".git"), flags: [] }, call);
  if (code === 0) return out.toString("utf8");
  throw new Refused([
    problem("git", `git ${args[0]} failed: ${error.trim()}`, { hint: { do: "examine-machine" } }),
  ]);
}

/** The real planning, with roles that do what the example's script says. */
export async function planDemo(app: App, demo: Demo): Promise<void> {
  if (await app.look((run) => run.halt !== null)) await app.submit({ kind: "resume", stopFile: false });
  if (await app.look((run) => run.phase === "executing" || run.phase === "complete")) return;
  await storeSpec(app, { spec: { path: join(exampleFolder(), "spec.md") }, replaceSpec: false });
  const { signal, changed, watch } = demo;
  const agent = scriptFor(app, demo.speed);
  await runPlanning({ app, agent, unconfined: false, until: "ready", signal, changed, watch });
}

/** The real execution. One attempt forgets a file, two collide: the script says so, and heddle finds out. */
export async function executeDemo(app: App, demo: Demo): Promise<void> {
  if (await app.look((run) => run.phase === "complete")) return;
  const { slots, signal, stopNow, changed, watch, speed } = demo;
  const agent = scriptFor(app, speed);
  const order = { app, agent, unconfined: false, slots, onOrphan: "retry" } as const;
  await execute({ ...order, signal, stopNow, changed, watch });
}

/** The example's script with its pauses made shorter or longer. */
function scriptFor(app: App, speed: number): string {
  const folder = exampleFolder();
  const source = join(folder, "script.json");
  const script = ownRecord<Script>(source, readFileSync(source, "utf8")) ?? {};
  const at = (path: string) => (isAbsolute(path) ? path : join(folder, path));
  const turns = Object.entries(script).map(([who, all]) => [
    who,
    all.map((turn) => ({
      ...turn,
      ...(turn.afterMs !== undefined && { afterMs: turn.afterMs / speed }),
      ...(turn.from !== undefined && { from: at(turn.from) }),
      ...(turn.steps !== undefined && { steps: at(turn.steps) }),
    })),
  ]);
  const file = join(app.paths.heddle, "demo-script.json");
  replaceFile(file, JSON.stringify(Object.fromEntries(turns)));
  return `scripted:${file}`;
}

export interface Proof {
  readonly landing: Landed;
  /** What the finished program's own tests said. */
  readonly passed: boolean;
  readonly summary: string;
  /** The commits that the person now has, newest first. */
  readonly log: readonly string[];
}

/** The program that came of it, tried by its own tests. */
export async function proveDemo(app: App): Promise<Proof> {
  const landing = await app.packs.land(app);
  const target = await app.look((run) => run.targetDir);
  const ran = spawnSync(process.execPath, ["--test"], { cwd: target, encoding: "utf8" });
  const counts = [...ran.stdout.matchAll(/^(?:# |ℹ )(tests|pass|fail) (\d+)$/gm)];
  const summary = counts.map(([, word, count]) => `${word} ${count}`).join(", ");
  const log = gitIn(target, ["log", "--oneline"]).trim().split("\n");
  return { landing, passed: ran.status === 0, summary, log };
}
