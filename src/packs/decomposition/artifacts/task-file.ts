// tasks/T001.json: one task, as the task-author writes it and the plan-auditor sequences it. What must hold beyond
// this shape, and between tasks, is in `check-tasks.ts`.
import * as z from "zod";
import { behaviourId, layer, name, path, specRef, taskId, text } from "../../../protocols/fields.ts";

export const taskContext = z.looseObject({
  domain: z.string().optional(),
  capability: z.string().optional(),
  spec_ref: specRef.optional(),
  spec_requirements: z.array(z.string()).optional().describe("ids of numbered requirements, such as REQ-12"),
  steel_thread: z.boolean().optional(),
});

export const acceptanceCriterion = z.looseObject({
  criterion: text,
  verification: text.describe("a shell command that exits 0 exactly when the criterion holds"),
});

export const taskFile = z
  .looseObject({
    id: taskId,
    name,
    phase: z
      .int()
      .min(1)
      .optional()
      .describe("1 foundations, 2 steel thread, 3 and above features; needed from sequencing on"),
    context: taskContext.optional(),
    behaviors: z.array(behaviourId).min(1),
    files: z
      .array(
        z.looseObject({
          path,
          action: z.enum(["create", "modify", "delete", "extend"]),
          layer: layer.optional(),
          purpose: z.string().optional(),
        }),
      )
      .min(1),
    dependencies: z
      .looseObject({ tasks: z.array(taskId).optional(), external: z.array(z.unknown()).optional() })
      .optional(),
    acceptance_criteria: z.array(acceptanceCriterion).min(1),
    estimate_hours: z.number().positive().optional().describe("two to six"),
    exclusive: z
      .array(z.string().min(1))
      .optional()
      .describe("what no other task may use meanwhile, such as `database`; names of your own"),
    tags: z
      .array(z.string().min(1))
      .optional()
      .describe("names by which `tags` of the configuration chooses who executes it"),
    given: z
      .boolean()
      .optional()
      .describe("from a person's own list (`heddle run`): behaviours and files may then be empty"),
    description: z.string().optional().describe("what to do, in the person's own words"),
    unchecked: z
      .literal(true)
      .optional()
      .describe("a person said that nothing checks it: it is never called verified"),
  })
  .meta({ title: "Task", description: "tasks/T001.json, written by the task-author." });

export type TaskFile = z.infer<typeof taskFile>;

/** A task from a person's own list was not drawn from a specification, so it has no behaviours, and may name no files. */
const givenTask = taskFile.extend({
  behaviors: z.array(behaviourId),
  files: z.array(taskFile.shape.files.element),
});

const uncheckedTask = givenTask.extend({ acceptance_criteria: z.array(acceptanceCriterion) });

/** What a task file must look like depends on the way of planning that it comes from. */
export function taskSchema(value: unknown): z.ZodType<TaskFile> {
  const { given, unchecked } = (value ?? {}) as { given?: unknown; unchecked?: unknown };
  if (given !== true) return taskFile;
  return unchecked === true ? uncheckedTask : givenTask;
}
