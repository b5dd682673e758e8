// Random things that happen to a plan of six tasks, for properties of journals.
import fc from "fast-check";
import { headOf } from "../../src/core/apply.ts";
import type { Input } from "../../src/core/input.ts";
import type { Run } from "../../src/core/run.ts";
import { canonical } from "../../src/journal/verify.ts";
import { definition } from "../core/plan.ts";

const ids = ["T001", "T002", "T003", "T004", "T005", "T006"];
const task = fc.constantFrom(...ids);

const plan = fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { maxLength: 9 }).map((pairs) =>
  ids.map((id, at) => {
    const before = pairs.filter(([a, b]) => Math.max(a, b) === at && a !== b);
    const dependsOn = [...new Set(before.map(([a, b]) => ids[Math.min(a, b)] ?? ""))];
    return definition(id, { dependsOn, steel: pairs.some(([a, , steel]) => a === at && steel) });
  }),
);

const word = fc.constantFrom("plain", "with ‘quotes’ and \u0000\u001b[31m", "日本語 🧵", "");

const verification = (recommendation: "BLOCK" | "PROCEED") => (id: string) =>
  ({
    kind: "record-verification",
    task: id,
    verdict: recommendation === "BLOCK" ? "FAIL" : "PASS",
    recommendation,
    criteria: null,
    quality: null,
    tests: null,
  }) as const;

export const input: fc.Arbitrary<Input> = fc.oneof(
  { weight: 4, arbitrary: task.map((id): Input => ({ kind: "start", task: id })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(task, fc.array(word, { maxLength: 2 }))
      .map(([id, created]): Input => ({ kind: "complete", task: id, created, modified: [] })),
  },
  fc.tuple(task, word, fc.boolean()).map(
    ([id, error, retryable]): Input => ({
      kind: "fail",
      task: id,
      error,
      category: "test",
      subcategory: null,
      retryable,
    }),
  ),
  task.map((id): Input => ({ kind: "retry", task: id })),
  fc.tuple(task, word).map(([id, reason]): Input => ({ kind: "skip", task: id, reason })),
  task.map(verification("BLOCK")),
  task.map(verification("PROCEED")),
  word.map((reason): Input => ({ kind: "halt", reason })),
  fc.constant<Input>({ kind: "resume", stopFile: false }),
  fc.tuple(task, fc.nat(9)).map(
    ([id, costUsd]): Input => ({
      kind: "record-usage",
      task: id,
      agent: "a",
      inputTokens: 1,
      outputTokens: 2,
      costUsd,
    }),
  ),
  plan.map((tasks): Input => ({ kind: "load-plan", tasks: tasks.slice(0, 1 + (tasks.length % 6)) })),
  plan.map((tasks): Input => ({ kind: "load-plan", tasks })),
);

/** What brings a new run to `ready`, without its documents. */
export function toReady(tasks = ids.map((id) => definition(id))): Input[] {
  const phases = ["logical", "physical", "definition", "validation", "sequencing", "ready"];
  return [
    { kind: "create", targetDir: "/target", planningDir: "/planning" },
    { kind: "load-plan", tasks },
    ...phases.map((to): Input => ({ kind: "override", reason: "test", to, digests: {} })),
  ];
}

/** All of a run as one text, whatever its tasks are kept in. */
export function textOf(run: Run): string {
  const tasks = [...run.tasks.all()]
    .map(({ dependents, ...task }) => ({ ...task, dependents: [...dependents].sort() }))
    .sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  const whole = { head: headOf(run), tasks, ready: run.tasks.ready(), notable: run.tasks.notable().length };
  return canonical(JSON.parse(JSON.stringify(whole)));
}
