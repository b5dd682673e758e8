// `heddle show T001`, `heddle diff [T001]`, `heddle open T001`: everything about one task, what was changed, and where it was worked
// on (X30). They change nothing.
import { spawnSync } from "node:child_process";
import { type Call, type Command, exits, type Reply, Usage } from "../../command/command.ts";
import { canAsk } from "../../command/terminal/prompts.ts";
import { find } from "../../core/answer.ts";
import { isProblem, problem } from "../../core/problem.ts";
import { type Run, type Task, taskOf } from "../../core/run.ts";
import { statusOf } from "../../core/task.ts";
import { whyTask } from "../../core/why.ts";
import { type App, Refused } from "../../engine/app.ts";
import { packs } from "../../packs/packs.ts";
import { hintText, type Manner } from "../../view/hint.ts";
import { oneLine, safe } from "../../view/safe.ts";
import type { ChangeOf } from "../../watch/change-of.ts";
import { descriptionOf } from "../../watch/task-text.ts";

const withGraph = packs.filter((pack) => pack.hasTasks).map(({ name }) => name);
const task = { name: "task", about: "a task id" } as const;

export const show: Command = {
  name: "show",
  summary: "show one task: files, criteria, dependencies, why it is in its state, evidence, diff",
  brief: "show one task: files, criteria, why, evidence, diff",
  group: "look",
  args: [task],
  examples: ["heddle show T001", "heddle show T001 --json"],
  run: async (call) => {
    const [id = ""] = call.args;
    const single = /^task-\d+$/.test(id) ? await named(call, "task show") : undefined;
    if (single) return single.run(call);
    const app = await withTasks(call);
    const about = await app.look((run) => {
      const found = find(run, id);
      if (isProblem(found)) throw new Refused([found]);
      return aboutTask(run, found);
    });
    const { changeOf } = await import("../../watch/change-of.ts");
    const change = await changeOf(app, id);
    return { text: showText(about, change, call.manner), json: { ...about, change: change ?? null } };
  },
};

async function named({ commands }: Call, name: string): Promise<Command | undefined> {
  return (await commands()).find((command) => command.name === name);
}

/** Of a plan or a mission: a single task of `heddle task` has commands of its own. */
async function withTasks({ app }: Pick<Call, "app">): Promise<App> {
  return (await app()).preferring(...withGraph);
}

type TaskDetails = ReturnType<typeof aboutTask>;

function aboutTask(run: Run, found: Task) {
  const { def, attempts, evidence, commit, done, dependents, costUsd } = found;
  const why = whyTask(run, found);
  const stateOf = (id: string) => ({ task: id, status: statusOf(taskOf(run, id)) });
  return {
    run: run.id,
    task: def.id,
    name: def.name,
    description: descriptionOf(run, found),
    status: why.status,
    verified: done === "verified",
    files: def.files,
    criteria: def.criteria.map(({ criterion, command }) => ({ criterion, command })),
    depends_on: def.dependsOn.map(stateOf),
    needed_by: dependents.map(stateOf),
    why: why.reasons,
    hint: why.hint,
    attempts,
    commit,
    cost_usd: costUsd,
    evidence: evidence?.checks ?? [],
  };
}

const shownLines = 60;

