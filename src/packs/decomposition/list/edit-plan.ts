// A plan as one YAML page that a person edits: what they may change of each task, and back into task files. Fields that the page does
// not show stay as they are. Tasks that changed start anew, the others keep what they have.

import { join } from "node:path";
import * as z from "zod";
import { toCall } from "../../../core/hint.ts";
import { recordIn } from "../../../core/json.ts";
import { closest, type Problem, problem } from "../../../core/problem.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { readText } from "../../../host/files.ts";
import { parseYaml, yamlText } from "../../../protocols/yaml.ts";
import type { TaskFile } from "../artifacts/task-file.ts";
import { changePlan } from "../plan-task.ts";

const words = z.array(z.string());
const edited = z.strictObject({
  id: z.string().regex(/^T\d+$/, "must look like `T012`"),
  name: z.string(),
  description: z.string().optional(),
  depends: words.optional(),
  files: z.array(z.union([z.string(), z.record(z.string(), z.string())])).optional(),
  criteria: z.array(z.record(z.string(), z.string())).optional(),
  phase: z.int().min(1).optional(),
  hours: z.number().positive().optional(),
  tags: words.optional(),
});

type Edited = z.infer<typeof edited>;
type Plan = ReadonlyMap<string, TaskFile>;

const head = `# The plan. Change, add or remove tasks, save, and leave the editor; an unchanged file changes nothing.
# Tasks that changed start over. files: path: create | modify | delete | extend. criteria: what must hold: the command that shows it.
`;

/** The task files as they are now, by id. */
export async function planNow(app: App): Promise<Plan> {
  const files = await app.look((run) =>
    [...run.tasks.all()].map(({ def }) => ({ id: def.id, file: join(run.planningDir, def.file) })),
  );
  const found = files
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ id, file }) => {
      const read = readText(file, 1024 * 1024);
      const task = "text" in read ? recordIn<TaskFile>(read.text) : undefined;
      return task ? [[id, task] as const] : [];
    });
  return new Map(found);
}

export function planPage(plan: Plan): string {
  const tasks = [...plan.values()].map((task) => ({
    id: task.id,
    name: task.name,
    ...(task.description !== undefined && { description: task.description }),
    ...(task.phase !== undefined && { phase: task.phase }),
    ...(task.dependencies?.tasks?.length && { depends: task.dependencies.tasks }),
    ...(task.files.length > 0 && { files: task.files.map(({ path, action }) => ({ [path]: action })) }),
    criteria: task.acceptance_criteria.map(({ criterion, verification }) => ({ [criterion]: verification })),
    ...(task.estimate_hours !== undefined && { hours: task.estimate_hours }),
    ...(task.tags && task.tags.length > 0 && { tags: task.tags }),
  }));
  return head + yamlText({ tasks });
}

export interface Edit {
  readonly put: readonly { readonly id: string; readonly text: string }[];
  readonly drop: readonly string[];
}

/** What the page changes of the plan; every mistake with its line. */
export function readEdit(
  file: string,
  text: string,
  plan: Plan,
): Edit | { readonly problems: readonly Problem[] } {
  const document = parseYaml(file, text);
  if ("problems" in document) return document;
  const lines = text.split(/\r?\n/);
  const at = (pointer: string, code: string, [message, hint]: readonly [string, string]) => {
    const line = document.lineOf(pointer);
    const source = (lines[line - 1] ?? "").slice(0, 160);
    return problem(code, message, {
      place: { file, line, column: source.search(/\S/) + 1 || 1, source },
      hint,
    });
  };
  const list = (document.value as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(list) || list.length === 0)
    return {
      problems: [
        at("", "no-tasks", ["there is no list of tasks", "keep `tasks:` and at least one task under it"]),
      ],
    };
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  for (const [index, value] of list.entries()) {
    const parsed = edited.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        problems.push(at(`/tasks/${index}/${issue.path.join("/")}`, "bad-task", say(issue)));
      continue;
    }
    const { data } = parsed;
    if (texts.has(data.id))
      problems.push(
        at(`/tasks/${index}`, "duplicate-id", [
          `task \`${data.id}\` is there twice`,
          "give one of them another id",
        ]),
      );
    texts.set(data.id, `${JSON.stringify(merged(data, plan.get(data.id)), null, 2)}\n`);
  }
  if (problems.length > 0) return { problems };
  const put = [...texts].filter(([id, now]) => now !== `${JSON.stringify(plan.get(id), null, 2)}\n`);
  return {
    put: put.map(([id, now]) => ({ id, text: now })),
    drop: [...plan.keys()].filter((id) => !texts.has(id)),
  };
}

function say(issue: z.core.$ZodIssue): readonly [string, string] {
  const keys = Object.keys(edited.shape);
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const meant = closest(key, keys);
    return [
      `\`${key}\` is not a key of a task`,
      meant ? `did you mean \`${meant}\`?` : `the keys are ${keys.join(", ")}`,
    ];
  }
  const name = String(issue.path[0] ?? "task");
  return [`\`${name}\` is not as expected: ${issue.message}`, `write it as the other tasks have it`];
}

/** Order of keys and everything that the page does not show are kept, so that an unchanged task is unchanged. */
function merged(now: Edited, before: TaskFile | undefined): object {
  const actions = new Map(before?.files.map((each) => [each.path, each]));
  const checks = new Map(
    before?.acceptance_criteria.map((each) => [`${each.criterion}\0${each.verification}`, each]),
  );
  const files = (now.files ?? []).flatMap((each): [string, string][] =>
    typeof each === "string" ? [[each, actions.get(each)?.action ?? "modify"]] : Object.entries(each),
  );
  const criteria = (now.criteria ?? []).flatMap((each) => Object.entries(each));
  const known = {
    id: now.id,
    name: now.name,
    description: now.description,
    phase: now.phase,
    dependencies:
      now.depends || before?.dependencies ? { ...before?.dependencies, tasks: now.depends ?? [] } : undefined,
    files: files.map(([path, action]) => ({ ...actions.get(path), path, action })),
    acceptance_criteria: criteria.map(([criterion, verification]) => ({
      ...checks.get(`${criterion}\0${verification}`),
      criterion,
      verification,
    })),
    estimate_hours: now.hours,
    tags: now.tags ?? (before?.tags?.length === 0 ? [] : undefined),
  };
  const given = before ?? { given: true, behaviors: [] };
  const whole = { ...given, ...known };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

export async function applyEdit(app: App, edit: Edit) {
  if (edit.put.length === 0 && edit.drop.length === 0) return undefined;
  const executing = await app.look((run) =>
    edit.drop.filter((id) => run.tasks.get(id)?.state === "complete"),
  );
  if (executing.length > 0)
    throw new Refused([
      problem(
        "task-complete",
        `${executing.join(", ")} is done and merged: it cannot be removed from the plan`,
        {
          hint: [toCall(`undo ${executing[0]}`), " takes its change back first"],
        },
      ),
    ]);
  return changePlan(app, edit);
}
