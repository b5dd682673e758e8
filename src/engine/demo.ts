// The demo: the example's files take the place of what planning agents would write, and scripted agents take the
// place of coding agents. State, rules, journal, scheduling and recovery are the real ones.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { checksum } from "../core/checksum.ts";
import type { Entry } from "../core/fact.ts";
import type { Outcome } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { isThere, makeFolder, readText, replaceFile } from "../host/files.ts";
import { type App, Refused } from "./app.ts";
import { createProject } from "./create.ts";
import { drive } from "./drive.ts";
import { openApp } from "./open.ts";
import { ingest, loadTasks, observe, registerVerdict, validateMap } from "./planning.ts";
import type { Carriers } from "./world.ts";

export interface Demo {
  readonly root: string;
  readonly slots: number;
  readonly speed: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly warn: (problem: Problem) => void;
  readonly changed: ((run: Run) => void) | undefined;
  readonly entry: ((entry: Entry) => void) | undefined;
}

/** Beside `dist/` in the package, and beside `src/` in the repository. */
const example = ["../examples/notes/", "../../examples/notes/"]
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((place) => isThere(place));

export async function runDemo(demo: Demo): Promise<App> {
  const { root, say, warn, signal, slots } = demo;
  const options = { root, by: "demo", warn };
  makeFolder(root);
  const app = isThere(join(root, ".heddle/heddle.db"))
    ? await openApp(options)
    : await createProject({ ...options, target: "app", force: false });
  say(`heddle demo in ${root}: scripted agents, no model, nothing leaves this machine`);
  await plan(app, say);
  let told = await app.look((run) => run.position);
  const changed = async (run: Run) => {
    demo.changed?.(run);
    if (!demo.entry || run.position === told) return;
    const after = told;
    told = run.position;
    for (const entry of await app.history({ after, upTo: run.position })) demo.entry(entry);
  };
  if (await app.look((run) => run.halt !== null)) await app.submit({ kind: "resume", stopFile: false });
  await drive({ app, slots, signal, carriers: scripted(demo), changed: (run) => void changed(run) });
  return app;
}

/** Each step is what a person or a host would type; a step that was done before is not done again. */
async function plan(app: App, say: (line: string) => void): Promise<void> {
  if (!example)
    throw new Refused([
      problem("no-example", "the example is not part of this installation", {
        hint: "npm install -g heddle",
      }),
    ]);
  const steps: Readonly<Record<string, () => Promise<string>>> = {
    ingestion: async () => {
      cpSync(join(example, "spec.md"), join(app.paths.planning, "inputs/spec.md"));
      await ingest(app);
      return "the specification is stored";
    },
    logical: () => artifact(app, "capability_map", "capability-map.json"),
    physical: () => artifact(app, "physical_map", "physical-map.json"),
    definition: async () => {
      cpSync(join(example, "tasks"), join(app.paths.planning, "tasks"), { recursive: true });
      return `${(await loadTasks(app)).tasks} tasks are checked and loaded`;
    },
    validation: async () => {
      copyArtifact(app, "task-validation.json");
      await registerVerdict(app, { verdict: "READY", summary: "every task passes", issues: [] });
      return "the plan is judged READY";
    },
    sequencing: async () => "every task has its phase, the steel thread hangs together",
  };
  for (;;) {
    const phase = await app.look((run) => run.phase);
    const step = steps[phase];
    if (!step) return;
    say(`  ${phase.padEnd(11)} ${await step()}`);
    await app.submit({ kind: "advance", digests: await observe(app) });
  }
}

async function artifact(app: App, name: "capability_map" | "physical_map", file: string): Promise<string> {
  copyArtifact(app, file);
  const problems = await validateMap(app, name);
  if (problems.length > 0) throw new Refused(problems);
  return `${file} is checked and valid`;
}

function copyArtifact(app: App, file: string): void {
  const read = readText(join(example ?? "", "artifacts", file));
  if ("problem" in read) throw new Refused([read.problem]);
  replaceFile(
    join(app.paths.planning, "artifacts", file),
    read.text.replaceAll("@TARGET@", join(app.paths.root, "app")),
  );
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
