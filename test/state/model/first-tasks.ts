// The first implementation's commands about tasks (facts §1.4).
import {
  type CommandShape,
  crashed,
  done,
  type First,
  type Outcome,
  ok,
  refused,
  type TaskRecord,
  type Words,
} from "./first.ts";

const one = { needs: 1, takes: 1 } as const;
/** Without a state it ends in a traceback. */
const stateless = (first: First) => (first.fixed("defect 14") ? refused : crashed);

export const taskCommands: Readonly<Record<string, CommandShape>> = {
  "ready-tasks": { needs: 0, takes: 0, looks: true, run: readyTasks },
  "start-task": { ...one, flags: { force: "switch" }, stateless, run: start },
  "complete-task": {
    ...one,
    flags: { created: "many", modified: "many", attempt: "one" },
    stateless,
    run: complete,
  },
  "fail-task": {
    needs: 2,
    takes: Number.POSITIVE_INFINITY,
    flags: { category: "one", retryable: "switch", "no-retry": "switch", keep: "switch" },
    stateless,
    check: (first, words) => {
      const category = words.flags.get("category")?.[0] ?? "";
      return first.fixed("wrong words are errors") && category === "odd" ? first.usage : undefined;
    },
    run: fail,
  },
  "retry-task": { ...one, flags: { force: "switch", keep: "switch" }, run: retry },
  "skip-task": { needs: 1, takes: Number.POSITIVE_INFINITY, run: skip },
};

function readyTasks(first: First): Outcome {
  const ready = [...first.now.tasks.values()].filter(
    (task) => task.status === "pending" && task.deps.every((id) => isSettled(first, id)),
  );
  if (first.fixed("ready tasks are ranked")) {
    const length = new Map(ready.map((task) => [task.id, chainFrom(first, task)]));
    ready.sort((a, b) => (length.get(b.id) ?? 0) - (length.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1));
  }
  return ok(...ready.map(({ id, name }) => `${id}: ${name} (phase 1)`));
}

function isSettled(first: First, id: string): boolean {
  const task = first.task(id);
  return task?.status === "skipped" || (task?.status === "complete" && !first.isHeld(task));
}

/** How many tasks the longest chain has that begins with this one; they all take as long. */
function chainFrom(first: First, task: TaskRecord): number {
  return 1 + Math.max(0, ...first.dependents(task.id).map((each) => chainFrom(first, each)));
}

function start(first: First, { args: [id], flags }: Words): Outcome {
  first.submit();
  const { now } = first;
  const task = first.task(id);
  if (!task) return refused;
  if (first.fixed("defect 13")) {
    if (now.halt || (now.phase !== "ready" && now.phase !== "executing")) return refused;
  }
  const again = task.status === "failed" && first.fixed("starting a failed task retries it");
  if (task.status !== "pending" && !again) return refused;
  if (again && isFinal(first, task, flags)) return refused;
  if (!task.deps.every((each) => allowsStart(first, each))) return refused;
  if (now.phase === "ready" && first.fixed("the first start begins execution")) {
    now.completed.push("ready");
    now.phase = "executing";
  }
  if (again) putBack(first, task);
  task.status = "running";
  task.attempts++;
  now.active.push(task.id);
  if (first.fixed("a result belongs to its attempt")) first.files.results.delete(task.id);
  return ok(`Task ${task.id} started (attempt ${task.attempts})`);
}

function allowsStart(first: First, id: string): boolean {
  const task = first.task(id);
  if (task?.status === "skipped") return first.fixed("defect 1");
  if (task?.status !== "complete") return false;
  return !(first.isHeld(task) && first.fixed("held work is not ready"));
}

function isFinal(first: First, task: TaskRecord, flags: Words["flags"]): boolean {
  return first.fixed("defect 6") && task.failure?.retryable === false && !flags.has("force");
}

