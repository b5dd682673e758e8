// The files of execution: result, bundle, checkpoint, and the state view. Their schema, and that they speak of the
// task that they are taken for.
import type { Problem } from "../../../core/problem.ts";
import type { Source } from "../../document.ts";
import { type Checked, checkArtifact, type Known } from "./artifact.ts";
import { type Bundle, bundle } from "./bundle.ts";
import { type Checkpoint, checkpoint } from "./checkpoint.ts";
import { type Result, result } from "./result.ts";
import { type Spot, shown } from "./spot.ts";
import { type State, state } from "./state.ts";
import { suggester } from "./suggestion.ts";
import { pathProblems } from "./target-path.ts";

export interface ForTask extends Source {
  readonly taskId: string;
}

export function checkResult(input: ForTask): Checked<Result> {
  return checkArtifact(result, input, (root) => [
    ...wrongTask(root.at("task_id"), input.taskId),
    ...[...root.at("files").at("created").items, ...root.at("files").at("modified").items].flatMap(
      pathProblems,
    ),
  ]);
}

export function checkBundle(input: ForTask): Checked<Bundle> {
  return checkArtifact(bundle, input, (root) => [
    ...wrongTask(root.at("task_id"), input.taskId),
    ...root.at("files").items.flatMap((file) => pathProblems(file.at("path"))),
  ]);
}

function wrongTask(id: Spot, wanted: string): Problem[] {
  if (id.text === undefined || id.text === wanted) return [];
  const message = `the file is about task ${shown(id.text)}, but is taken for \`${wanted}\``;
  return [id.problem("wrong-task", message, `write \`"task_id": "${wanted}"\` if it is about that one`)];
}

export interface CheckpointInput extends Source {
  /** The ids of all tasks; not compared when left out. */
  readonly tasks?: Known | undefined;
}

/** A batch's tasks are each in one of `pending`, `completed` and `failed`. */
export function checkCheckpoint(input: CheckpointInput): Checked<Checkpoint> {
  return checkArtifact(checkpoint, input, (root) => {
    const lists = root.at("tasks");
    const spawned = new Set(lists.at("spawned").items.map((id) => id.text));
    const placed = ["pending", "completed", "failed"].flatMap((key) => lists.at(key).items);
    const seen = new Set<string>();
    const misplaced = placed.flatMap((id) => {
      if (id.text === undefined) return [];
      const code = seen.has(id.text) ? "listed-twice" : spawned.has(id.text) ? undefined : "not-spawned";
      seen.add(id.text);
      if (code === undefined) return [];
      const fault = code === "listed-twice" ? "is listed twice" : "is not among the spawned ones";
      return [
        id.problem(code, `task ${shown(id.text)} ${fault}`, "keep each spawned task in exactly one list"),
      ];
    });
    return misplaced.concat(unknownTasks(lists.at("spawned").items, input.tasks));
  });
}

function unknownTasks(ids: readonly Spot[], tasks: Known | undefined): Problem[] {
  if (!tasks) return [];
  const suggest = suggester(tasks);
  return ids.flatMap((id) => {
    if (id.text === undefined || tasks.has(id.text)) return [];
    return [
      id.problem(
        "unknown-task",
        `the batch has unknown task ${shown(id.text)}`,
        suggest(id.text, "remove it"),
      ),
    ];
  });
}

export function checkState(input: Source): Checked<State> {
  return checkArtifact(state, input, (root) => {
    const tasks = root.at("tasks");
    const ids = typeof tasks.value === "object" && tasks.value !== null ? Object.keys(tasks.value) : [];
    return ids.flatMap((key) => {
      const id = tasks.at(key).at("id");
      if (id.text === undefined || id.text === key) return [];
      return [
        id.problem(
          "wrong-task",
          `the entry ${shown(key)} is about task ${shown(id.text)}`,
          `write \`"id": "${key}"\``,
        ),
      ];
    });
  });
}
