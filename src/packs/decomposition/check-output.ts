// Whether what a role made is right: everything that a machine can check, all problems at once, worded for whoever
// must fix them. The same check runs in the agent's own hands (`heddle check-output`) and in heddle's.
import { join } from "node:path";
import type { Input } from "../../core/input.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Json } from "../../core/run.ts";
import { textDigest } from "../../host/digest.ts";
import { isThere, readText, staysInside } from "../../host/files.ts";
import { type CheckedOutput, kindOf } from "../../work/product.ts";
import { checkCapabilityMap } from "./checks/check-capability-map.ts";
import { checkPhysicalMap } from "./checks/check-physical-map.ts";
import { checkSequencing, sequencingWarnings } from "./checks/check-sequencing.ts";
import { checkSpecReview } from "./checks/check-spec-review.ts";
import { checkTaskValidation } from "./checks/check-task-validation.ts";
import {
  definition,
  fileOf,
  inputsOf,
  mapOf,
  orderDigest,
  type Places,
  planDigest,
  readTaskFiles,
  specOf,
  taskDigest,
} from "./plan-files.ts";

import { pointsOf } from "./review/points.ts";
import { questionFor, together } from "./review/question.ts";

export type Planned =
  | "spec_review"
  | "capability_map"
  | "physical_map"
  | "tasks"
  | "task_validation"
  | "order";
/** What roles make for a plan; the last two when it is verified as a whole (`verify-product.ts`). */
export type Makes = Planned | "verification" | "gap_tasks";

const made: readonly Makes[] = [
  ...(["spec_review", "capability_map", "physical_map", "tasks", "task_validation", "order"] as const),
  ...(["verification", "gap_tasks"] as const),
];

export const isMakes = (word: string): word is Makes => made.some((each) => each === word);

export interface Output {
  readonly places: Places;
  /** Where the output lies: the artifact's own place, or an agent's outbox. */
  readonly path: string;
}

export function checkOutput(makes: Planned, output: Output): CheckedOutput {
  if (kindOf(makes) === "folder") return makes === "tasks" ? checkPlan(output) : checkOrder(output);
  const read = readText(output.path);
  if ("problem" in read) return wrong(read.problem);
  return checkDocument(makes, output, read.text);
}

const wrong = (...problems: readonly Problem[]): CheckedOutput => ({ problems, warnings: [], inputs: [] });

function checkDocument(makes: Planned, output: Output, text: string): CheckedOutput {
  const { places } = output;
  const digest = textDigest(text);
  const base = {
    kind: "register",
    artifact: makes,
    path: fileOf(places, makes),
    digest,
    valid: true,
    problems: [],
  } as const;
  if (makes === "task_validation") return checkVerdict(output, text, digest);
  if (makes === "spec_review") return checkReview(output, text, digest);
  const { problems, warnings } =
    makes === "capability_map"
      ? checkCapabilityMap({ file: output.path, text, spec: specOf(places) })
      : physical(output, text);
  const inputs = [{ ...base, inputs: inputsOf(places, makes), content: {} }];
  return { problems, warnings, inputs: problems.length > 0 ? [] : inputs };
}

function physical({ places, path: file }: Output, text: string) {
  const { targetDir } = places;
  return checkPhysicalMap({
    file,
    text,
    behaviours: mapOf(places)?.behaviours,
    exists: (path) => isThere(join(targetDir, path)),
    leadsOut: (path) => !staysInside(targetDir, path),
    targetDir,
  });
}

function checkVerdict({ places, path: file }: Output, text: string, digest: string): CheckedOutput {
  const { tasks } = readTaskFiles(places).checked;
  const { problems, value } = checkTaskValidation({
    file,
    text,
    tasks: new Set(tasks.map(({ task }) => task.id)),
  });
  if (!value) return wrong(...problems);
  const plan = planDigest(tasks.map(({ task }) => taskDigest(task)));
  const issues = (value.issues ?? []) as readonly Json[];
  const content = { verdict: value.verdict, summary: value.summary ?? "", issues, dimensions: true };
  const artifact = "task_validation";
  const inputs = plan === null ? {} : { tasks: plan };
  const register = {
    kind: "register",
    artifact,
    path: fileOf(places, artifact),
    digest,
    inputs,
    valid: true,
    problems: [],
    content,
  } as const;
  return { problems: [], warnings: [], inputs: [register] };
}

