// Specification coverage: the numbered requirements with the tasks that name them (D21), and each traced to the evidence that
// proves it (D23).
import type { Json, Run } from "../../core/run.ts";
import { statusOf } from "../../core/task.ts";
import { type App, Refused } from "../../engine/app.ts";
import { textDigest } from "../../host/digest.ts";
import { readText } from "../../host/files.ts";
import type { Covered } from "../pack.ts";
import { checkTasks } from "./checks/check-tasks.ts";
import { type SpecCoverage, specCoverage } from "./checks/spec-coverage.ts";
import { specRequirements } from "./checks/specification.ts";
import { notProven, type Progress, type TracedRequirement, trace } from "./checks/trace.ts";
import { readCapabilities } from "./must-haves.ts";
import { fileOf, taskSources } from "./plan-files.ts";

export async function coverageOf(app: App, { save }: { save: boolean }): Promise<SpecCoverage> {
  const { path, requirements, tasks } = await planOf(app);
  const found = specCoverage(requirements, tasks);
  if (save) {
    const content = found as unknown as Readonly<Record<string, Json>>;
    const digest = textDigest(JSON.stringify(found));
    await app.submit({
      kind: "register",
      artifact: "spec_coverage",
      path,
      digest,
      inputs: {},
      valid: true,
      problems: [],
      content,
    });
  }
  return found;
}

async function planOf(app: App) {
  return planIn(await app.look(({ planningDir, targetDir }) => ({ planningDir, targetDir })));
}

type Places = Parameters<typeof readCapabilities>[0];

function planIn(places: Places) {
  const path = fileOf(places, "spec");
  const spec = readText(path);
  if ("problem" in spec) throw new Refused([{ ...spec.problem, hint: `put the specification at ${path}` }]);
  const { sources } = taskSources(fileOf(places, "tasks"));
  const { tasks } = checkTasks({ files: sources, behaviours: undefined });
  return {
    ...{ path, text: spec.text, capabilities: readCapabilities(places) },
    ...{ requirements: specRequirements(spec.text), tasks: tasks.map(({ task }) => task) },
  };
}

export async function traceOf(app: App): Promise<TracedRequirement[]> {
  const plan = await planOf(app);
  return app.look((run) => traceIn(run, plan));
}

/** Pure: the files were read before. */
function traceIn(run: Run, { capabilities, requirements, tasks }: ReturnType<typeof planIn>) {
  return trace({ requirements, capabilities, tasks, progress: (id) => progressOf(run, id) });
}

/** Of a run as it is or was: the specification and the task files are those of today. */
export function coveredBy(run: Run): Covered | null {
  if (!("text" in readText(fileOf(run, "spec")))) return null;
  const plan = planIn(run);
  return {
    specification: plan.text,
    requirements: traceIn(run, plan).map((each) => {
      const { id, text, tasks } = each;
      return {
        id,
        text,
        tasks: tasks.map((task) => task.id),
        evidence: evidenceOf(each),
        detail: detailOf(each),
      };
    }),
  };
}

function evidenceOf({ standing, tasks }: TracedRequirement): Covered["requirements"][number]["evidence"] {
  if (standing === "without task") return "uncovered";
  if (standing === "proven") return "proven";
  if (standing === "unproven") return "claimed";
  return tasks.some(({ status }) => status === "failed" || status === "blocked") ? "failed" : "open";
}

function detailOf({ tasks }: TracedRequirement): string | null {
  const criteria = tasks.flatMap((task) => task.criteria);
  if (criteria.length === 0) return null;
  const green = criteria.filter(({ evidence }) => evidence === "green").length;
  return `${green} of ${criteria.length} criteria are green`;
}

function progressOf(run: Run, id: string): Progress | undefined {
  const task = run.tasks.get(id);
  if (!task) return undefined;
  return {
    status: statusOf(task),
    isDone: task.state === "complete",
    checks: task.evidence?.checks ?? [],
  };
}

/** For the end of a run: what of the specification is not shown to hold. Nothing where there is no specification. */
export async function uncovered(app: App): Promise<readonly TracedRequirement[]> {
  const hasSpec = "text" in readText(await app.look((run) => fileOf(run, "spec")));
  return hasSpec ? notProven(await traceOf(app)) : [];
}
