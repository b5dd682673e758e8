// The two ways a step can answer, and the refusals that several of them share.
import type { Fact } from "./fact.ts";
import type { InputKind, InputOf } from "./input.ts";
import { closest, type Problem, problem } from "./problem.ts";
import type { Run, Task, TaskId } from "./run.ts";

export interface Step {
  readonly facts: readonly Fact[];
  readonly problems: readonly Problem[];
}

export type Steps<K extends InputKind> = { readonly [Kind in K]: (run: Run, input: InputOf<Kind>) => Step };

export const accept = (...facts: readonly Fact[]): Step => ({ facts, problems: [] });
export const refuse = (...problems: readonly Problem[]): Step => ({ facts: [], problems });

/** A run that was complete is not, once a task is open again. */
export function reopened(run: Run): Fact[] {
  const { graph, phases } = run.protocol;
  if (!graph || !phases.find((phase) => phase.name === run.phase)?.end) return [];
  const [from, to] = [run.phase, graph.runs];
  return [{ kind: "phase-entered", from, to, rule: "a task is open again", counts: null }];
}

export function find(run: Run, id: TaskId): Task | Problem {
  return run.tasks.get(id) ?? unknownTask(run, id);
}

export const isProblem = (found: Task | Problem): found is Problem => "code" in found;

export function unknownTask(run: Run, id: TaskId): Problem {
  if (run.tasks.size === 0)
    return problem("unknown-task", `task \`${id}\` is unknown: no plan is loaded`, {
      hint: { do: "load-tasks" },
    });
  const meant = closest(
    id,
    [...run.tasks.all()].map((task) => task.def.id),
  );
  return problem("unknown-task", `task \`${id}\` is not in the plan`, {
    hint: meant ? `did you mean \`${meant}\`?` : [{ do: "show-status" }, " lists the tasks"],
  });
}