/** What it found is asked of the person, together with what heddle found itself (D27). */
function checkReview({ places, path: file }: Output, text: string, digest: string): CheckedOutput {
  const spec = specOf(places) ?? "";
  const { problems, value } = checkSpecReview({ file, text, spec });
  if (!value) return wrong(...problems);
  const points = together(pointsOf(spec), value.points);
  const question = questionFor(spec, points);
  const register = {
    ...({ kind: "register", artifact: "spec_review", path: fileOf(places, "spec_review") } as const),
    ...{ digest, inputs: inputsOf(places, "spec_review"), valid: true, problems: [] },
    content: { points: points.length },
  };
  return { problems: [], warnings: [], inputs: question ? [register, question] : [register] };
}

/** All task files or none (D10). */
function checkPlan({ places, path: folder }: Output, files = readTaskFiles(places, folder)): CheckedOutput {
  const { checked, map, problems } = files;
  if (problems.length > 0) return { ...wrong(...problems), warnings: checked.warnings };
  if (checked.tasks.length === 0)
    return wrong(
      problem("no-tasks", "there are no task files", {
        place: { file: folder },
        hint: "write T001.json and so on there",
      }),
    );
  const home = fileOf(places, "tasks");
  const tasks = checked.tasks.map(({ source, task }) => definition(task, source.file));
  const digest = planDigest(checked.tasks.map(({ task }) => taskDigest(task))) ?? "";
  const noMap = problem("no-map", "there is no capability map: behaviours were not checked");
  return {
    problems: [],
    warnings: map ? checked.warnings : [noMap, ...checked.warnings],
    inputs: [
      { kind: "load-plan", tasks },
      {
        kind: "register",
        artifact: "tasks",
        path: home,
        digest,
        inputs: inputsOf(places, "tasks"),
        valid: true,
        problems: [],
        content: {},
      },
    ],
  };
}

/** The auditor may set phases and steel-thread marks, and nothing else (D15). */
function checkOrder(output: Output): CheckedOutput {
  const { places, path: folder } = output;
  const files = readTaskFiles(places, folder);
  const plan = checkPlan(output, files);
  const before = new Map(
    readTaskFiles(places).checked.tasks.map(({ task }) => [task.id, taskDigest(task).digest]),
  );
  const after = files.checked.tasks;
  const changed = after
    .filter(({ task }) => before.get(task.id) !== taskDigest(task).digest)
    .map(({ source, task }) =>
      problem("changed-task", `task \`${task.id}\` was changed beyond its phase and its steel-thread mark`, {
        place: { file: source.file },
        hint: `copy ${fileOf(places, "tasks")}/${task.id}.json and set \`phase\` and \`context.steel_thread\` only`,
      }),
    );
  const kept = new Set(after.map(({ task }) => task.id));
  const gone = [...before.keys()]
    .filter((id) => !kept.has(id))
    .map((id) =>
      problem("missing-task", `task \`${id}\` is missing from the ordered plan`, {
        place: { file: folder },
        hint: `copy ${id}.json too`,
      }),
    );
  const steelFlow = files.map?.steelFlow;
  const problems = [...gone, ...changed, ...plan.problems, ...checkSequencing(after, steelFlow)];
  if (problems.length > 0) return { ...wrong(...problems), warnings: plan.warnings };
  const defs = after.map(({ source, task }) => definition(task, source.file));
  const made = planDigest(after.map(({ task }) => taskDigest(task)));
  const order: Input = {
    kind: "register",
    artifact: "order",
    path: fileOf(places, "tasks"),
    digest: orderDigest(defs),
    inputs: made === null ? {} : { tasks: made },
    valid: true,
    problems: [],
    content: {},
  };
  const warnings = [...plan.warnings, ...sequencingWarnings(after, steelFlow)];
  return { ...plan, warnings, inputs: [...plan.inputs, order] };
}
