// A mission's files: where they are, and its plan as the run's task graph, a chain in the plan's order.
import { join } from "node:path";
import type { Problem } from "../../core/problem.ts";
import type { Run, TaskDef, TaskId } from "../../core/run.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { readText } from "../../host/files.ts";
import { checkPlan } from "./artifacts/check.ts";
import type { MissionPlan, Step } from "./artifacts/plan.ts";
import { dueGeneration, mission, missionInputs } from "./protocol.ts";

export type MissionPlaces = Pick<Run, "planningDir">;

export function missionFile({ planningDir }: MissionPlaces, name: string): string {
  return join(planningDir, mission.artifacts[name] ?? name);
}

export const artifactsIn = ({ planningDir }: MissionPlaces) => join(planningDir, "../artifacts");

/** Where a plan lies that another one replaced, with its summaries and its verification. */
export const archiveOf = (places: MissionPlaces, name: string) =>
  join(artifactsIn(places), "archive", `plan-${name}`);

export function summaryFile(places: MissionPlaces, task: TaskId): string {
  return join(artifactsIn(places), `summary_${task}.json`);
}

/**
 * Which plan of which phase: a step of another one is another step, however alike they are. One that is being executed
 * stays what it is, whoever edits it.
 */
export function generationOf(run: Run): string {
  const { generation } = run.artifacts.plan?.content ?? {};
  const underway = ["executing", "verifying", "handed_over", "done"].includes(run.phase);
  return underway && typeof generation === "string" ? generation : dueGeneration(run);
}

/** What an artifact is made from, as it is now. */
export function madeFrom(places: MissionPlaces, name: string): Record<string, string> {
  const now = (missionInputs[name] ?? []).map(
    (input) => [input, fileDigest(missionFile(places, input))] as const,
  );
  return Object.fromEntries(now.filter(([, digest]) => digest !== null)) as Record<string, string>;
}

export type ReadPlan =
  | { readonly plan: MissionPlan; readonly digest: string; readonly text: string }
  | { readonly problems: readonly Problem[] };

export function readPlan(file: string): ReadPlan {
  const read = readText(file);
  if ("problem" in read) return { problems: [read.problem] };
  const { text } = read;
  const { value, problems } = checkPlan({ file, text });
  return value ? { plan: value, digest: textDigest(text), text } : { problems };
}

/** Each waits for the one before it: strictly in order (M4). */
export function stepsAsTasks({ tasks }: MissionPlan, generation: string): TaskDef[] {
  return tasks.map((step, index) => {
    const before = tasks[index - 1];
    return {
      id: step.id,
      name: step.title,
      phase: 1,
      dependsOn: before ? [before.id] : [],
      steel: false,
      estimateHours: 0.5,
      behaviours: [],
      files: [...new Set(step.files)].map((path) => ({ path, action: "modify" })),
      criteria: [{ criterion: step.title, command: step.verification_cmd }],
      file: "artifacts/plan.json",
      digest: stepDigest(step, generation),
    };
  });
}

function stepDigest({ dependencies: _, ...step }: Step, generation: string): string {
  return textDigest(JSON.stringify([generation, step]));
}
