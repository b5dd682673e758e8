// `heddle plan --show` and `heddle plan --edit`: the whole plan on one page, to read and to change.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Call, exits, type Reply, Usage } from "../../../command/command.ts";
import { canAsk, prompts } from "../../../command/terminal/prompts.ts";
import { summarize } from "../../../core/graph/schedule.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { type Run, type Task, taskOf } from "../../../core/run.ts";
import { statusOf } from "../../../core/task.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { isThere, readText, remove, replaceFile } from "../../../host/files.ts";
import { planText } from "../../../view/plan.ts";
import { problemText } from "../../../view/problem.ts";
import { oneLine } from "../../../view/safe.ts";

export async function showPlan({ app: open }: Call): Promise<Reply> {
  const app = await open();
  return app.look((run) => {
    if (run.tasks.size === 0) throw noTasks();
    const tasks = [...run.tasks.all()].sort(
      (a, b) => a.def.phase - b.def.phase || (a.def.id < b.def.id ? -1 : 1),
    );
    const text = [
      planText(summarize(run)),
      ...tasks.flatMap((each, at) => [...phaseHead(tasks, at), ...taskPage(run, each)]),
    ];
    return { text: text.join("\n"), json: { run: run.id, phase: run.phase, tasks: tasks.map(taskJson) } };
  });
}

const noTasks = () =>
  new Refused([
    problem("no-tasks", "there are no tasks yet", {
      hint: [toCall("plan spec.md"), ", or: ", toCall("run tasks.yaml")],
    }),
  ]);

function phaseHead(tasks: readonly Task[], at: number): string[] {
  const [phase, before] = [tasks[at]?.def.phase, tasks[at - 1]?.def.phase];
  return phase === before ? [""] : ["", `Phase ${phase}`, ""];
}

function taskPage(run: Run, task: Task): string[] {
  const { id, name, files, criteria, dependsOn, estimateHours, steel } = task.def;
  const marks = [statusOf(task), `${estimateHours} h`, ...(steel ? ["steel thread"] : [])].join(", ");
  const waits = dependsOn.map((each) => `${each} ${oneLine(taskOf(run, each).def.name)}`);
  return [
    `${id}  ${oneLine(name)}  (${marks})`,
    ...files.map(({ path, action }) => `      ${action.padEnd(7)} ${oneLine(path)}`),
    ...criteria.flatMap(({ criterion, command }) => [
      `      holds   ${oneLine(criterion)}`,
      `              $ ${oneLine(command)}`,
    ]),
    ...waits.map((each) => `      after   ${each}`),
  ];
}

const taskJson = (task: Task) => ({ ...task.def, status: statusOf(task), attempts: task.attempts });

export async function editPlan(call: Call): Promise<Reply> {
  const app = await call.app();
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor)
    throw new Usage(problem("no-editor", "no editor is set", { hint: "EDITOR=vi heddle plan --edit" }));
  const { applyEdit, planNow, planPage, readEdit } = await import("../list/edit-plan.ts");
  const plan = await planNow(app);
  if (plan.size === 0) throw noTasks();
  const file = join(app.paths.heddle, "plan-edit.yaml");
  // What was wrong the last time is there to be put right.
  if (!isThere(file)) replaceFile(file, planPage(plan));
  for (;;) {
    const { status, error } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], {
      stdio: "inherit",
    });
    if (status !== 0)
      throw new Refused([
        problem(
          "editor-failed",
          `the editor \`${editor}\` ended with ${error?.message ?? `code ${status}`}`,
          {
            hint: "EDITOR=vi heddle plan --edit",
          },
        ),
      ]);
    const read = readText(file);
    if ("problem" in read) throw new Refused([read.problem]);
    const edit = readEdit(file, read.text, plan);
    const wrong = "problems" in edit ? edit.problems : await refusals(() => applyEdit(app, edit));
    if (wrong.length === 0) {
      remove(file);
      return edited(app, "problems" in edit ? 0 : edit.put.length + edit.drop.length);
    }
    if (!canAsk(call)) throw new Refused([...wrong, kept(file)]);
    for (const each of wrong) call.say(problemText(each));
    if (!(await (await prompts(call)).confirm("Edit again?"))) throw new Refused([kept(file)]);
  }
}

const kept = (file: string) =>
  problem("not-changed", "the plan is as it was; what you wrote is kept", {
    place: { file },
    hint: [toCall("plan --edit"), ` continues with it; rm ${file} starts over`],
  });

async function refusals(work: () => Promise<unknown>) {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof Refused) return error.problems;
    throw error;
  }
}

async function edited(app: App, changed: number): Promise<Reply> {
  const tasks = await app.look((run) => run.tasks.size);
  const text =
    changed === 0
      ? "Nothing changed."
      : `Changed ${changed} task${changed === 1 ? "" : "s"}; the plan has ${tasks}.`;
  return { text, json: { changed, tasks }, exit: exits.done };
}
