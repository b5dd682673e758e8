// The first implementation's checkpoints (facts §1.5): a file of its own, beside the state.
import {
  type CommandShape,
  crashed,
  done,
  type First,
  type MutableBatch,
  type Outcome,
  ok,
  refused,
  type Words,
} from "./first.ts";
import { blockDependents, endAs } from "./first-tasks.ts";

type Run = CommandShape["run"];

/** Commands that read no state: without a project they work all the same, unless that is fixed. */
const beside = (
  run: Run,
  rest: Pick<CommandShape, "needs" | "takes"> & Partial<CommandShape>,
): CommandShape => ({
  apart: true,
  stateless: (first, words) => (first.fixed("checkpoints need a project") ? refused : run(first, words)),
  run,
  ...rest,
});

export const checkpointCommands: Readonly<Record<string, CommandShape>> = {
  "checkpoint create": beside(create, { needs: 1, takes: Number.POSITIVE_INFINITY }),
  "checkpoint update": beside(update, {
    needs: 2,
    takes: 2,
    check: (first, { args: [, status = ""] }) =>
      status === "success" || status === "failed" ? undefined : first.usage,
  }),
  "checkpoint complete": beside(complete, { needs: 0, takes: 0 }),
  "checkpoint status": beside(({ batch }) => (batch ? done : ok("No active checkpoint.")), {
    needs: 0,
    takes: 0,
  }),
  "checkpoint clear": beside(clear, { needs: 0, takes: 0 }),
  "checkpoint recover": { needs: 0, takes: 0, flags: { keep: "switch" }, run: recover },
};

function create(first: First, { args }: Words): Outcome {
  first.submit();
  const { state, batch } = first;
  if (first.fixed("defect 17") && args.some((id) => !state?.tasks.has(id))) return refused;
  const underway = (batch?.status === "active" ? batch.pending : []).filter(
    (id) => !args.includes(id) && state?.tasks.get(id)?.status === "running",
  );
  if (underway.length > 0 && first.fixed("a batch at work is not overwritten")) return refused;
  const spawned = first.fixed("defect 17") ? [...new Set(args)] : [...args];
  first.batch = { status: "active", spawned, pending: [...spawned], completed: [], failed: [] };
  return ok("Checkpoint created: batch-<time>");
}

function update(first: First, { args: [id = "", status = ""] }: Words): Outcome {
  first.submit();
  const { batch } = first;
  if (!batch || (first.fixed("defect 17") && !batch.spawned.includes(id))) return refused;
  move(first, batch, { id, status });
  return ok(`Updated ${id}: ${status} (${batch.pending.length} pending)`);
}

function move(first: First, batch: MutableBatch, { id, status }: { id: string; status: string }): void {
  const others = (list: readonly string[]) => list.filter((each) => each !== id);
  batch.pending = others(batch.pending);
  if (first.fixed("defect 17")) {
    batch.completed = others(batch.completed);
    batch.failed = others(batch.failed);
  }
  if (status === "success") batch.completed = [...batch.completed, id];
  else batch.failed = [...batch.failed, id];
}

function complete(first: First): Outcome {
  first.submit();
  if (!first.batch) return refused;
  first.batch.status = "completed";
  return done;
}

function clear(first: First): Outcome {
  first.submit();
  first.batch = null;
  return done;
}

function recover(first: First): Outcome {
  const { batch, files } = first;
  if (batch?.status !== "active" && !first.fixed("recover is always possible")) return refused;
  first.submit();
  const pending = batch?.pending ?? [];
  const corrupt = pending.some((id) => files.results.get(id) === "corrupt");
  if (corrupt && !first.fixed("defect 17")) return crashed;
  for (const id of pending) {
    const result = files.results.get(id);
    const task = first.task(id);
    if (!batch || !result || result === "corrupt" || (!task && first.fixed("defect 17"))) continue;
    move(first, batch, { id, status: result });
    if (task?.status !== "running" || !first.fixed("recover takes results over")) continue;
    endAs(first, task, result === "success" ? "complete" : "failed");
    if (result === "success") continue;
    task.failure = { category: "test", retryable: true };
    blockDependents(first, task);
  }
  return done;
}