function showText(about: TaskDetails, change: ChangeOf | undefined, manner: Manner): string {
  const { task: id, name, status, verified, description, attempts, commit } = about;
  const mark = status === "complete" && !verified ? " (unverified)" : "";
  const tries = attempts > 1 ? `, attempt ${attempts}` : "";
  const rows: [string, readonly string[]][] = [
    ["what", description === null ? [] : description.split("\n")],
    ["files", about.files.map(({ path, action }) => `${path} (${action})`)],
    ["criteria", criteriaLines(about)],
    ["waits for", about.depends_on.map((each) => `${each.task} (${each.status})`)],
    ["needed by", about.needed_by.map((each) => `${each.task} (${each.status})`)],
    ["why", about.why],
    ["commit", commit === null ? [] : [commit.slice(0, 12)]],
    ["changed", change ? change.files.slice(0, 20).map(({ path, status: how }) => `${path} (${how})`) : []],
  ];
  const lines = rows.flatMap(([label, values]) =>
    values.map((value, at) => `  ${(at === 0 ? label : "").padEnd(10)} ${oneLine(value)}`),
  );
  return [
    `${id}  ${oneLine(name)}  ${status}${mark}${tries}`,
    ...lines,
    ...diffLines(change, id),
    ...(about.hint === null ? [] : [`hint: ${hintText(about.hint, manner)}`]),
  ].join("\n");
}

/** What must hold, and what heddle saw when it last ran the commands. */
function criteriaLines({ criteria, evidence }: TaskDetails): string[] {
  return criteria.flatMap(({ criterion, command }) => {
    const seen = evidence.find((check) => check.command === command);
    const verdict = seen ? (seen.ok ? "passed" : (seen.note ?? `exit ${seen.exit}`)) : "not run yet";
    const log = seen && !seen.ok ? [`  whole log: ${seen.log}.out and ${seen.log}.err`] : [];
    return [`${criterion}`, `  ${command}: ${verdict}`, ...log];
  });
}

function diffLines(change: ChangeOf | undefined, id: string): string[] {
  if (!change) return [];
  const lines = safe(change.diff).trimEnd().split("\n");
  const more = lines.length - shownLines;
  return [
    "",
    ...lines.slice(0, shownLines),
    ...(more > 0 ? [`… ${more} more lines: heddle diff ${id}`] : []),
  ];
}

export const diff: Command = {
  name: "diff",
  summary: "print what a task changed, or the whole run",
  group: "look",
  args: [{ ...task, optional: true }],
  flags: { stat: { about: "only the names of the files" } },
  examples: ["heddle diff", "heddle diff T001", "heddle diff T001 | less"],
  run: async (call): Promise<Reply> => {
    const [id] = call.args;
    const app = await withTasks(call);
    const { changeOf } = await import("../../watch/change-of.ts");
    const change = await changeOf(app, id);
    if (!change) {
      const what = id === undefined ? "the run" : id;
      return { text: `${what} has changed nothing yet`, json: null, exit: exits.done };
    }
    const names = change.files.map(({ path, status }) => `${status.padEnd(9)} ${oneLine(path)}`);
    if (call.flags.has("stat")) return { text: names.join("\n"), json: change };
    const cut = change.cut ? [`… the rest is left out: git diff ${change.from} ${change.to}`] : [];
    return { text: [`# ${change.of}`, change.diff.trimEnd(), ...cut].join("\n"), json: change };
  },
};

export const open: Command = {
  name: "open",
  summary: "open the workspace of a task's last attempt in your editor, or print where it is",
  group: "look",
  args: [task],
  flags: { print: { about: "only print the path" } },
  examples: ["heddle open T001", 'cd "$(heddle open T001 --print)"'],
  byHand: true,
  run: async (call): Promise<Reply> => {
    const [id = ""] = call.args;
    const app = await withTasks(call);
    const { workspaceOf } = await import("../../watch/change-of.ts");
    const { path, isRunning } = await workspaceOf(app, id);
    const editor = process.env.VISUAL ?? process.env.EDITOR;
    const json = { task: id, path, running: isRunning };
    if (call.flags.has("print") || !canAsk(call) || call.ask) return { text: path, json };
    if (editor === undefined || editor === "")
      throw new Usage(
        problem("no-editor", `no editor is set; the workspace is ${path}`, {
          hint: `EDITOR=vi heddle open ${id}`,
        }),
      );
    if (isRunning)
      call.say(`an agent is at work on ${id}: what you change there may become part of its work`);
    const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
    return { text: path, json, exit: status === 0 ? exits.done : exits.refused };
  },
};
