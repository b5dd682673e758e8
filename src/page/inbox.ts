// What needs a person, oldest first: questions, halts, decisions, an edited view, each with what can be done about it in place.
import type { Hint } from "../core/hint.ts";
import { afterHalt, goOnHint } from "../core/idle.ts";
import { decide, type Rule } from "../core/protocol.ts";
import type { Run, Task } from "../core/run.ts";
import type { Halt, Holder } from "../core/run-parts.ts";
import { waysOn } from "../core/steps/phase.ts";
import { openQuestions } from "../core/task.ts";
import { hintText } from "../view/hint.ts";
import { questionText } from "../view/question.ts";
import { choiceActions, overrideActions, resumeActions, taskActions } from "./actions.ts";
import type { InboxItem } from "./model.ts";
import { notesOf, whyRule } from "./verdict.ts";

/** What the machine sees of a run beside its state. */
export interface Beside {
  /** An orchestrator's process is there; and those that would take over. */
  readonly isHeld: boolean;
  readonly standingBy: readonly Pick<Holder, "pid" | "host">[];
  readonly stopFile: boolean;
  /** That the view was edited, in the words of the terminal. */
  readonly view: { readonly message: string; readonly notes: readonly string[] } | null;
}

export const nothingBeside: Beside = { isHeld: false, standingBy: [], stopFile: false, view: null };

type Item = Omit<InboxItem, "run">;

export function inboxOf(run: Run, beside: Beside): InboxItem[] {
  if (run.archived) return [];
  const questions = openQuestions(run).map((each) => question(run, each));
  const halt = run.halt ?? (beside.stopFile ? stopHalt(run) : null);
  const items: Item[] = [
    ...questions,
    ...(halt ? [halted(run, halt)] : []),
    ...(beside.view ? [editedView(run, beside.view)] : []),
    ...(halt || beside.isHeld ? [] : decisions(run, questions.length > 0)),
  ];
  return items
    .map((item) => ({ run: run.id, ...item }))
    .sort((a, b) => (a.since === b.since ? (a.id < b.id ? -1 : 1) : a.since < b.since ? -1 : 1));
}

function question(run: Run, asked: Run["questions"][number]): Item {
  const { id, about, askedAt, options } = asked;
  return {
    id: `question:${id}`,
    kind: "question",
    task: run.tasks.get(about) ? about : null,
    since: askedAt,
    title: questionText(run, asked),
    text: asked.text,
    options,
    actions: [
      {
        ...{ do: "answer", label: "Answer", words: "required", asks: "your answer" },
        command: hintText({ do: "answer", question: id }),
      },
    ],
  };
}

const stopHalt = ({ updatedAt }: Run): Halt => ({
  ...{ code: "stop_file", reason: "a STOP file is there", by: "operator", requestedAt: updatedAt },
  ...{ now: false, confirmedAt: null, activeTask: null },
});

const haltKinds: Partial<Record<Halt["code"], InboxItem["kind"]>> = { budget: "budget", agent: "agent" };

function halted(run: Run, halt: Halt): Item {
  const { code, reason, requestedAt, by, activeTask, role } = halt;
  const problems = run.jobs[role ?? ""]?.problems ?? [];
  return {
    id: `halt:${requestedAt}`,
    kind: haltKinds[code] ?? "halt",
    task: activeTask,
    since: requestedAt,
    title: `Halted (${code}) by ${by}: ${reason}`,
    text: [...problems, `To go on: ${hintText(afterHalt(run, halt))}`].join("\n"),
    options: [],
    actions: resumeActions(run, halt),
  };
}

function editedView(run: Run, { message, notes }: NonNullable<Beside["view"]>): Item {
  return {
    id: "view",
    kind: "view",
    task: null,
    since: run.updatedAt,
    title: message,
    text: notes.join("\n"),
    options: [],
    actions: [
      {
        ...{ do: "adopt-view", label: "Adopt the edit", words: "required", asks: "why", grave: true },
        command: hintText({ do: "adopt-edit" }),
      },
      {
        ...{ do: "repair-view", label: "Drop the edit and write the view again", words: "none", grave: true },
        command: hintText({ do: "restore-view" }),
      },
    ],
  };
}

/** Nobody works on it, and the rules do not lead on: what a person may decide. */
function decisions(run: Run, isAsked: boolean): Item[] {
  const choices = run.protocol.own?.choices?.(run) ?? [];
  const { rule, saw } = decide(run.protocol, { run, request: "advance", digests: {} });
  if (!rule) return [];
  if (choices.length > 0)
    return [
      approval(run, { rule, saw, title: "The work waits for a decision", actions: choiceActions(choices) }),
    ];
  // A plan that is ready waits for a command, and is blocked by nothing: what its judge noted is there to be read before.
  if (run.phase === run.protocol.graph?.opens) return noted(run);
  if (isAsked || (rule.then.kind !== "wait" && rule.then.kind !== "halt")) return [];
  const stuck = run.tasks.notable().filter(({ state }) => state === "failed");
  if (stuck.length > 0) return stuck.slice(0, mostFailed).map((task) => failed(run, task));
  return [approval(run, { rule, saw, title: rule.name, actions: overrideActions(waysOn(run)) })];
}

const mostFailed = 50;

interface Ruled extends Pick<Item, "title" | "actions"> {
  readonly rule: Rule;
  readonly saw: Readonly<Record<string, string>>;
}

function approval(run: Run, { rule, saw, title, actions }: Ruled): Item {
  const standing = run.protocol.own?.standing?.(run);
  const hint: Hint | undefined = standing?.hint ?? ("hint" in rule.then ? rule.then.hint : undefined);
  const why = [...whyRule(run, rule, saw), ...(hint === undefined ? [] : [`To go on: ${hintText(hint)}`])];
  return {
    id: `approval:${run.phase}`,
    kind: rule.then.kind === "halt" ? "halt" : "approval",
    task: null,
    since: run.updatedAt,
    title: standing?.message ?? title,
    text: why.join("\n"),
    options: [],
    actions,
  };
}

function noted(run: Run): Item[] {
  const notes = notesOf(run);
  if (notes.length === 0) return [];
  return [
    {
      ...{ id: `notes:${run.phase}`, kind: "approval", task: null, since: run.updatedAt },
      ...{
        title: "The plan is ready, with notes",
        text: [...notes, `To go on: ${hintText(goOnHint(run))}`].join("\n"),
      },
      ...{ options: [], actions: [] },
    },
  ];
}

function failed(run: Run, task: Task): Item {
  const { id, name } = task.def;
  const { error = "", category = "unknown" } = task.failure ?? {};
  return {
    id: `failed:${id}`,
    kind: "halt",
    task: id,
    since: task.completedAt ?? run.updatedAt,
    title: `${id} failed after ${task.attempts} attempt${task.attempts === 1 ? "" : "s"}: ${name}`,
    text: `${category}: ${error}`,
    options: [],
    actions: taskActions(run, task).filter((each) => each.do === "retry" || each.do === "skip"),
  };
}
