// `heddle mission init`: the context is written first, then the run comes into being; a crash in between leaves a
// context that the next call begins with. A session of another program is taken over once (M1).
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Fact } from "../../core/fact.ts";
import { toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { problem } from "../../core/problem.ts";
import type { Json } from "../../core/run.ts";
import { App, type AppOptions, Refused } from "../../engine/app.ts";
import { journalLost } from "../../engine/lost.ts";
import { type Paths, pathsIn } from "../../engine/paths.ts";
import { isThere, makeFolder, readIfThere, replaceFile } from "../../host/files.ts";
import { archiveActive, putAsideArchived } from "../../keep/put-aside.ts";
import { readSeal } from "../../view/state-json.ts";
import { surveyTarget } from "../decomposition/plan.ts";
import { hasFiles } from "../decomposition/target.ts";
import { makeProject } from "../make-project.ts";
import { checkSession } from "./artifacts/check.ts";

export interface MissionCreation extends AppOptions {
  readonly target: string;
  /** What it is about; without it, the context that is there, or a template to be filled in. */
  readonly goal: string | undefined;
  readonly force: boolean;
}

/** In a context that nobody has filled in. */
export const unfilled = "(Say here what is to be true when the mission is over.)";

export async function createMission(creation: MissionCreation): Promise<App> {
  const paths = pathsIn(creation.root);
  const targetDir = resolve(creation.root, creation.target);
  await creation.packs.load("mission");
  await makeProject(creation, true);
  const app = await App.open(creation);
  try {
    if (creation.force) await archiveActive(app, { protocol: "mission" }, "heddle mission init --force");
    await putAsideArchived(app, belongings(paths));
    const runs = (await app.journal.runs()).map((run) => run.id);
    const taken = takeOver(paths, runs);
    makeFolder(join(paths.meta, "bundles"));
    const context = join(paths.meta, "context.md");
    const text =
      isThere(context) && creation.goal === undefined
        ? null
        : await contextFor(creation.root, targetDir, creation.goal);
    const inputs: Input[] = [{ kind: "create", targetDir, planningDir: paths.meta, metadata: {} }, ...taken];
    const prepare = () => {
      // Only once nobody else has begun one.
      if (text !== null) replaceFile(context, text);
    };
    await app.create("mission", () => inputs, { alone: true, prepare });
    return app;
  } catch (error) {
    app.close();
    throw error;
  }
}

async function contextFor(root: string, targetDir: string, goal = unfilled): Promise<string> {
  const found = hasFiles(targetDir) ? (await surveyTarget(targetDir, root)).text : "";
  const there = found === "" ? "" : `\n## What is there\n\n\`\`\`text\n${found.trimEnd()}\n\`\`\`\n`;
  return `# Mission\n\n## Goal\n\n${goal.trim()}\n${there}`;
}

/** What a mission made. `artifacts` may be the project's own folder as well: only what heddle put there goes. */
function belongings({ meta, artifacts }: Paths) {
  const names = isThere(artifacts) ? readdirSync(artifacts).filter(isOfMission) : [];
  return {
    view: join(meta, "session.json"),
    places: (archive: string) => [
      ...names.map((name) => [join(artifacts, name), join(archive, "artifacts", name)] as const),
      [meta, join(archive, "meta")] as const,
    ],
  };
}

const isOfMission = (name: string) =>
  /^(?:research|plan|verification|summary_.+)\.json$/.test(name) || name === "archive";

/** What another program's session knew: its variables, and where it stood. */
function takeOver(paths: Paths, runs: readonly string[]): Input[] {
  const file = join(paths.meta, "session.json");
  const text = readIfThere(file);
  if (text === undefined) return [];
  // One of ours, of a run that nobody knows: the history is gone, and nothing may pretend otherwise (G6).
  const seal = readSeal(text);
  if (seal && runs.includes(seal.run)) return [];
  if (seal) throw journalLost(file);
  const { value, problems } = checkSession({ file, text });
  if (!value)
    throw new Refused(
      problems.map((each) => ({ ...each, hint: `fix it, or remove ${file}: heddle writes a new one` })),
    );
  makeFolder(join(paths.heddle, "imported"));
  replaceFile(join(paths.heddle, "imported", "session.json"), text);
  const { current_phase: phase = 1, current_task_idx: index = 0, variables = {} } = value;
  const known = { ...variables, current_phase: Number(phase), current_task_idx: index };
  const facts = Object.entries(known).map(
    ([name, each]): Fact => ({ kind: "variable-set", name, value: each as Json }),
  );
  return [{ kind: "import", facts }];
}

export function notInitialized(): Refused {
  return new Refused([
    problem("not_initialized", "Project not initialized: there is no .meta/context.md", {
      hint: toCall('mission "<goal>"'),
    }),
  ]);
}
