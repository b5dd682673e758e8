// Creating a run, loading and reloading its plan, registering artifacts.
import { accept, refuse, reopened, type Step, type Steps } from "../answer.ts";
import type { Fact } from "../fact.ts";
import { findCycle, inOrder } from "../graph/graph.ts";
import type { InputOf } from "../input.ts";
import { defaultPolicy, type Policy } from "../policy.ts";
import { type Problem, problem } from "../problem.ts";
import { type Run, type TaskDef, unknownDigest } from "../run.ts";

export const planSteps: Steps<
  "create" | "describe" | "reopen" | "archive" | "import" | "register" | "set" | "load-plan" | "repair-view"
> = {
  create: (run, input) => {
    if (run.position > 0) return refuse(problem("run-exists", `run \`${run.id}\` exists already`));
    const policy = { ...defaultPolicy, ...input.policy };
    const { targetDir, planningDir, metadata = {} } = input;
    return accept({
      kind: "run-created",
      protocol: run.protocol.name,
      targetDir,
      planningDir,
      policy,
      metadata,
    });
  },
  describe: (run, { metadata, policy = {} }) => {
    const changed = Object.entries(metadata).some(
      ([key, value]) => JSON.stringify(run.metadata[key]) !== JSON.stringify(value),
    );
    const moved = Object.entries(policy).filter(([key, value]) => run.policy[key as keyof Policy] !== value);
    const facts: Fact[] = changed ? [{ kind: "metadata-set", metadata }] : [];
    if (moved.length > 0)
      facts.push({
        kind: "overridden",
        reason: "the configuration changed",
        phase: null,
        tasks: {},
        policy: Object.fromEntries(moved),
      });
    return accept(...facts);
  },
  reopen: (run, { to, reason }) => {
    const order = run.protocol.phases.map((phase) => phase.name);
    const [here, there] = [order.indexOf(run.phase), order.indexOf(to)];
    if (there < 0 || there >= here) return accept();
    if (run.phase === run.protocol.graph?.runs || run.running.length > 0)
      return refuse(
        problem("executing", `the plan is being executed: it cannot go back to \`${to}\``, {
          hint: [{ do: "change-plan" }, " changes single tasks"],
        }),
      );
    return accept({ kind: "phase-entered", from: run.phase, to, rule: reason, counts: null });
  },
  archive: (run, input) => (run.archived ? accept() : accept({ kind: "run-archived", reason: input.reason })),
  import: (run, input) =>
    run.position > 1
      ? refuse(
          problem("run-exists", `run \`${run.id}\` has a history of its own`, {
            hint: { do: "begin-anew" },
          }),
        )
      : accept(...input.facts),
  register: (_run, { kind: _, runMs: _runMs, ...rest }) => accept({ kind: "artifact-registered", ...rest }),
  set: (run, { values }) =>
    accept(
      ...Object.entries(values)
        .filter(([name, value]) => JSON.stringify(run.vars[name]) !== JSON.stringify(value))
        .map(([name, value]): Fact => ({ kind: "variable-set", name, value })),
    ),
  "load-plan": loadPlan,
  "repair-view": (_run, { view, was }) => accept({ kind: "view-repaired", view, was }),
};

/** Tasks that did not change keep their progress (D10); what sequencing writes is not a change. */
function loadPlan(run: Run, input: InputOf<"load-plan">): Step {
  const defs = new Map(input.tasks.map((def) => [def.id, def]));
  const problems = [...unsound(input.tasks, defs), ...underway(run, defs)];
  if (problems.length > 0) return refuse(...problems);

  const facts: Fact[] = [];
  let changed = 0;
  for (const { def } of inOrder(input.tasks.map((task) => nodeOf(task)))) {
    const old = run.tasks.get(def.id)?.def;
    if (old && sameText(old, def)) continue;
    const reset = old !== undefined && differs(old, def);
    if (old) changed++;
    facts.push({ kind: "task-defined", task: def, reset });
  }
  const gone = [...run.tasks.all()].filter((task) => !defs.has(task.def.id)).map((task) => nodeOf(task.def));
  for (const { id } of inOrder(gone).reverse()) facts.push({ kind: "task-dropped", task: id });
  const added = input.tasks.filter((def) => !run.tasks.get(def.id)).length;
  if (facts.some((fact) => fact.kind === "task-defined" && (fact.reset || !run.tasks.get(fact.task.id))))
    facts.push(...reopened(run));
  const why = input.reason === undefined ? {} : { reason: input.reason };
  facts.push({ kind: "plan-loaded", tasks: defs.size, added, changed, dropped: gone.length, ...why });
  return accept(...facts);
}

const nodeOf = (def: TaskDef) => ({ def, id: def.id, dependsOn: def.dependsOn, hours: def.estimateHours });

/** Of a task that was imported without its file nobody knows whether it changed: it keeps its progress. */
const differs = (old: TaskDef, def: TaskDef) => old.digest !== def.digest && old.digest !== unknownDigest;

const sameText = (a: TaskDef, b: TaskDef) => JSON.stringify(a) === JSON.stringify(b);

/** Files are checked with positions long before this (D10); these are the conditions the fold itself needs. */
function unsound(tasks: readonly TaskDef[], defs: ReadonlyMap<string, TaskDef>): Problem[] {
  const problems: Problem[] = [];
  if (defs.size < tasks.length)
    problems.push(problem("duplicate-task", "a task id occurs twice in the plan"));
  for (const def of tasks) {
    for (const id of def.dependsOn) {
      if (defs.has(id)) continue;
      problems.push(problem("unknown-dependency", `task \`${def.id}\` depends on unknown task \`${id}\``));
    }
  }
  const cycle = problems.length === 0 ? findCycle(tasks.map(nodeOf)) : undefined;
  if (cycle) problems.push(problem("cycle", `the plan has a cycle: ${cycle.join(" -> ")}`));
  return problems;
}

function underway(run: Run, defs: ReadonlyMap<string, TaskDef>): Problem[] {
  return run.running.flatMap((id) => {
    const def = defs.get(id);
    const old = run.tasks.get(id)?.def;
    if (def && old && !differs(old, def)) return [];
    const what = def ? "changed" : "was removed";
    return problem("task-running", `task \`${id}\` is running and its file ${what}`, {
      hint: ["wait for it, or: ", { do: "fail-task", task: id, reason: "replanned" }],
    });
  });
}
