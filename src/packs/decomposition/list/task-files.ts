// From a list to the task files of a run: ids, what depends on what, and the checks. Pure.
import { findCycle } from "../../../core/graph/graph.ts";
import { toCall } from "../../../core/hint.ts";
import { closest, type Problem } from "../../../core/problem.ts";
import { isAlwaysGreen } from "../../../protocols/always-green.ts";
import type { TaskFile } from "../artifacts/task-file.ts";
import { type GivenTask, green, type TaskList } from "./read-list.ts";

export interface Filling {
  /** Commands for tasks that name none: said with `--check`, or found in the project. */
  readonly checks: readonly string[];
  /** Whether a task that nothing checks may be worked on. */
  readonly unchecked: boolean;
  /** Whether the target has this file: it tells a change from a new file. */
  readonly exists: (path: string) => boolean;
  /** Tasks of a run that was begun from the same list, by their words: they keep their ids, wherever they stand now. */
  readonly known?: ReadonlyMap<string, string>;
}

export function taskFilesOf(
  list: TaskList,
  filling: Filling,
): { readonly tasks: readonly TaskFile[] } | { readonly problems: readonly Problem[] } {
  const empty = filling.checks.find(isAlwaysGreen);
  if (empty !== undefined) return { problems: [list.problemAt("", green(empty))] };
  const ids = idsOf(list.tasks, filling.known ?? new Map());
  const problems: Problem[] = [];
  const tasks = list.tasks.map((task, index): TaskFile => {
    const checks = task.checks.length > 0 || task.unchecked ? task.checks : filling.checks;
    const isUnchecked = checks.length === 0 && (task.unchecked || filling.unchecked);
    if (checks.length === 0 && !isUnchecked) problems.push(noCheck(list, index));
    const before = task.depends.map((word) => {
      const id = meant(word, { list, ids });
      if (id === undefined || id === ids[index]) problems.push(unknownTask(list, index, word));
      return id ?? "T0";
    });
    return {
      id: ids[index] ?? "",
      name: task.name,
      phase: 1,
      given: true,
      description: task.text,
      behaviors: [],
      files: task.files.map((path) => ({ path, action: filling.exists(path) ? "modify" : "create" })),
      ...(before.length > 0 && { dependencies: { tasks: before } }),
      acceptance_criteria: checks.map((command) => ({
        criterion: `\`${command}\` passes`,
        verification: command,
      })),
      ...(task.hours !== undefined && { estimate_hours: task.hours }),
      ...(task.tags.length > 0 && { tags: [...task.tags] }),
      ...(task.exclusive.length > 0 && { exclusive: [...task.exclusive] }),
      ...(isUnchecked && { unchecked: true as const }),
    };
  });
  if (problems.length === 0) problems.push(...circular(list, tasks));
  return problems.length > 0 ? { problems } : { tasks };
}

function circular({ problemAt, pointerOf }: TaskList, tasks: readonly TaskFile[]): Problem[] {
  const nodes = tasks.map(({ id, dependencies }) => ({ id, dependsOn: dependencies?.tasks ?? [], hours: 1 }));
  const all = new Set(nodes.map(({ id }) => id));
  if (nodes.some(({ dependsOn }) => dependsOn.some((id) => !all.has(id)))) return [];
  const circle = findCycle(nodes);
  if (!circle) return [];
  const first = tasks.findIndex(({ id }) => id === circle[0]);
  return [
    problemAt(`${pointerOf(first)}/depends`, {
      code: "cycle",
      message: `these tasks wait for one another: ${circle.join(" -> ")}`,
      hint: "remove one of these `depends`",
    }),
  ];
}

/** An id of ours is kept; whatever else a list calls its tasks, they are numbered in its order. */
function idsOf(tasks: readonly GivenTask[], known: ReadonlyMap<string, string>): string[] {
  const own = tasks.flatMap(({ key }) => (key !== undefined && isId(key) ? [key] : []));
  const taken = new Set([...own, ...known.values()]);
  const left = new Map(known);
  let n = 0;
  const next = () => {
    let id: string;
    do id = `T${String(++n).padStart(3, "0")}`;
    while (taken.has(id));
    return id;
  };
  return tasks.map(({ key, text }) => {
    if (key !== undefined && isId(key)) return key;
    const before = left.get(text);
    left.delete(text);
    return before === undefined || own.includes(before) ? next() : before;
  });
}

const isId = (word: string) => /^T\d{1,6}$/.test(word);

interface Known {
  readonly list: TaskList;
  readonly ids: readonly string[];
}

/** By the id in the list, by heddle's own, by its place in the list, or by its words. */
function meant(word: string, { list, ids }: Known): string | undefined {
  const { tasks } = list;
  const byKey = tasks.findIndex(({ key }) => key === word);
  if (byKey >= 0) return ids[byKey];
  if (ids.includes(word)) return word;
  if (/^\d{1,6}$/.test(word)) return ids[Number(word) - 1];
  const byText = tasks.findIndex(({ name, text }) => name === word || text === word);
  return byText >= 0 ? ids[byText] : undefined;
}

function unknownTask({ tasks, problemAt, pointerOf }: TaskList, index: number, word: string): Problem {
  const keys = tasks.flatMap(({ key }, at) => (at === index ? [] : [key ?? String(at + 1)]));
  const near = closest(word, keys);
  return problemAt(`${pointerOf(index)}/depends`, {
    code: "unknown-task",
    message: `\`depends\` names \`${word}\`, and no other task of this list has that id or number`,
    hint:
      near === undefined
        ? `name one of ${keys.slice(0, 8).join(", ") || "the other tasks"}`
        : `did you mean \`${near}\`?`,
  });
}

/** Work that nothing checks would be merged on an agent's word. */
function noCheck({ tasks, problemAt, pointerOf }: TaskList, index: number): Problem {
  return problemAt(pointerOf(index), {
    code: "no-check",
    message: `nothing checks the task \`${tasks[index]?.name ?? ""}\`, and no test command was found in the project`,
    hint: [
      "add `check: <command>` to it, or: ",
      toCall('run … --check "<command>"'),
      "; --unchecked merges it without a check, and shows it as unverified",
    ],
  });
}
