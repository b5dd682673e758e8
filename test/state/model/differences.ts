// Everything in which heddle's state commands differ from the first implementation's, by name: its defects (facts §1.9,
// by their numbers) and our decisions, each with its reason. `docs/state-reference.md` has the same names, and the model
// (`first.ts`) has a switch for each.

export const defects = {
  "defect 1": "`ready-tasks` offers a task whose dependency was skipped, `start-task` refuses it",
  "defect 2": "`advance` out of `executing` passes with blocked tasks and never with skipped ones",
  "defect 3": "a failed validation and a BLOCKED verdict are not saved; what changed since still counts",
  "defect 4": "`retry-task` refuses an orphan",
  "defect 5": "a STOP file alone can be neither confirmed nor resumed",
  "defect 6": "categories of the documents become `other`; `--no-retry` is ignored by `retry-task`",
  "defect 7": "`fail-task` works from any status, and blocks dependents whatever theirs is",
  "defect 8": "blocking is one level deep",
  "defect 9": "`load-tasks` wipes progress, keeps counts, and keeps tasks whose file is gone",
  "defect 10": "cycles and missing dependencies are loaded",
  "defect 13": "`start-task` works in any phase and while halted",
  "defect 14": "without a state, commands end in a traceback",
  "defect 17": "a checkpoint takes unknown ids, lists one twice, and a corrupt result crashes `recover`",
  "defect 18": "`check-halt` on a damaged state exits 1, which means halted",
} as const;

export const decisions = {
  "usage exits 64": "a script can tell its own mistake from a refusal",
  "wrong words are errors":
    "the first implementation ignored an unknown flag, category or extra word, and hid the mistake",
  "values are checked": "malformed numbers or JSON ended in a traceback, and a negative cost was accepted",
  "artifacts are checked beyond their schema": "a map of another target was accepted (D7, D8)",
  "BLOCKED is registered": "registering the verdict succeeds (D14); `advance` refuses",
  "init never overwrites": "it replaced an existing plan without asking",
  "ready tasks are ranked": "the order came from the file system (X3)",
  "starting a failed task retries it":
    "the first implementation's documents say so; its script required `retry-task` first (X12)",
  "the first start begins execution": "the documented loop never calls `advance` in `ready` (X1)",
  "blocking follows the graph":
    "the order of events does not matter (X12); stored marks outlived their cause",
  "held work is not ready": "`start-task` and `ready-tasks` use the same graph",
  "retrying a blocked task retries its causes": "a blocked task has nothing of its own to retry",
  "a new try is judged anew": "a verification applies to one attempt's work",
  "a batch at work is not overwritten": "its tasks would become invisible orphans (X13)",
  "recover takes results over": "an executor's claim is recorded as a claim (X20); the state did not have it",
  "recover is always possible": "the documented loop calls it at every start, with or without a batch",
  "a result belongs to its attempt": "the result of an earlier attempt does not count for the next one (X17)",
  "a STOP file is a halt": "every command respects and records it (C10)",
  "a verdict is about the plan that is loaded": "a verdict about other files does not apply (D14)",
  "an empty plan is refused": "there is nothing to judge or run (D10)",
  "a running task keeps its file": "its definition cannot change while an executor works on it (D10)",
  "check-halt needs a project": "without a project there is no run to report on",
  "checkpoints need a project": "the tasks of a checkpoint come from a plan",
  "the last calibration names the task": "the lists kept a task under every outcome it ever had",
  "a cut state.json is repaired":
    "it is a view; in the first implementation, a crash while writing it lost the plan",
  "lines say more": "after the words that scripts look for, the line says what changed and what is running",
  "lists are plain": "`T001, T002` or `none` instead of Python's notation",
} as const;

export type Difference = keyof typeof defects | keyof typeof decisions;
export const differences = [...Object.keys(defects), ...Object.keys(decisions)] as readonly Difference[];
