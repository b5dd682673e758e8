// A person's own list of tasks (X28): YAML, JSON, or one sentence per task, read into task files. What is wrong is said with
// file and line and what to write instead, all of it at once. Nothing here touches a run.
import * as z from "zod";
import type { Hint } from "../../../core/hint.ts";
import { closest, type Problem, problem } from "../../../core/problem.ts";
import { isAlwaysGreen } from "../../../protocols/always-green.ts";
import { parseDocument, placeOf, visible } from "../../../protocols/document.ts";
import { pathFault } from "../../../protocols/target-path.ts";
import { parseYaml } from "../../../protocols/yaml.ts";
import { commandFault } from "../checks/task-command.ts";

export interface GivenTask {
  /** As the list calls it; nothing when it has no name of its own. */
  readonly key: string | undefined;
  readonly text: string;
  readonly name: string;
  readonly checks: readonly string[];
  readonly depends: readonly string[];
  readonly files: readonly string[];
  readonly tags: readonly string[];
  readonly exclusive: readonly string[];
  readonly hours: number | undefined;
  readonly unchecked: boolean;
}

/** What a list says, and where each thing stands in it. */
export interface TaskList {
  readonly tasks: readonly GivenTask[];
  readonly problemAt: (pointer: string, about: Said) => Problem;
  /** Of the task at this place in the list. */
  readonly pointerOf: (index: number) => string;
}

interface Said {
  readonly code: string;
  readonly message: string;
  readonly hint: Hint;
}

const words = z.union([z.string(), z.array(z.union([z.string(), z.number()]))]);
const [mostTasks, mostText, mostSource] = [2000, 20_000, 160];

const entry = z.strictObject({
  id: z.union([z.string(), z.number()]).optional(),
  task: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  check: words.optional(),
  checks: words.optional(),
  depends: z.union([words, z.number()]).optional(),
  files: words.optional(),
  tags: words.optional(),
  exclusive: words.optional(),
  hours: z.number().positive().optional(),
  unchecked: z.boolean().optional(),
});
const entryKeys = Object.keys(entry.shape);
const listKeys = ["tasks", "check", "checks"];

interface Document {
  readonly value: unknown;
  readonly problemAt: TaskList["problemAt"];
}

export function readList(file: string, text: string): TaskList | { readonly problems: readonly Problem[] } {
  const document = openList(file, text);
  if ("problems" in document) return document;
  const { value, problemAt } = document;
  const isWhole = isRecord(value);
  const list = isWhole ? value.tasks : value;
  const base = isWhole ? "/tasks" : "";
  const problems = isWhole ? unknownKeys(value, { known: listKeys, base: "", problemAt }) : [];
  if (!Array.isArray(list) || list.length === 0)
    return { problems: [...problems, problemAt(base, notAList)] };
  if (list.length > mostTasks)
    return {
      problems: [problemAt(base, { ...notAList, message: `the list has more than ${mostTasks} tasks` })],
    };
  const common = isWhole ? listed(value.check ?? value.checks) : [];
  const tasks = list.map((each, index) => {
    const read = readEntry(each, { base: `${base}/${index}`, problemAt, common });
    if ("problems" in read) problems.push(...read.problems);
    return "problems" in read ? undefined : read;
  });
  const right = tasks.filter((task) => task !== undefined);
  const pointerOf = (index: number) => `${base}/${index}`;
  problems.push(...doubled(right, { problemAt, pointerOf }));
  return problems.length > 0 ? { problems } : { tasks: right, problemAt, pointerOf };
}

const notAList: Said = {
  code: "no-tasks",
  message: "there is no list of tasks",
  hint: "write `tasks:` and under it one line per task, such as `- Add a --version flag`",
};

/** One task per sentence, as typed on the command line. */
export function listOf(sentences: readonly string[], more: Partial<GivenTask> = {}): TaskList {
  const problemAt = (_pointer: string, { code, message, hint }: Said) => problem(code, message, { hint });
  return { tasks: sentences.map((text) => ({ ...given(text), ...more })), problemAt, pointerOf: () => "" };
}

function openList(file: string, text: string): Document | { readonly problems: readonly Problem[] } {
  if (/\.json$/i.test(file)) {
    const document = parseDocument(file, text, { maxLength: 1024 * 1024 });
    if ("problems" in document) return document;
    const problemAt = (pointer: string, { code, message, hint }: Said) =>
      problem(code, message, { place: placeOf(document, pointer), hint });
    return { value: document.value, problemAt };
  }
  const document = parseYaml(file, text);
  if ("problems" in document) return document;
  const lines = text.split(/\r?\n/);
  const problemAt = (pointer: string, { code, message, hint }: Said) => {
    const line = document.lineOf(pointer);
    const source = visible(lines[line - 1] ?? "").slice(0, mostSource);
    const column = source.search(/\S/) + 1 || 1;
    return problem(code, message, { place: { file, line, column, source }, hint });
  };
  return { value: document.value, problemAt };
}

interface Reading {
  readonly base: string;
  readonly problemAt: TaskList["problemAt"];
  readonly common: readonly string[];
}

type Read = GivenTask | { readonly problems: readonly Problem[] };

