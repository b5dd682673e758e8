// The first implementation's commands about the plan: init, status, advance, validate, load (facts §1.2, §1.5).
import {
  type CommandShape,
  type First,
  type Outcome,
  ok,
  refused,
  type State,
  type TaskRecord,
  type Words,
} from "./first.ts";

export const phases = [
  "ingestion",
  "logical",
  "physical",
  "definition",
  "validation",
  "sequencing",
  "ready",
  "executing",
  "complete",
];
const verdicts = ["READY", "READY_WITH_NOTES", "BLOCKED"];
type MapName = "capability_map" | "physical_map";

export const planCommands: Readonly<Record<string, CommandShape>> = {
  init: {
    needs: 1,
    takes: 1,
    apart: true,
    stateless: init,
    run: (first, words) => (first.fixed("init never overwrites") ? refused : init(first, words)),
  },
  status: { needs: 0, takes: 0, looks: true, run: status },
  advance: { needs: 0, takes: 0, run: advance },
  validate: {
    needs: 1,
    takes: 1,
    check: (first, { args: [name = ""] }) =>
      name === "capability_map" || name === "physical_map" ? undefined : first.usage,
    run: validate,
  },
  "load-tasks": { needs: 0, takes: 0, run: load },
  "validate-tasks": {
    needs: 1,
    takes: Number.POSITIVE_INFINITY,
    flags: { issues: "many" },
    check: (first, { args: [word = ""] }) =>
      verdicts.includes(word.toUpperCase()) ? undefined : first.usage,
    run: validateTasks,
  },
};

function init(first: First, { args: [target = ""] }: Words): Outcome {
  first.files.cut = false;
  first.state = {
    target,
    phase: "ingestion",
    completed: [],
    tasks: new Map(),
    artifacts: {},
    verdict: null,
    counts: { complete: 0, failed: 0 },
    active: [],
    tokens: 0,
    cost: 0,
    halt: null,
    calibration: { total: 0, correct: 0, positives: [], negatives: [] },
    retired: new Map(),
  };
  return ok(`Initialized state for <root>/${target}`);
}

function status(first: First): Outcome {
  return ok(`Phase: ${first.now.phase}`, `Tasks: ${first.now.tasks.size}`);
}

function advance(first: First): Outcome {
  first.submit();
  const { now } = first;
  if (!mayLeave(first, now)) return refused;
  const to = phases[phases.indexOf(now.phase) + 1] ?? "";
  const line = `Advanced from ${now.phase} to ${to}`;
  now.completed.push(now.phase);
  now.phase = to;
  return ok(line);
}

function mayLeave(first: First, now: State): boolean {
  const tasks = [...now.tasks.values()];
  switch (now.phase) {
    case "ingestion":
    case "sequencing":
    case "ready":
      return true;
    case "logical":
      return counts(first, "capability_map");
    case "physical":
      return counts(first, "physical_map");
    case "definition":
      return tasks.length > 0;
    case "validation":
      return now.verdict !== null && now.verdict !== "BLOCKED" && counts(first, "verdict");
    case "executing":
      return tasks.every(({ status: each }) =>
        first.fixed("defect 2")
          ? ["complete", "skipped"].includes(each)
          : ["complete", "blocked"].includes(each),
      );
    default:
      return false;
  }
}

