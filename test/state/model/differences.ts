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
  "usage exits 64": "scripts can tell a mistake of theirs from a refusal",
  "wrong words are errors": "an unknown flag, category or extra word was ignored, and the mistake with it",
  "values are checked": "a number or JSON that is none ended in a traceback, and a negative cost was added",
  "artifacts are checked beyond their schema": "a map of another target was taken for this one's (D7, D8)",
  "BLOCKED is registered": "the registration succeeded (D14); `advance` is what refuses",
  "init never overwrites": "a plan was lost without a question",
  "ready tasks are ranked": "the order was the file system's (X3)",
  "starting a failed task retries it": "the documents say so; the script wanted `retry-task` first (X12)",
  "the first start begins execution": "the documents' loop never advances out of `ready` by itself (X1)",
  "blocking follows the graph": "whatever the order of events (X12); stored marks outlived their cause",
  "held work is not ready": "`start-task` and `ready-tasks` ask the same graph",
  "retrying a blocked task retries its causes": "it has nothing of its own to retry",
  "a new try is judged anew": "a verification is about one attempt's work",
  "a batch at work is not overwritten": "its tasks would be orphans that nobody sees (X13)",
  "recover takes results over": "a claim of the executor is a claim (X20); the state knew nothing of it",
  "recover is always possible": "the documents' loop calls it at every start, batch or none",
  "a result belongs to its attempt": "one that an earlier attempt left is not taken for the next one's (X17)",
  "a STOP file is a halt": "like any other (C10): every command honours and records it",
  "a verdict is about the plan that is loaded": "one about other files says nothing (D14)",
  "an empty plan is refused": "there is nothing to judge or run (D10)",
  "a running task keeps its file": "its definition cannot change under the executor's feet (D10)",
  "check-halt needs a project": "nothing can be said about a run that is not there",
  "checkpoints need a project": "its tasks are those of a plan",
  "the last calibration names the task": "lists kept a task under every outcome it ever had",
  "a cut state.json is mended": "it is a view; a crash in mid-write cost the first implementation the plan",
  "lines say more": "what changed and what runs, after the words that scripts look for",
  "lists are plain": "`T001, T002` or `none`, where a language's own notation was printed",
} as const;

export type Difference = keyof typeof defects | keyof typeof decisions;
export const differences = [...Object.keys(defects), ...Object.keys(decisions)] as readonly Difference[];