function readEntry(value: unknown, reading: Reading): Read {
  const { base, problemAt, common } = reading;
  if (typeof value === "string") return checkedEntry({ ...given(value), checks: common }, reading);
  const parsed = entry.safeParse(value);
  if (!parsed.success) return { problems: entryProblems(value, { ...reading, issues: parsed.error.issues }) };
  const { data } = parsed;
  const text = data.task ?? data.name ?? data.description;
  if (text === undefined)
    return { problems: [problemAt(base, { ...noText, message: "this task does not say what to do" })] };
  const own = listed(data.check ?? data.checks);
  const long = [text, data.description].filter((part) => part !== undefined && part !== "");
  return checkedEntry(
    {
      ...given([...new Set(long)].join("\n\n")),
      ...(data.name !== undefined && { name: titleOf(data.name) }),
      key: data.id === undefined ? undefined : String(data.id),
      checks: own.length > 0 || data.unchecked ? own : common,
      depends: listed(data.depends),
      files: listed(data.files),
      tags: listed(data.tags),
      exclusive: listed(data.exclusive),
      hours: data.hours,
      unchecked: data.unchecked === true && own.length === 0,
    },
    reading,
  );
}

const noText: Said = { code: "no-text", message: "", hint: "write `task: <what to do>`" };

function checkedEntry(task: GivenTask, { base, problemAt }: Reading): Read {
  const problems: Problem[] = [];
  if (task.text.trim() === "")
    problems.push(problemAt(base, { ...noText, message: "this task does not say what to do" }));
  if (task.text.length > mostText)
    problems.push(
      problemAt(base, {
        code: "too-long",
        message: `this task has more than ${mostText} characters`,
        hint: "put the details into a file of the repository and name it in the task",
      }),
    );
  for (const command of task.checks) {
    const fault = command.trim() === "" ? "is blank" : commandFault(command);
    if (fault === undefined && isAlwaysGreen(command))
      problems.push(problemAt(`${base}/check`, green(command)));
    if (fault !== undefined)
      problems.push(
        problemAt(`${base}/check`, {
          code: "bad-command",
          message: `the check \`${command}\` ${fault}`,
          hint: "write a command that a shell can run, such as `check: npm test`",
        }),
      );
  }
  for (const path of task.files) {
    const fault = pathFault(path);
    if (fault !== undefined)
      problems.push(
        problemAt(`${base}/files`, {
          code: "bad-path",
          message: `\`${path}\` ${fault}`,
          hint: "write paths from the project's folder, such as `src/login.ts`",
        }),
      );
  }
  return problems.length > 0 ? { problems } : task;
}

/** Also said of `--check`. */
export const green = (command: string): Said => ({
  code: "empty-command",
  message: `the check \`${command}\` passes no matter what the task does`,
  hint: "write a command that fails when the work is wrong; --unchecked works without one, and shows it as unverified",
});

function entryProblems(
  value: unknown,
  { base, problemAt, issues }: Reading & { readonly issues: readonly z.core.$ZodIssue[] },
): Problem[] {
  if (!isRecord(value))
    return [
      problemAt(base, {
        code: "bad-task",
        message: "a task is a sentence, or a map with `task:`",
        hint: 'put the sentence in quotes if it has a colon: - "fix: the parser"',
      }),
    ];
  const unknown = unknownKeys(value, { known: entryKeys, base, problemAt });
  // `- fix the parser: it loops` is a map to YAML, and a sentence to a person.
  const [only = ""] = Object.keys(value);
  if (unknown.length === 1 && Object.keys(value).length === 1 && typeof value[only] === "string")
    return [
      problemAt(base, {
        code: "bad-task",
        message: "a sentence with a colon must stand in quotes",
        hint: `- ${JSON.stringify(`${only}: ${String(value[only])}`)}`,
      }),
    ];
  const wrong = issues
    .filter(({ code }) => code !== "unrecognized_keys")
    .map(({ path }) =>
      problemAt(`${base}/${path.join("/")}`, {
        code: "bad-task",
        message: `\`${String(path[0])}\` is not as expected`,
        hint: expected[String(path[0])] ?? `write \`${String(path[0])}: <text>\``,
      }),
    );
  return [...unknown, ...wrong];
}

const expected: Readonly<Record<string, string>> = {
  check: "write `check: npm test`, or a list of commands",
  checks: "write `checks:` and a list of commands",
  depends: "write `depends: [1, 2]` with numbers or ids of tasks in this list",
  files: "write `files: [src/a.ts, src/b.ts]`",
  hours: "write a number, such as `hours: 2`",
  unchecked: "write `unchecked: true`",
};

function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  { known, base, problemAt }: { known: readonly string[]; base: string } & Pick<TaskList, "problemAt">,
): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = closest(key, known);
      return problemAt(`${base}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, {
        code: "unknown-key",
        message: `\`${key}\` is not a key of a ${base === "" ? "list" : "task"}`,
        hint: meant === undefined ? `the keys are ${known.join(", ")}` : `did you mean \`${meant}\`?`,
      });
    });
}

function doubled(
  tasks: readonly GivenTask[],
  { problemAt, pointerOf }: Pick<TaskList, "problemAt" | "pointerOf">,
): Problem[] {
  const seen = new Set<string>();
  return tasks.flatMap(({ key }, index) => {
    const isSecond = key !== undefined && seen.has(key);
    if (key !== undefined) seen.add(key);
    return isSecond
      ? [
          problemAt(`${pointerOf(index)}/id`, {
            code: "duplicate-id",
            message: `two tasks have the id \`${key}\``,
            hint: "give one of them another id",
          }),
        ]
      : [];
  });
}

function given(text: string): GivenTask {
  const none = { checks: [], depends: [], files: [], tags: [], exclusive: [] };
  return {
    key: undefined,
    text: text.trim(),
    name: titleOf(text),
    ...none,
    hours: undefined,
    unchecked: false,
  };
}

const mostName = 100;

/** The first line, made fit to be shown; the whole text is the description. */
function titleOf(text: string): string {
  const [first = ""] = text.trim().split(/\r?\n/);
  const shown = visible(first).replaceAll("\uFFFD", " ").trim();
  return shown.length > mostName ? `${shown.slice(0, mostName - 1).trimEnd()}…` : shown;
}

function listed(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