function complete(first: First, { args: [id], flags }: Words): Outcome {
  first.submit();
  const task = first.task(id);
  if (task?.status !== "running") return refused;
  endAs(first, task, "complete");
  task.files = `${flags.get("created")?.join(",") ?? ""}|${flags.get("modified")?.join(",") ?? ""}`;
  return ok(`Task ${task.id} completed`);
}

/** A running task ends; also as `checkpoint recover` takes a result over. */
export function endAs(first: First, task: TaskRecord, status: "complete" | "failed"): void {
  const { now } = first;
  task.status = status;
  task.files = "|";
  now.active = now.active.filter((each) => each !== task.id);
  now.counts[status]++;
}

const categories = ["dependency", "implementation", "verification", "environment", "scope", "other"];

function fail(first: First, { args: [id], flags }: Words): Outcome {
  first.submit();
  const task = first.task(id);
  if (!task || (task.status !== "running" && first.fixed("defect 7"))) return refused;
  const given = flags.get("category")?.[0] ?? "other";
  const category = first.fixed("defect 6") || categories.includes(given) ? given : "other";
  endAs(first, task, "failed");
  task.failure = { category, retryable: !flags.has("no-retry") };
  blockDependents(first, task);
  return done;
}

export function blockDependents(first: First, task: TaskRecord): void {
  for (const dependent of reached(first, task)) {
    if (first.fixed("defect 7") && dependent.status !== "pending") continue;
    dependent.status = "blocked";
    dependent.error = `Blocked by failed task ${task.id}`;
  }
}

/** Its dependents, one level deep or all. */
function reached(first: First, task: TaskRecord): TaskRecord[] {
  const found = new Set(first.dependents(task.id));
  if (first.fixed("defect 8"))
    for (const each of found) for (const next of first.dependents(each.id)) found.add(next);
  return [...found];
}

/** Back to pending. */
function putBack(first: First, task: TaskRecord): void {
  const { now } = first;
  if (task.status === "failed") now.counts.failed--;
  now.active = now.active.filter((each) => each !== task.id);
  task.status = "pending";
  task.error = null;
  if (first.fixed("a new try is judged anew")) task.verification = null;
  for (const dependent of reached(first, task)) {
    if (dependent.status !== "blocked" || dependent.error !== `Blocked by failed task ${task.id}`) continue;
    dependent.status = "pending";
    dependent.error = null;
  }
}

function retry(first: First, { args: [id], flags }: Words): Outcome {
  first.submit();
  const task = first.task(id);
  if (!task) return refused;
  if (task.status === "running" && !first.fixed("defect 4")) return refused;
  if (task.status === "blocked" && first.fixed("retrying a blocked task retries its causes")) {
    const causes = causesOf(first, task);
    if (causes.length === 0 || causes.some((each) => isFinal(first, each, flags))) return refused;
    for (const cause of causes) putBack(first, cause);
    return done;
  }
  if (task.status !== "failed" && task.status !== "blocked" && task.status !== "running") return refused;
  if (task.status === "failed" && isFinal(first, task, flags)) return refused;
  putBack(first, task);
  return done;
}

/** The failed tasks behind a blocked one. */
function causesOf(first: First, blocked: TaskRecord): TaskRecord[] {
  const seen = new Set<TaskRecord>([blocked]);
  for (const task of seen) {
    for (const id of task.status === "blocked" ? task.deps : []) {
      const dependency = first.task(id);
      if (dependency) seen.add(dependency);
    }
  }
  return [...seen].filter((task) => task.status === "failed");
}

function skip(first: First, { args: [id] }: Words): Outcome {
  first.submit();
  const task = first.task(id);
  if (!task || !["pending", "blocked", "failed"].includes(task.status)) return refused;
  if (task.status === "failed") first.now.counts.failed--;
  task.status = "skipped";
  for (const dependent of first.dependents(task.id)) {
    const free = dependent.deps.every((each) =>
      ["complete", "skipped"].includes(first.task(each)?.status ?? ""),
    );
    if (dependent.status === "blocked" && free) dependent.status = "pending";
  }
  return done;
}
