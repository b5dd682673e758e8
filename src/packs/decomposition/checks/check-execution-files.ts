// The files of execution: bundle and the state view. Their schema, and that they speak of the
// task that they are taken for.
import { type Checked, checkArtifact } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { shown } from "../../../protocols/spot.ts";
import { pathProblems } from "../../../protocols/target-path.ts";
import { type ForTask, wrongTask } from "../../../work/result.ts";
import { type Bundle, bundle } from "../artifacts/bundle.ts";
import { type State, state } from "../artifacts/state.ts";

export function checkBundle(input: ForTask): Checked<Bundle> {
  return checkArtifact(bundle, input, (root) => [
    ...wrongTask(root.at("task_id"), input.taskId),
    ...root.at("files").items.flatMap((file) => pathProblems(file.at("path"))),
  ]);
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