/** The text of a file as it is now, by the name of what is made of it. */
function textNow({ files }: First, name: string): string {
  if (name === "spec") return files.spec;
  if (name === "tasks") return JSON.stringify([...files.tasks].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return name in files.maps ? files.maps[name as MapName].text : "a word";
}

/** Whether an artifact is right, and, where changes count, neither it nor anything before it has changed since. */
function counts(first: First, name: string): boolean {
  const artifact = first.now.artifacts[name];
  if (!artifact?.valid) return false;
  return !first.fixed("defect 3") || (artifact.text === textNow(first, name) && isCurrent(first, name));
}

function isCurrent(first: First, name: string): boolean {
  return Object.entries(first.now.artifacts[name]?.from ?? {}).every(
    ([from, text]) => text === textNow(first, from) && isCurrent(first, from),
  );
}

const madeFrom = { capability_map: "spec", physical_map: "capability_map", tasks: "physical_map" } as const;

function validate(first: First, { args: [word = ""] }: Words): Outcome {
  first.submit();
  const name = word as MapName;
  const { text, valid: right } = first.files.maps[name];
  const elsewhere = name === "physical_map" && first.now.target !== "app";
  const valid = right && !(elsewhere && first.fixed("artifacts are checked beyond their schema"));
  const from = { [madeFrom[name]]: textNow(first, madeFrom[name]) };
  if (valid || first.fixed("defect 3")) first.now.artifacts[name] = { valid, text, from };
  if (!valid) return refused;
  return ok(first.fixed("lines say more") ? `Validated successfully: ${name}` : "Validated successfully");
}

function validateTasks(first: First, { args: [word = "", ...summary] }: Words): Outcome {
  const { now } = first;
  const verdict = word.toUpperCase();
  if (first.fixed("a verdict is about the plan that is loaded")) {
    first.look();
    if (now.tasks.size === 0 || now.artifacts.tasks?.text !== textNow(first, "tasks")) return refused;
  }
  first.submit();
  const blocked = verdict === "BLOCKED";
  if (!blocked || first.fixed("defect 3")) {
    now.verdict = verdict;
    now.artifacts.verdict = { valid: true, text: "a word", from: { tasks: textNow(first, "tasks") } };
  }
  if (!blocked) return ok(`Task validation complete: ${verdict}`);
  const exit = first.fixed("BLOCKED is registered") ? 0 : 1;
  return { exit, lines: [`Task validation blocked: ${summary.join(" ")}`] };
}

function load(first: First): Outcome {
  const { files, now } = first;
  if (files.tasks.size === 0 && first.fixed("an empty plan is refused")) return refused;
  if (first.fixed("defect 10") && !isSound(files.tasks)) return refused;
  first.submit();
  const before = new Map([...now.tasks].map(([id, { name, deps }]) => [id, { name, deps }]));
  if (first.fixed("a running task keeps its file") && isPulledAway(first)) return refused;
  const keeps = first.fixed("defect 9");
  for (const [id, { name, deps }] of files.tasks) {
    const old = now.tasks.get(id);
    if (old && keeps && old.name === name) old.deps = deps;
    else
      now.tasks.set(id, {
        ...fresh(id),
        name,
        deps,
        attempts: keeps ? (old?.attempts ?? now.retired.get(id) ?? 0) : 0,
      });
  }
  if (keeps) forgetGone(first);
  const text = textNow(first, "tasks");
  now.artifacts.tasks = { valid: true, text, from: { physical_map: textNow(first, "physical_map") } };
  const line = `Loaded ${files.tasks.size} tasks`;
  return first.fixed("lines say more") ? ok(`${line} (${changes(first, before)})`) : ok(line);
}

const fresh = (id: string): TaskRecord => ({
  id,
  name: "",
  deps: [],
  status: "pending",
  attempts: 0,
  error: null,
  failure: null,
  files: "|",
  verification: null,
});

function isPulledAway({ files, now }: First): boolean {
  return [...now.tasks.values()].some(
    ({ id, name, status: each }) => each === "running" && files.tasks.get(id)?.name !== name,
  );
}

/** Tasks whose file is gone, and what was counted of them. */
function forgetGone({ files, now }: First): void {
  for (const [id, { attempts }] of now.tasks) {
    if (files.tasks.has(id)) continue;
    now.retired.set(id, attempts);
    now.tasks.delete(id);
  }
  const all = [...now.tasks.values()];
  now.active = now.active.filter((id) => now.tasks.get(id)?.status === "running");
  now.counts.complete = all.filter((task) => task.status === "complete").length;
  now.counts.failed = all.filter((task) => task.status === "failed").length;
}

function changes(
  { files }: First,
  before: ReadonlyMap<string, { name: string; deps: readonly string[] }>,
): string {
  const added = [...files.tasks.keys()].filter((id) => !before.has(id)).length;
  const changed = [...files.tasks].filter(([id, { name, deps }]) => {
    const old = before.get(id);
    return old && (old.name !== name || old.deps.join() !== deps.join());
  }).length;
  const gone = [...before.keys()].filter((id) => !files.tasks.has(id)).length;
  return `${added} new, ${changed} changed, ${gone} gone`;
}

/** No dependency is missing, and none leads back. */
function isSound(tasks: First["files"]["tasks"]): boolean {
  const left = new Map(tasks);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [id, { deps }] of left) {
      if (!deps.every((each) => tasks.has(each))) return false;
      if (deps.every((each) => !left.has(each))) left.delete(id);
    }
  }
  return left.size === 0;
}
